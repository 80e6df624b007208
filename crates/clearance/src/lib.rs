//! Clearance: the signed gap between two bodies, with a proof around every number.

pub mod geom;
pub mod math;

#[cfg(test)]
mod tests {
    #[test]
    fn the_vector_crate_is_in_double_precision() {
        assert_eq!(glam::DVec3::new(0.1, 0.0, 0.0).x, 0.1_f64);
    }
}
