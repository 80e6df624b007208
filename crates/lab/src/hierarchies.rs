//! Every tree that the engine builds over meshes on request, behind one face: kinds of volumes, builders and fits.

use crate::measure::{median, timed};
use crate::peers::question::Query;
use clearance::answer::{Contacts, Distance};
use clearance::glam::DVec3;
use clearance::index::{
    Aabb, Bound, BoxTree, Build, Count, Descend, Fit, Index, IndexOptions, Kdop, Kind, Lss, Obb, RelativePose, Rss,
    Sphere, Stats, SweptSphere, SweptSpheres, VolumeTest,
};
use clearance::query::{ContactsOptions, DistanceOptions, IntersectsOptions};
use clearance::{Error, Mesh, Pose, Workspace};
use std::any::TypeId;
use std::collections::BTreeMap;
use std::hint::black_box;

/// A kind of tree: volumes, how triangles are grouped, how volumes are fitted.
#[derive(Clone, Copy)]
pub struct TreeKind {
    /// The volumes.
    pub volume: &'static str,
    /// How the trees are built and traversed.
    pub options: IndexOptions,
    make: fn(&[Mesh], &IndexOptions) -> Box<dyn Trees>,
}

/// All kinds of volumes, with how to build trees of them.
type Make = fn(&[Mesh], &IndexOptions) -> Box<dyn Trees>;
const VOLUMES: [(&str, Make); 15] = [
    ("sphere", make::<Sphere>),
    ("AABB", make::<Aabb>),
    ("OBB", make::<Obb>),
    ("6-DOP", make::<Kdop<6>>),
    ("14-DOP", make::<Kdop<14>>),
    ("18-DOP", make::<Kdop<18>>),
    ("26-DOP", make::<Kdop<26>>),
    ("12-DOP", make::<Kdop<12>>),
    ("32-DOP", make::<Kdop<32>>),
    ("62-DOP", make::<Kdop<62>>),
    ("LSS", make::<Lss>),
    ("RSS", make::<Rss>),
    ("hybrid, one a node", make::<SweptSphere>),
    ("hybrid, all a node", make::<SweptSpheres>),
    ("box tree", make::<BoxTree>),
];

fn make<K: Kind>(meshes: &[Mesh], options: &IndexOptions) -> Box<dyn Trees> {
    Box::new(Indices::<K>::new(meshes, options))
}

impl TreeKind {
    /// Trees of a kind of volume with default options.
    ///
    /// # Panics
    /// If there is no such kind.
    pub fn of(volume: &str) -> TreeKind {
        let found = VOLUMES.into_iter().find(|(name, _)| *name == volume);
        let (volume, make) = found.unwrap_or_else(|| unreachable!("no volume {volume}"));
        TreeKind { volume, options: IndexOptions::default(), make }
    }

    /// Such trees built or traversed in another way.
    pub fn with(self, options: IndexOptions) -> TreeKind {
        TreeKind { options, ..self }
    }

    /// Every kind of volume with every way to group triangles; oriented boxes besides with every fit, and opening both
    /// nodes of a pair.
    pub fn all() -> Vec<TreeKind> {
        let options = IndexOptions::default();
        let grouped = |(volume, make): (&'static str, Make)| {
            Build::ALL.map(|build| TreeKind { volume, options: IndexOptions { build, ..options }, make })
        };
        let mut kinds: Vec<TreeKind> = VOLUMES.into_iter().flat_map(grouped).collect();
        let boxes = TreeKind::of("OBB");
        let others = [
            IndexOptions { fit: Fit::Vertices, ..options },
            IndexOptions { fit: Fit::HullVertices, ..options },
            IndexOptions { descend: Descend::Both, ..options },
        ];
        kinds.extend(others.map(|options| boxes.with(options)));
        kinds
    }

    /// What it is called in tables.
    pub fn name(&self) -> String {
        let IndexOptions { build, fit, descend, .. } = self.options;
        let mut name = format!("{}, {}", self.volume, build_name(build));
        match fit {
            Fit::Vertices => name += ", fit to vertices",
            Fit::HullVertices => name += ", fit to hull vertices",
            _ => (),
        }
        if descend == Descend::Both {
            name += ", opening both";
        }
        name
    }

