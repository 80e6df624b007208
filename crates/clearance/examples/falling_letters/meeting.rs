//! The relation of two bodies: separated by a gap, or overlapping by a depth. This example is about the depth.

use clearance::answer::Contacts;
use clearance::glam::DVec3;
use clearance::query::solid_depth_with;
use clearance::query::{ContactsOptions, DistanceOptions, SolidDepthOptions, contacts_with, distance_with};
use clearance::world::BodyId;
use clearance::{PairCache, Pose, Shape, Workspace, World, signed_distance};
use rayon::prelude::*;

use crate::bodies::Body;

/// The definition of the depth of overlapping bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The shortest translation that separates the solids, by `solid_depth`. Searched in all directions every time.
    Global,
    /// Corners of one body inside the other, each with its shortest vector to a face.
    Corners,
    /// The same for corners and points along all edges.
    Edges,
}

impl Depth {
    /// A short name.
    pub fn name(self) -> &'static str {
        match self {
            Depth::Global => "global",
            Depth::Corners => "corners",
            Depth::Edges => "edges",
        }
    }

    /// A longer title.
    pub fn title(self) -> &'static str {
        match self {
            Depth::Global => "Global depth: the shortest way out of the solids",
            Depth::Corners => "Local depth of corners: from each to the nearest face",
            Depth::Edges => "Local depth of corners and edges: from points 3 mm apart to the nearest face",
        }
    }
}

/// Points along edges are no farther apart than this, in metres.
const SPACING: f64 = 0.003;

/// Places closer than this count as one, in metres.
const ONE_PLACE: f64 = 0.001;

/// A place where two bodies push each other.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub at: DVec3,
    /// The direction in which the second body is pushed.
    pub normal: DVec3,
    /// Its share of the total force.
    pub share: f64,
}

/// The relation of two bodies.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// Their indices, the lower one first.
    pub pair: [usize; 2],
    /// The distance, or minus the depth.
    pub gap: f64,
    /// The rate of change of the gap.
    pub rate: f64,
    /// Where they push each other; for separated bodies, where they are nearest.
    pub places: Vec<Place>,
}

/// Finds near pairs and their relations.
pub struct Lookout {
    depth: Depth,
    /// The sample points of each body for a local depth.
    points: Vec<Vec<DVec3>>,
    world: World,
    ids: Vec<BodyId>,
}

impl Lookout {
    pub fn new(bodies: &[Body], depth: Depth) -> Lookout {
        let mut world = World::default();
        let ids = bodies.iter().map(|body| world.insert(&body.shape, &body.pose(), 0)).collect();
        Lookout { depth, points: bodies.iter().map(|body| points(body, depth)).collect(), world, ids }
    }

    /// All pairs that may be within a margin, in the order of their indices.
    pub fn look_around(&mut self, bodies: &[Body], margin: f64) -> Vec<Meeting> {
        for (body, &id) in bodies.iter().zip(&self.ids) {
            self.world.move_to(id, &body.pose()).expect("all bodies are in the world");
        }
        let number = |id: BodyId| self.ids.iter().position(|&other| other == id).expect("all bodies are in the world");
        let near = self.world.pairs_within(margin);
        let pairs: Vec<[usize; 2]> = near.into_iter().map(|(a, b)| [number(a), number(b)]).collect();
        let look = |workspace: &mut Workspace, &pair: &[usize; 2]| self.look(pair, pair.map(|k| &bodies[k]), workspace);
        pairs.par_iter().map_init(Workspace::default, look).collect()
    }

