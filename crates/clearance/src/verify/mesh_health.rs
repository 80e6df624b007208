//! Verifies the health report of a mesh: every number is counted again, with plain maps over the list of triangles, and
//! the volume is summed in integers.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use crate::answer::mesh_health::MeshHealth;
use crate::math::dyadic::Dyadic;
use crate::math::ring::{self, Ring, Vector};
use crate::math::tolerances::VOLUME_OF_MESH;
use crate::shape::Mesh;
use crate::verify::mesh_rays::sign;
use crate::verify::refusal::Refusal;

/// Connected groups, by number: each element refers to a lower one of its group, or to itself.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn lowest(&self, mut item: usize) -> usize {
        while self.0[item] != item {
            item = self.0[item];
        }
        item
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.0[a.max(b)] = a.min(b);
    }

    fn count(&self) -> usize {
        self.0.iter().enumerate().filter(|(item, above)| item == *above).count()
    }
}

/// A point by its coordinates; both zeros are equal.
fn key(point: DVec3) -> [u64; 3] {
    point.to_array().map(|x| (x + 0.0).to_bits())
}

/// A triangle at an edge, and whether it runs from the lower point of the edge.
type User = (usize, bool);

/// The triangles at each edge, the lower point first.
type Edges = BTreeMap<[u32; 2], Vec<User>>;

fn edges_of(triangles: &[[u32; 3]]) -> Edges {
    let mut edges = Edges::new();
    for (number, triangle) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
            edges.entry([p.min(q), p.max(q)]).or_default().push((number, p < q));
        }
    }
    edges
}

/// The points whose triangles form several fans not joined by an edge there.
fn pinched(triangles: &[[u32; 3]], edges: &Edges) -> usize {
    let mut around: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, triangle) in triangles.iter().enumerate() {
        for point in BTreeSet::from(*triangle) {
            around.entry(point).or_default().push(number);
        }
    }
    let fans = |point: u32, list: &[usize]| {
        let place: BTreeMap<usize, usize> = list.iter().copied().zip(0..).collect();
        let mut groups = Groups::new(list.len());
        for &number in list {
            for other in triangles[number].into_iter().filter(|&other| other != point) {
                let users = edges.get(&[point.min(other), point.max(other)]).into_iter().flatten();
                users.for_each(|(user, _)| groups.join(place[&number], place[user]));
            }
        }
        groups.count()
    };
    around.iter().filter(|(point, list)| fans(**point, list) > 1).count()
}

/// Verifies the health report of a mesh.
pub(crate) fn verify_health(health: &MeshHealth, mesh: &Mesh) -> Result<(), Refusal> {
    let points: Vec<DVec3> = mesh.points().collect();
    let triangles = mesh.triangles();
    let edges = edges_of(&triangles);
    let count = |is: fn(&[User]) -> bool| edges.iter().filter(|(edge, users)| edge[0] != edge[1] && is(users)).count();
    let boundary = count(|users| users.len() == 1);
    let flipped = count(|users| users.len() == 2 && users[0].1 == users[1].1);
    let crowded = count(|users| users.len() > 2);
    let names_twice = edges.keys().any(|edge| edge[0] == edge[1]);
    let watertight = boundary == 0 && crowded == 0 && !names_twice;
    let mut groups = Groups::new(triangles.len());
    for users in edges.values() {
        users.windows(2).for_each(|two| groups.join(two[0].0, two[1].0));
    }
    let used: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
    let places: BTreeSet<[u64; 3]> = points.iter().map(|&point| key(point)).collect();
    let corners = |t: &[u32; 3]| t.map(|p| points[p as usize]);
    let in_line = |t: &[u32; 3]| {
        let [a, b, c] = corners(t).map(ring::vector::<Dyadic>);
        ring::is_zero(&ring::cross(&ring::subtract(&b, &a), &ring::subtract(&c, &a))) == Some(true)
    };
    let numbers = |is: &dyn Fn(&[u32; 3]) -> bool| -> Vec<u32> {
        triangles.iter().zip(0..).filter(|(t, _)| is(t)).map(|(_, number)| number).collect()
    };
    let mut lowest: BTreeMap<[[u64; 3]; 3], u32> = BTreeMap::new();
    let mut duplicates = Vec::new();
    for (triangle, number) in triangles.iter().zip(0..) {
        let mut name = corners(triangle).map(key);
        name.sort_unstable();
        match lowest.get(&name) {
            Some(&first) => duplicates.push([first, number]),
            None => {
                lowest.insert(name, number);
            }
        }
    }
    duplicates.sort_unstable();
    let euler = used.len() as i64 - edges.len() as i64 + triangles.len() as i64;
    let counted = [
        ("watertight", health.watertight == watertight),
        ("consistently_wound", health.consistently_wound == (flipped == 0)),
        ("boundary_edges", health.boundary_edges == boundary),
        ("flipped_edges", health.flipped_edges == flipped),
        ("non_manifold_edges", health.non_manifold_edges == crowded),
        ("non_manifold_points", health.non_manifold_points == pinched(&triangles, &edges)),
        ("components", health.components == groups.count()),
        ("euler_characteristic", health.euler_characteristic == euler),
        ("unused_points", health.unused_points == points.len() - used.len()),
        ("coincident_points", health.coincident_points == points.len() - places.len()),
        ("degenerate", health.degenerate == numbers(&in_line)),
        ("duplicates", health.duplicates == duplicates),
        ("volume", health.volume.is_some() == (watertight && flipped == 0)),
    ];
    if let Some((field, _)) = counted.into_iter().find(|(_, holds)| !holds) {
        return Err(Refusal::Count { field });
    }
    health.volume.map_or(Ok(()), |volume| check_volume(volume, triangles.iter().map(corners)))
}

/// Six times the volume is the sum of the determinants of all corners, up to one rounding.
fn check_volume(volume: f64, triangles: impl Iterator<Item = [DVec3; 3]>) -> Result<(), Refusal> {
    if !volume.is_finite() {
        return Err(Refusal::NoNumber { field: "volume" });
    }
    let sum = triangles.fold(Dyadic::of(0.0), |sum, corners| {
        let [a, b, c]: [Vector<Dyadic>; 3] = corners.map(ring::vector);
        sum.plus(&ring::dot(&a, &ring::cross(&b, &c)))
    });
    let magnitude = |x: &Dyadic| if sign(x) == Ordering::Less { x.times(&Dyadic::of(-1.0)) } else { x.clone() };
    let off = magnitude(&Dyadic::of(volume).times(&Dyadic::of(6.0)).minus(&sum));
    // Where the volume is too small for a float to hold all its digits, it is off by that.
    let allowed = magnitude(&sum).times(&Dyadic::of(VOLUME_OF_MESH)).plus(&Dyadic::of(f64::MIN_POSITIVE));
    if sign(&off.minus(&allowed)) == Ordering::Greater {
        return Err(Refusal::Upper { claimed: volume, proved: sum.ratio(&Dyadic::of(6.0)) });
    }
    Ok(())
}