    /// Whether only the kind of volume is not the default.
    pub fn is_plain(&self) -> bool {
        self.options == IndexOptions::default()
    }

    /// Trees over meshes.
    pub fn build(&self, meshes: &[Mesh]) -> Box<dyn Trees> {
        (self.make)(meshes, &self.options)
    }
}

/// How triangles are grouped, in a word.
pub fn build_name(build: Build) -> &'static str {
    match build {
        Build::MeanOnLongestAxis => "mean",
        Build::MedianOnLongestAxis => "median",
        Build::Sah => "area",
        Build::LeastVolume => "volume",
        Build::BottomUp => "bottom up",
        Build::SpheresByTiling => "tiling",
        Build::SpheresByVertices => "stars",
        Build::SpheresByOctree => "octree",
        _ => "other",
    }
}

/// Trees of one kind over some meshes; a query names two of them.
pub trait Trees {
    /// Bytes of the tree of a mesh, and its nodes.
    fn size(&self, mesh: usize) -> [usize; 2];

    /// Whether the meshes meet.
    fn intersects(&mut self, query: &Query) -> bool;

    /// How far they are apart.
    fn distance(&mut self, query: &Query) -> Distance;

    /// All pairs of triangles that meet.
    fn contacts(&mut self, query: &Query) -> &Contacts;

    /// What answering the query takes.
    fn count(&mut self, query: &Query) -> Stats;

    /// How many of the four pairs of children of a pair of nodes pass their test, over all pairs of inner nodes that a
    /// first contact visits when both are opened. The trees have to be made to open both.
    fn passing_children(&mut self, query: &Query) -> [u64; 5];

    /// Nanoseconds of a test of two volumes by itself: those of the query, tested again in order. `None` where the test
    /// depends on the way there.
    fn test_cost(&mut self, query: &Query) -> Option<f64>;

    /// Adapts the tree of a mesh to moved points; says how many volumes were fitted.
    fn refit(&mut self, mesh: usize, moved: &Mesh) -> Result<Stats, Error>;
}

/// As many tests of volumes as are recorded to see what one costs.
const RECORDED: usize = 20_000;

struct Indices<K: Kind> {
    indices: Vec<Index<K>>,
    workspace: Workspace,
    contacts: Contacts,
}

impl<K: Kind> Indices<K> {
    fn new(meshes: &[Mesh], options: &IndexOptions) -> Indices<K> {
        let indices = meshes.iter().map(|mesh| Index::new(mesh, options)).collect();
        Indices { indices, workspace: Workspace::default(), contacts: Contacts::default() }
    }

    fn ask(&mut self, query: &Query, count: &mut impl Count) {
        use crate::peers::question::Question;
        match query.question {
            Question::FirstContact => {
                black_box(self.intersects_with(query, count));
            }
            Question::AllContacts => self.contacts_with(query, count),
            Question::Distance => {
                black_box(self.distance_with(query, count));
            }
        }
    }

    fn intersects_with(&mut self, query: &Query, count: &mut impl Count) -> bool {
        let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &self.indices[model]), &query.poses);
        a.intersects_with(pose_a, b, pose_b, &IntersectsOptions::default(), &mut self.workspace, count)
    }

    fn distance_with(&mut self, query: &Query, count: &mut impl Count) -> Distance {
        let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &self.indices[model]), &query.poses);
        a.distance_with(pose_a, b, pose_b, &DistanceOptions::default(), &mut self.workspace, count)
    }

    fn contacts_with(&mut self, query: &Query, count: &mut impl Count) {
        let ([a, b], [pose_a, pose_b]) = (query.models.map(|model| &self.indices[model]), &query.poses);
        let options = ContactsOptions::default();
        a.contacts_with(pose_a, b, pose_b, &options, &mut self.workspace, count, &mut self.contacts);
    }
}

/// Remembers the tests of volumes.
#[derive(Default)]
struct Recorder(Vec<VolumeTest>);

impl Count for Recorder {
    fn volumes(&mut self, test: VolumeTest) {
        self.0.push(test);
    }
}

impl<K: Kind> Trees for Indices<K> {
    fn size(&self, mesh: usize) -> [usize; 2] {
        [self.indices[mesh].bytes(), self.indices[mesh].node_count()]
    }

    fn intersects(&mut self, query: &Query) -> bool {
        self.intersects_with(query, &mut ())
    }