    /// One pair.
    pub fn look(&self, pair: [usize; 2], two: [&Body; 2], workspace: &mut Workspace) -> Meeting {
        let [a, b] = two;
        let (pose_a, pose_b) = (a.pose(), b.pose());
        let rate = |normal: DVec3, [p, q]: [DVec3; 2]| normal.dot(b.velocity_at(q) - a.velocity_at(p));
        let (all, mut cache) = (DistanceOptions::default(), PairCache::default());
        let apart = distance_with(&a.shape, &pose_a, &b.shape, &pose_b, &all, &mut cache, workspace);
        if let Some(normal) = apart.normal {
            let points @ [p, q] = apart.world_points(&pose_a, &pose_b);
            let places = vec![Place { at: p.midpoint(q), normal, share: 1.0 }];
            return Meeting { pair, gap: apart.gap.value, rate: rate(normal, points), places };
        }
        if self.depth == Depth::Global {
            let way_out =
                solid_depth_with(&a.shape, &pose_a, &b.shape, &pose_b, &WAY_OUT, &mut Workspace::default(), |_, _| {
                    true
                });
            let found = way_out.expect("both are solids").penetration;
            let points @ [p, q] = found.world_points(&pose_a, &pose_b);
            let places = touching(two, found.depth.upper * found.normal, p.midpoint(q), workspace);
            return Meeting { pair, gap: -found.depth.value, rate: rate(found.normal, points), places };
        }
        let mut places = deep_points(&self.points[pair[0]], &pose_a, &b.shape, &pose_b);
        places.iter_mut().for_each(|place| place.normal = -place.normal);
        places.extend(deep_points(&self.points[pair[1]], &pose_b, &a.shape, &pose_a));
        let Some(deepest) = places.iter().copied().max_by(|p, q| p.share.total_cmp(&q.share)) else {
            // The surfaces cross without any sample point inside.
            return Meeting { pair, gap: 0.0, rate: 0.0, places };
        };
        Meeting { pair, gap: -deepest.share, rate: rate(deepest.normal, [deepest.at; 2]), places: shared(places) }
    }
}

/// The separating translation without a proof that none is shorter: forces need none.
pub const WAY_OUT: SolidDepthOptions = SolidDepthOptions {
    relative_tolerance: 1.0,
    tolerance: 0.0,
    work: 0,
    near: None,
    search: clearance::query::DepthSearch::Directions,
    estimate: false,
};

/// The places that touch after the separating translation, and all others that overlapped along it: each gets a share
/// of the force by its depth. `otherwise`: the place if none is found.
fn touching([a, b]: [&Body; 2], way: DVec3, otherwise: DVec3, workspace: &mut Workspace) -> Vec<Place> {
    let (depth, normal) = (way.length(), way.normalize_or_zero());
    let options = ContactsOptions { margin: depth, ..ContactsOptions::default() };
    let (mut found, mut cache) = (Contacts::default(), PairCache::default());
    contacts_with(&a.shape, &a.pose(), &b.shape, &b.pose_moved(way), &options, &mut cache, workspace, &mut found);
    found.points.sort_by(|p, q| p.gap.value.total_cmp(&q.gap.value));
    let mut places: Vec<Place> = Vec::new();
    for contact in found.points.iter().filter(|contact| contact.normal.dot(normal) > 0.5) {
        let at = a.pose().transform_point(contact.witness.a.point) - way / 2.0;
        if places.iter().all(|place| place.at.distance(at) > ONE_PLACE) {
            places.push(Place { at, normal, share: (depth - contact.gap.value).max(0.0) });
        }
    }
    if places.iter().all(|place| place.share == 0.0) {
        return vec![Place { at: otherwise, normal, share: 1.0 }];
    }
    shared(places)
}

/// Normalises depths to shares that add up to one.
fn shared(mut places: Vec<Place>) -> Vec<Place> {
    let sum: f64 = places.iter().map(|place| place.share).sum();
    places.iter_mut().for_each(|place| place.share /= sum);
    places
}

/// The sample points of a body for a depth, in the body's own frame.
fn points(body: &Body, depth: Depth) -> Vec<DVec3> {
    let corners = body.corners();
    let mut points = corners.clone();
    if depth == Depth::Edges {
        let edges = body.triangles().into_iter().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
        for [from, to] in edges.filter(|[from, to]| from < to).map(|edge| edge.map(|corner| corners[corner as usize])) {
            let count = (from.distance(to) / SPACING).ceil();
            points.extend((1..count as u32).map(|step| from.lerp(to, f64::from(step) / count)));
        }
    }
    points
}

/// The points of one body inside another, each with the direction and distance to the closest point of its surface.
fn deep_points(points: &[DVec3], pose: &Pose, shape: &Shape, pose_of_shape: &Pose) -> Vec<Place> {
    let bounds = shape.bounds();
    let is_in_box = |at: &DVec3| {
        let at = pose_of_shape.inverse_transform_point(*at);
        at.cmpge(bounds.min).all() && at.cmple(bounds.max).all()
    };
    let deep = |at: DVec3| {
        let found = signed_distance(shape, pose_of_shape, at);
        (found.distance.value < 0.0).then_some(Place { at, normal: found.normal, share: -found.distance.value })
    };
    points.iter().map(|&point| pose.transform_point(point)).filter(is_in_box).filter_map(deep).collect()
}
