//! Points with equal coordinates.

use glam::DVec3;

/// For each of some points, given by index, the lowest index among those with exactly its coordinates.
pub(crate) fn lowest_of_equal(numbers: &[u32], at: impl Fn(u32) -> DVec3) -> Vec<u32> {
    // Adding zero makes both signed zeros equal.
    let mut order: Vec<([f64; 3], u32, usize)> =
        numbers.iter().enumerate().map(|(place, &n)| ((at(n) + DVec3::ZERO).to_array(), n, place)).collect();
    let by = |p: &[f64; 3], q: &[f64; 3]| (0..3).fold(std::cmp::Ordering::Equal, |o, k| o.then(p[k].total_cmp(&q[k])));
    order.sort_unstable_by(|p, q| by(&p.0, &q.0).then(p.1.cmp(&q.1)));
    let mut lowest = vec![0; numbers.len()];
    for equal in order.chunk_by(|p, q| p.0 == q.0) {
        for &(_, _, place) in equal {
            lowest[place] = equal[0].1;
        }
    }
    lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_points_get_the_lowest_number() {
        let points = [[1.0, 2.0, 3.0], [0.0, 0.0, 1.0], [1.0, 2.0, 3.0], [-0.0, 0.0, 1.0], [1.0, 2.0, 4.0]];
        let at = |n: u32| DVec3::from_array(points[n as usize]);
        assert_eq!(lowest_of_equal(&[0, 1, 2, 3, 4], at), [0, 1, 0, 1, 4]);
        assert_eq!(lowest_of_equal(&[3, 2, 1], at), [1, 2, 1]);
        assert!(lowest_of_equal(&[], at).is_empty());
    }
}