    fn distance(&mut self, query: &Query) -> Distance {
        self.distance_with(query, &mut ())
    }

    fn contacts(&mut self, query: &Query) -> &Contacts {
        self.contacts_with(query, &mut ());
        &self.contacts
    }

    fn count(&mut self, query: &Query) -> Stats {
        let mut stats = Stats::default();
        self.ask(query, &mut stats);
        stats
    }

    fn passing_children(&mut self, query: &Query) -> [u64; 5] {
        let mut recorder = Recorder::default();
        let _ = self.intersects_with(query, &mut recorder);
        let [parents_a, parents_b] = query.models.map(|model| parents(&self.indices[model]));
        // Pairs of parents by the numbers of the nodes, and how many of their children's pairs were tested and passed.
        let mut found: BTreeMap<[u32; 2], [u8; 2]> = BTreeMap::new();
        for test in recorder.0 {
            let Some((a, b)) = parents_a[test.a as usize].zip(parents_b[test.b as usize]) else { continue };
            let [tested, passed] = found.entry([a, b]).or_default();
            *tested += 1;
            *passed += u8::from(!test.pruned);
        }
        let mut counts = [0; 5];
        for [tested, passed] in found.into_values() {
            // Fewer where one of the nodes is a leaf.
            if tested == 4 {
                counts[passed as usize] += 1;
            }
        }
        counts
    }

    fn test_cost(&mut self, query: &Query) -> Option<f64> {
        if TypeId::of::<K>() == TypeId::of::<BoxTree>() {
            return None;
        }
        let mut recorder = Recorder::default();
        self.ask(query, &mut recorder);
        let mut tests = recorder.0;
        tests.truncate(RECORDED);
        let indices = query.models.map(|model| &self.indices[model]);
        let volumes = indices.map(Index::volumes);
        let reach = |side: usize| volumes[side].iter().map(K::Volume::reach).fold(0.0, f64::max);
        let pose = |side: usize| {
            let pose: &Pose = &query.poses[side];
            Pose::new(pose.rotation(), pose.transform_point(indices[side].origin()))
        };
        let relation = K::Volume::relation(&RelativePose::new(&pose(0).ok()?, &pose(1).ok()?, reach(0), reach(1)));
        let by_distance = tests.first()?.lower.is_some();
        let run = || {
            for test in &tests {
                let (a, b) = (&volumes[0][test.a as usize], &volumes[1][test.b as usize]);
                if by_distance {
                    black_box(a.distance_below(b, black_box(&relation)));
                } else {
                    black_box(a.overlaps(b, black_box(&relation)));
                }
            }
        };
        run();
        Some(median((0..5).map(|_| 1e9 * timed(run).1 / tests.len() as f64).collect()))
    }

    fn refit(&mut self, mesh: usize, moved: &Mesh) -> Result<Stats, Error> {
        let mut stats = Stats::default();
        self.indices[mesh].refit_with(moved, &mut stats)?;
        Ok(stats)
    }
}

/// The parent of each node; the root has none.
fn parents<K: Kind>(index: &Index<K>) -> Vec<Option<u32>> {
    let mut parents = vec![None; index.node_count()];
    for node in 0..index.node_count() as u32 {
        for child in index.children(node).into_iter().flatten() {
            parents[child as usize] = Some(node);
        }
    }
    parents
}

/// Costs of a test of volumes and of one of triangles, in nanoseconds: those with which `Nv Cv + Np Cp` comes nearest
/// to the measured times, by least squares of the relative errors, neither negative.
pub fn fitted_costs(samples: &[(Stats, f64)]) -> [f64; 2] {
    let (mut a, mut b) = ([[0.0; 2]; 2], [0.0; 2]);
    for (stats, time) in samples {
        let numbers = [stats.volume_tests as f64 / time, stats.triangle_tests as f64 / time];
        for i in 0..2 {
            (0..2).for_each(|j| a[i][j] += numbers[i] * numbers[j]);
            b[i] += numbers[i];
        }
    }
    let alone = |i: usize| if a[i][i] > 0.0 { b[i] / a[i][i] } else { 0.0 };
    let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if determinant > 1e-9 * a[0][0] * a[1][1] {
        let both = [(b[0] * a[1][1] - b[1] * a[0][1]) / determinant, (a[0][0] * b[1] - a[1][0] * b[0]) / determinant];
        if both.iter().all(|cost| *cost >= 0.0) {
            return both;
        }
    }
    // One of them is 0: whichever leaves the smaller error.
    let error = |costs: [f64; 2]| -> f64 { samples.iter().map(|sample| model_error(sample, costs).powi(2)).sum() };
    let (volumes, triangles) = ([alone(0), 0.0], [0.0, alone(1)]);
    if error(volumes) <= error(triangles) { volumes } else { triangles }
}

