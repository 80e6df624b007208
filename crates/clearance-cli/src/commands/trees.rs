//! Trees of bounding volumes, by their names on the command line.

use clap::ValueEnum;
use clearance::index::{
    Aabb, BoxTree, Build, Descend, Fit, Index, IndexOptions, Kdop, Kind, Lss, Obb, Rss, Sphere, SweptSphere,
    SweptSpheres,
};
use clearance_check::output::{count, thousands};
use serde::Serialize;

/// Which tree, and how it is built.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct TreeArguments {
    /// The volumes of the tree.
    #[arg(long, value_enum, value_name = "TREE", default_value_t = TreeValue::Obb)]
    pub tree: TreeValue,

    /// How triangles are grouped.
    #[arg(long, value_enum, value_name = "BUILD", default_value_t = BuildValue::Mean)]
    build: BuildValue,

    /// How volumes find their axes.
    #[arg(long, value_enum, value_name = "FIT", default_value_t = FitValue::HullSurface)]
    fit: FitValue,

    /// Groups of at most so many triangles are leaves. The box tree has one in each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    leaf: u32,
}

/// A kind of volume, or of tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TreeValue {
    /// Boxes along the axes.
    Aabb,
    /// Oriented boxes, as in RAPID.
    Obb,
    /// Spheres.
    Sphere,
    /// Spheres swept over a segment: capsules.
    Lss,
    /// Spheres swept over a rectangle, as in PQP.
    Rss,
    /// Spheres swept over a point, a segment or a rectangle: for each node the simplest that fits well.
    Swept,
    /// All three for each node; a test begins with the cheapest.
    SweptAll,
    /// Slabs along 3 directions.
    Kdop6,
    /// Slabs along 6 directions of a dodecahedron.
    Kdop12,
    /// Slabs along 7 directions.
    Kdop14,
    /// Slabs along 9 directions.
    Kdop18,
    /// Slabs along 13 directions.
    Kdop26,
    /// Slabs along 16 directions of a dodecahedron.
    Kdop32,
    /// Slabs along 31 directions of a dodecahedron.
    Kdop62,
    /// Boxes of 8 bytes, each cut from that of its parent.
    BoxTree,
}

/// As [`Build`], on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum BuildValue {
    /// Top down, across the longest axis, at the mean.
    Mean,
    /// Top down, across the longest axis, in halves.
    Median,
    /// Top down, by the surface area heuristic.
    Sah,
    /// Top down, where both volumes together are least.
    LeastVolume,
    /// Bottom up, merging near groups.
    BottomUp,
    /// Bottom up, from a sphere about each triangle.
    SpheresByTiling,
    /// Bottom up, from a sphere about the triangles of each vertex.
    SpheresByVertices,
    /// Top down, by an octree.
    SpheresByOctree,
}

/// As [`Fit`], on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FitValue {
    /// By the corners of triangles.
    Vertices,
    /// By the vertices of the convex hull.
    HullVertices,
    /// By the surface of the convex hull.
    HullSurface,
}

impl From<BuildValue> for Build {
    fn from(value: BuildValue) -> Build {
        match value {
            BuildValue::Mean => Build::MeanOnLongestAxis,
            BuildValue::Median => Build::MedianOnLongestAxis,
            BuildValue::Sah => Build::Sah,
            BuildValue::LeastVolume => Build::LeastVolume,
            BuildValue::BottomUp => Build::BottomUp,
            BuildValue::SpheresByTiling => Build::SpheresByTiling,
            BuildValue::SpheresByVertices => Build::SpheresByVertices,
            BuildValue::SpheresByOctree => Build::SpheresByOctree,
        }
    }
}

impl From<FitValue> for Fit {
    fn from(value: FitValue) -> Fit {
        match value {
            FitValue::Vertices => Fit::Vertices,
            FitValue::HullVertices => Fit::HullVertices,
            FitValue::HullSurface => Fit::HullSurface,
        }
    }
}

/// The name of a value on the command line.
pub(super) fn named(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The size of a tree.
#[derive(Debug, Serialize)]
pub(super) struct TreeSize {
    pub triangles: usize,
    pub volumes: usize,
    pub levels: usize,
    pub bytes: usize,
}

impl TreeSize {
    pub fn of<K: Kind>(index: &Index<K>) -> TreeSize {
        TreeSize {
            triangles: index.mesh().triangle_count(),
            volumes: index.node_count(),
            levels: index.levels().len(),
            bytes: index.bytes(),
        }
    }

    pub fn words(&self) -> String {
        let (triangles, volumes) = (count(self.triangles as u64, "triangle"), count(self.volumes as u64, "volume"));
        let levels = count(self.levels as u64, "level");
        format!("{triangles}, {volumes} in {levels}, {} bytes", thousands(self.bytes as u64))
    }
}

impl TreeArguments {
    pub fn options(&self, descend: Descend) -> IndexOptions {
        IndexOptions { build: self.build.into(), fit: self.fit.into(), leaf: self.leaf, descend }
    }

    /// The tree in a few words.
    pub fn words(&self) -> String {
        let leaf = if self.leaf > 1 { format!(", up to {} triangles a leaf", self.leaf) } else { String::new() };
        format!("{}, built by {}, fitted to {}{leaf}", named(self.tree), named(self.build), named(self.fit))
    }

    pub fn names(&self) -> [String; 3] {
        [named(self.tree), named(self.build), named(self.fit)]
    }
}

/// What is done with any kind of tree.
pub(super) trait WithKind {
    type Answer;

    fn run<K: Kind>(self) -> Self::Answer;
}

/// Does it with the kind of a name.
pub(super) fn with_kind<W: WithKind>(tree: TreeValue, work: W) -> W::Answer {
    match tree {
        TreeValue::Aabb => work.run::<Aabb>(),
        TreeValue::Obb => work.run::<Obb>(),
        TreeValue::Sphere => work.run::<Sphere>(),
        TreeValue::Lss => work.run::<Lss>(),
        TreeValue::Rss => work.run::<Rss>(),
        TreeValue::Swept => work.run::<SweptSphere>(),
        TreeValue::SweptAll => work.run::<SweptSpheres>(),
        TreeValue::Kdop6 => work.run::<Kdop<6>>(),
        TreeValue::Kdop12 => work.run::<Kdop<12>>(),
        TreeValue::Kdop14 => work.run::<Kdop<14>>(),
        TreeValue::Kdop18 => work.run::<Kdop<18>>(),
        TreeValue::Kdop26 => work.run::<Kdop<26>>(),
        TreeValue::Kdop32 => work.run::<Kdop<32>>(),
        TreeValue::Kdop62 => work.run::<Kdop<62>>(),
        TreeValue::BoxTree => work.run::<BoxTree>(),
    }
}
