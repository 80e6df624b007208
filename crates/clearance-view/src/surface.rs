//! A mesh in a compact form.
//!
//! Points are single precision about the centre of the mesh, in units of its size, a power of two: a mesh far from its
//! origin, tiny or huge, is as exact as any other, to 2^-25 of its half side. The bytes of the numbers are split by
//! axis and significance, and the corners of triangles are differences: similar bytes are adjacent, and compress well.

use clearance::Mesh;
use clearance::glam::DVec3;
use serde::Serialize;

/// Where something lies in the block of bytes: the first byte, and how many elements there are.
pub(crate) type Section = (usize, usize);

/// A mesh in the block of bytes: a point is `centre + size * (x, y, z)`.
#[derive(Debug, Serialize)]
pub(crate) struct PackedSurface {
    centre: [f64; 3],
    size: f64,
    points: Section,
    triangles: Section,
}

/// Points alone, packed like those of a surface.
#[derive(Debug, Serialize)]
pub(crate) struct PackedPoints {
    centre: [f64; 3],
    size: f64,
    points: Section,
}

/// The binary data, one section after another.
#[derive(Debug, Default)]
pub(crate) struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn doubles(&mut self, numbers: impl IntoIterator<Item = f64>) -> Section {
        let start = self.0.len();
        self.0.extend(numbers.into_iter().flat_map(f64::to_le_bytes));
        (start, (self.0.len() - start) / 8)
    }

    pub fn surface(&mut self, mesh: &Mesh) -> PackedSurface {
        let (centre, size) = frame(mesh.points());
        let mut surface = PackedSurface { centre, size, points: (0, 0), triangles: (0, 0) };
        surface.points = self.points(mesh.points(), &surface);
        surface.triangles = self.triangles(&mesh.triangles());
        surface
    }

    /// Points about their own centre.
    pub fn about_their_centre(&mut self, points: &[[f64; 3]]) -> PackedPoints {
        let points = points.iter().map(|&point| DVec3::from_array(point));
        let (centre, size) = frame(points.clone());
        PackedPoints { centre, size, points: self.relative(points, centre, size) }
    }

    /// Points about the centre of a surface, in units of its size.
    pub fn points(&mut self, points: impl ExactSizeIterator<Item = DVec3>, surface: &PackedSurface) -> Section {
        self.relative(points, surface.centre, surface.size)
    }

    fn relative(&mut self, points: impl ExactSizeIterator<Item = DVec3>, centre: [f64; 3], size: f64) -> Section {
        let (start, count) = (self.0.len(), points.len());
        let numbers = 3 * count;
        self.0.resize(start + 4 * numbers, 0);
        for (i, point) in points.enumerate() {
            // Adding zero makes zero of minus zero: equal numbers have equal bytes.
            let local = ((point - DVec3::from_array(centre)) / size).to_array().map(|x| x as f32 + 0.0);
            for (axis, x) in local.into_iter().enumerate() {
                for (place, byte) in x.to_le_bytes().into_iter().enumerate() {
                    self.0[start + place * numbers + axis * count + i] = byte;
                }
            }
        }
        (start, count)
    }

    /// Each corner less the one before, the sign in the lowest bit, seven bits to a byte.
    fn triangles(&mut self, triangles: &[[u32; 3]]) -> Section {
        let start = self.0.len();
        let mut before = 0;
        for &corner in triangles.as_flattened() {
            let corner = i64::from(corner);
            let step = corner - before;
            let mut word = ((step << 1) ^ (step >> 63)).cast_unsigned();
            while word >= 128 {
                self.0.push((word & 127 | 128) as u8);
                word >>= 7;
            }
            self.0.push(word as u8);
            before = corner;
        }
        (start, triangles.len())
    }
}

/// The centre of points, and their size.
fn frame(points: impl Iterator<Item = DVec3>) -> ([f64; 3], f64) {
    let bounds = points.fold(None, |bounds: Option<(DVec3, DVec3)>, point| {
        Some(bounds.map_or((point, point), |(low, high)| (low.min(point), high.max(point))))
    });
    let (low, high) = bounds.unwrap_or_default();
    ((0.5 * low + 0.5 * high).to_array(), power_of_two((high - low).max_element()))
}

/// A power of two that is at least a length, and less than four times it; 1 for no length.
fn power_of_two(length: f64) -> f64 {
    if !(length > 0.0 && length.is_finite()) {
        return 1.0;
    }
    f64::from_bits((length.to_bits() & (0x7ff << 52)).max(1 << 52)) * 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the page reads it.
    fn unpacked(bytes: &[u8], packed: &PackedSurface) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let (start, count) = packed.points;
        let byte = |point: usize, axis: usize, place: usize| bytes[start + place * 3 * count + axis * count + point];
        let number = |point: usize, axis: usize| f32::from_le_bytes([0, 1, 2, 3].map(|place| byte(point, axis, place)));
        let at = |point: usize, axis: usize| packed.centre[axis] + packed.size * f64::from(number(point, axis));
        let points = (0..count).map(|point| [0, 1, 2].map(|axis| at(point, axis))).collect();
        let (mut place, count) = packed.triangles;
        let mut corner = 0_i64;
        let mut next = || {
            let (mut word, mut shift) = (0_u64, 0);
            loop {
                let byte = bytes[place];
                place += 1;
                word |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    break;
                }
            }
            corner += (word >> 1).cast_signed() ^ -(word & 1).cast_signed();
            u32::try_from(corner).unwrap()
        };
        (points, (0..count).map(|_| [next(), next(), next()]).collect())
    }

    #[test]
    fn a_mesh_is_read_back_as_it_was() {
        for (offset, size) in [(0.0, 1.0), (1e7, 1.0), (-3e5, 1e-4), (0.0, 1e50), (0.0, 1e-50)] {
            let points: Vec<[f64; 3]> = (0..300_u32)
                .map(|i| {
                    [f64::from(i).sin(), f64::from(i * i % 97) / 97.0, f64::from(i) / 300.0].map(|x| offset + size * x)
                })
                .collect();
            let triangles: Vec<[u32; 3]> = (0..298).map(|i| [i, (i * 7 + 2) % 300, 299 - i]).collect();
            let mesh = Mesh::new(&points, &triangles).unwrap();
            let mut bytes = Bytes(vec![7; 3]);
            let packed = bytes.surface(&mesh);
            let (found, corners) = unpacked(&bytes.0, &packed);
            assert_eq!(corners, triangles);
            // Half of the last place of a number up to 1/2, or of the coordinate where it is far away.
            let room = packed.size * 2_f64.powi(-26) + 2.0 * f64::EPSILON * (offset.abs() + size);
            for (x, y) in points.as_flattened().iter().zip(found.as_flattened()) {
                assert!((x - y).abs() <= room, "{x} {y} {room}");
            }
        }
    }

    #[test]
    fn a_surface_without_size_is_packed() {
        let mesh = Mesh::new(&[[2.0; 3]], &[[0, 0, 0]]).unwrap();
        let mut bytes = Bytes::default();
        let packed = bytes.surface(&mesh);
        assert_eq!(unpacked(&bytes.0, &packed), (vec![[2.0; 3]], vec![[0, 0, 0]]));
        assert_eq!([0.0, 3.0, 4.0, 5e-324].map(power_of_two), [1.0, 4.0, 8.0, 2_f64.powi(-1021)]);
    }
}