/// The relative error of `Nv Cv + Np Cp` for a measured time.
pub fn model_error((stats, time): &(Stats, f64), [volumes, triangles]: [f64; 2]) -> f64 {
    (stats.volume_tests as f64 * volumes + stats.triangle_tests as f64 * triangles) / time - 1.0
}

/// A mesh moved a little out of shape: twisted about the z axis.
pub fn twisted(points: &[[f64; 3]], angle: f64) -> Vec<[f64; 3]> {
    let turn = |&[x, y, z]: &[f64; 3]| {
        let (sin, cos) = (angle * z).sin_cos();
        DVec3::new(cos * x - sin * y, sin * x + cos * y, z).to_array()
    };
    points.iter().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes::generate::bumpy_sphere;
    use crate::peers::question::Question;

    #[test]
    fn costs_are_found_again() {
        let sample = |volumes, triangles, time| {
            let stats = Stats { volume_tests: volumes, triangle_tests: triangles, ..Stats::default() };
            (stats, time)
        };
        let samples = [sample(100, 0, 700.0), sample(50, 20, 1350.0), sample(300, 5, 2350.0)];
        let [volumes, triangles] = fitted_costs(&samples);
        assert!((volumes - 7.0).abs() < 1e-9 && (triangles - 50.0).abs() < 1e-9);
        assert_eq!(fitted_costs(&[sample(10, 0, 70.0)]), [7.0, 0.0]);
        // Triangles that seem to cost less than nothing cost nothing.
        assert_eq!(fitted_costs(&[sample(100, 0, 100.0), sample(100, 100, 50.0)])[1], 0.0);
    }

    #[test]
    fn every_tree_counts_and_has_a_name_of_its_own() {
        let model = bumpy_sphere(300);
        let mesh = Mesh::new(&model.points, &model.triangles).unwrap();
        let away = Pose::from_translation(DVec3::new(2.2, 0.3, 0.1)).unwrap();
        let kinds = TreeKind::all();
        let names: std::collections::BTreeSet<String> = kinds.iter().map(TreeKind::name).collect();
        assert_eq!((kinds.len(), names.len()), (15 * 8 + 3, kinds.len()));
        for kind in kinds {
            let mut trees = kind.build(std::slice::from_ref(&mesh));
            let query = |question| Query { models: [0, 0], poses: [Pose::IDENTITY, away], question };
            let apart = trees.count(&query(Question::Distance));
            assert!(apart.volume_tests > 0 && apart.triangle_tests > 0, "{}", kind.name());
            let cost = trees.test_cost(&query(Question::FirstContact));
            assert_eq!(cost.is_none(), kind.volume == "box tree");
            assert!(cost.is_none_or(|cost| cost > 0.0));
            let moved = mesh.moved(&twisted(&model.points, 0.1)).unwrap();
            assert_eq!(trees.refit(0, &moved).unwrap().updates as usize, trees.size(0)[1]);
        }
    }

    #[test]
    fn children_of_pairs_are_counted() {
        let model = bumpy_sphere(2000);
        let mesh = Mesh::new(&model.points, &model.triangles).unwrap();
        let options = IndexOptions { descend: Descend::Both, ..IndexOptions::default() };
        let mut trees = TreeKind::of("AABB").with(options).build(&[mesh]);
        let near = Pose::from_translation(DVec3::new(1.7, 1.7, 0.0)).unwrap();
        let query = Query { models: [0, 0], poses: [Pose::IDENTITY, near], question: Question::FirstContact };
        assert!(!trees.intersects(&query), "the whole test tree is visited");
        let counts = trees.passing_children(&query);
        // Each pair that passes is visited in turn, and all but those with a leaf have four pairs of children.
        assert!(counts.iter().sum::<u64>() > 10, "{counts:?}");
    }
}
