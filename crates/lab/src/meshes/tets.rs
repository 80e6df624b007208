//! Meshes of tetrahedra: blocks, V shapes of two bars, and files.

use clearance::TetMesh;
use clearance::glam::DVec3;

/// Points and tetrahedra.
#[derive(Clone, Debug)]
pub struct TetModel {
    /// What rows call it.
    pub name: String,
    /// The points.
    pub points: Vec<[f64; 3]>,
    /// Four of them each.
    pub tets: Vec<[u32; 4]>,
}

impl TetModel {
    /// A block of cubes of side 1, six tetrahedra each.
    pub fn block(counts: [u32; 3]) -> TetModel {
        let [nx, ny, nz] = counts.map(|n| n + 1);
        let number = |[x, y, z]: [u32; 3]| x + nx * (y + ny * z);
        let (mut points, mut tets) = (Vec::new(), Vec::new());
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    points.push([x, y, z].map(f64::from));
                    if x + 1 == nx || y + 1 == ny || z + 1 == nz {
                        continue;
                    }
                    // One tetrahedron for each order in which the axes lead from one corner to the opposite one.
                    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
                        let mut at = [x, y, z];
                        let mut corners = [number(at); 4];
                        for (axis, corner) in order.into_iter().zip(&mut corners[1..]) {
                            at[axis] += 1;
                            *corner = number(at);
                        }
                        if (order[0] + 1) % 3 != order[1] {
                            corners.swap(2, 3);
                        }
                        tets.push(corners);
                    }
                }
            }
        }
        TetModel { name: format!("block {}", counts.map(|n| n.to_string()).join("x")), points, tets }
    }

    /// A V of two bars that are hinged where they meet: each `length` cubes long and `width` across, the legs one unit
    /// long, open by twice the angle. `bend` is the curvature of the legs towards each other; from twice the angle on
    /// their tips cross.
    pub fn hinged(length: u32, width: u32, angle: f64, bend: f64) -> TetModel {
        let mut model = TetModel::block([2 * length, width, width]);
        let size = 1.0 / f64::from(length);
        for point in &mut model.points {
            let [x, y, z] = *point;
            let along = x / f64::from(length) - 1.0;
            let (share, side) = (along.abs(), along.signum());
            let out = size * (f64::from(width) - y);
            // At the hinge, cross sections are in the plane between the legs.
            let way = share - (1.0 - share) * out / angle.tan();
            // Straight up to the hinge, then an arc.
            let turned = angle - bend * way.max(0.0);
            let middle = if way > 0.0 && bend > 0.0 {
                [(turned.cos() - angle.cos()) / bend, (angle.sin() - turned.sin()) / bend]
            } else {
                [way * angle.sin(), way * angle.cos()]
            };
            // The legs pass beside each other by a little, so that no faces are coplanar by symmetry.
            let shift = 0.013 * side * share;
            *point = [side * (middle[0] + out * turned.cos()), middle[1] - out * turned.sin(), size * z + shift];
        }
        model.name = format!("V of {} tetrahedra", model.tets.len());
        model
    }

    /// The same, moved.
    pub fn moved(&self, by: DVec3) -> TetModel {
        self.mapped(|point| point + by)
    }

    /// The same through a map.
    pub fn mapped(&self, map: impl Fn(DVec3) -> DVec3) -> TetModel {
        let points = self.points.iter().map(|&point| map(point.into()).to_array()).collect();
        TetModel { name: self.name.clone(), points, tets: self.tets.clone() }
    }

    /// In the engine.
    pub fn mesh(&self) -> Result<TetMesh, clearance::Error> {
        TetMesh::new(&self.points, &self.tets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_sound() {
        for model in [TetModel::block([3, 2, 1]), TetModel::hinged(6, 2, 0.6, 0.0), TetModel::hinged(6, 2, 0.6, 0.4)] {
            let mesh = model.mesh().unwrap();
            assert!(mesh.health().is_sound(), "{}: {:?}", model.name, mesh.health());
            assert!(mesh.surface().unwrap().solid().is_ok(), "{}", model.name);
        }
    }
}
