//! Meshes with trees of bounding volumes of the caller's choice, and queries of two of them.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use clearance::answer::{Contacts, Distance};
use clearance::index::{
    Aabb, BoxTree, Build, Descend, Fit, Index, IndexOptions, Kdop, Kind, Lss, Obb, Rss, Sphere, Stats, SweptSphere,
    SweptSpheres,
};
use clearance::query::{ContactsOptions, DistanceOptions, IntersectsOptions};
use clearance::{Error, Mesh, Pose, Shape, Workspace};
use pyo3::prelude::*;

use crate::answer::{Answered, OfBodies};
use crate::error::{option_of, refused, wrong};
use crate::pair::{Pair, with_workspace};
use crate::pose::pose_of;
use crate::shape::{PyShape, shape_of};
use crate::work::sized;

/// The trees by their names, those of `clearance explain --tree`, and how each is built.
const TREES: [(&str, Make); 15] = [
    ("aabb", make::<Aabb>),
    ("obb", make::<Obb>),
    ("sphere", make::<Sphere>),
    ("lss", make::<Lss>),
    ("rss", make::<Rss>),
    ("swept", make::<SweptSphere>),
    ("swept-all", make::<SweptSpheres>),
    ("kdop6", make::<Kdop<6>>),
    ("kdop12", make::<Kdop<12>>),
    ("kdop14", make::<Kdop<14>>),
    ("kdop18", make::<Kdop<18>>),
    ("kdop26", make::<Kdop<26>>),
    ("kdop32", make::<Kdop<32>>),
    ("kdop62", make::<Kdop<62>>),
    ("box-tree", make::<BoxTree>),
];

const BUILDS: [(&str, Build); 8] = [
    ("mean", Build::MeanOnLongestAxis),
    ("median", Build::MedianOnLongestAxis),
    ("sah", Build::Sah),
    ("least-volume", Build::LeastVolume),
    ("bottom-up", Build::BottomUp),
    ("spheres-by-tiling", Build::SpheresByTiling),
    ("spheres-by-vertices", Build::SpheresByVertices),
    ("spheres-by-octree", Build::SpheresByOctree),
];

const FITS: [(&str, Fit); 3] =
    [("vertices", Fit::Vertices), ("hull-vertices", Fit::HullVertices), ("hull-surface", Fit::HullSurface)];

const DESCENDS: [(&str, Descend); 2] = [("larger", Descend::Larger), ("both", Descend::Both)];

type Make = fn(&Mesh, &IndexOptions) -> Arc<dyn AnyIndex>;

fn make<K: Kind>(mesh: &Mesh, options: &IndexOptions) -> Arc<dyn AnyIndex>
where
    Index<K>: Send + Sync,
{
    Arc::new(Index::<K>::new(mesh, options))
}

/// An index of any kind.
trait AnyIndex: Any + Send + Sync {
    fn mesh(&self) -> &Mesh;
    fn bytes(&self) -> usize;
    fn node_count(&self) -> usize;
    fn level_count(&self) -> usize;
    fn refitted(&self, mesh: &Mesh, stats: &mut Stats) -> Result<Arc<dyn AnyIndex>, Error>;

    /// Asks a question about this as A and another one of the same kind as B; nothing if that is of another kind.
    fn ask(
        &self,
        place: [&Pose; 2],
        b: &dyn AnyIndex,
        question: &mut Question,
        workspace: &mut Workspace,
        stats: &mut Stats,
    );
}

/// A question and its answer.
enum Question {
    Intersects(IntersectsOptions, Option<bool>),
    Distance(DistanceOptions, Option<Distance>),
    Contacts(ContactsOptions, Option<Contacts>),
}

impl<K: Kind> AnyIndex for Index<K>
where
    Index<K>: Send + Sync,
{
    fn mesh(&self) -> &Mesh {
        Index::mesh(self)
    }

    fn bytes(&self) -> usize {
        Index::bytes(self)
    }

    fn node_count(&self) -> usize {
        Index::node_count(self)
    }

    fn level_count(&self) -> usize {
        self.levels().len()
    }

    fn refitted(&self, mesh: &Mesh, stats: &mut Stats) -> Result<Arc<dyn AnyIndex>, Error> {
        let mut index = self.clone();
        index.refit_with(mesh, stats)?;
        Ok(Arc::new(index))
    }

    fn ask(
        &self,
        [pose_a, pose_b]: [&Pose; 2],
        b: &dyn AnyIndex,
        question: &mut Question,
        workspace: &mut Workspace,
        stats: &mut Stats,
    ) {
        let Some(b) = (b as &dyn Any).downcast_ref::<Index<K>>() else { return };
        match question {
            Question::Intersects(options, found) => {
                *found = Some(self.intersects_with(pose_a, b, pose_b, options, workspace, stats));
            }
            Question::Distance(options, found) => {
                *found = Some(self.distance_with(pose_a, b, pose_b, options, workspace, stats));
            }
            Question::Contacts(options, found) => {
                let mut contacts = Contacts::default();
                self.contacts_with(pose_a, b, pose_b, options, workspace, stats, &mut contacts);
                *found = Some(contacts);
            }
        }
    }
}

/// A mesh with a tree of bounding volumes of your choice: `intersects`, `distance` and `contacts` accept two of the same
/// tree in place of two meshes. The answers are the same; which way they are found differs.
///
/// `tree`: "aabb", "obb", "sphere", "lss", "rss", "swept", "swept-all", "kdop6", "kdop12", "kdop14", "kdop18", "kdop26",
/// "kdop32", "kdop62" or "box-tree". `build`, how triangles are grouped: "mean", "median", "sah", "least-volume",
/// "bottom-up", "spheres-by-tiling", "spheres-by-vertices" or "spheres-by-octree". `fit`, how volumes find their axes:
/// "vertices", "hull-vertices" or "hull-surface". `leaf`: groups of at most so many triangles are leaves. `descend`,
/// which node of a pair a query opens: "larger" or "both".
#[pyclass(frozen, name = "Index", module = "clearance")]
pub struct PyIndex {
    tree: &'static str,
    build: &'static str,
    state: RwLock<State>,
}

/// The tree, and the object of the mesh that it is fitted to.
struct State {
    index: Arc<dyn AnyIndex>,
    mesh: Py<PyShape>,
}

/// The word of a table that was given.
fn word(given: &str, words: &[&'static str]) -> &'static str {
    words.iter().find(|word| **word == given).copied().unwrap_or_default()
}

/// The mesh of an argument.
fn mesh_of(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Py<PyShape>> {
    let shape = shape_of(argument, name)?;
    match shape.get().shape {
        Shape::Mesh(_) => Ok(shape),
        _ => Err(wrong(argument.py(), name, "not a mesh: only meshes have trees of triangles")),
    }
}

impl PyIndex {
    fn index(&self) -> Arc<dyn AnyIndex> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).index.clone()
    }
}

#[pymethods]
impl PyIndex {
    #[new]
    #[pyo3(signature = (mesh, tree="obb", *, build="mean", fit="hull-surface", leaf=1, descend="larger"))]
    fn new(mesh: &Bound<'_, PyAny>, tree: &str, build: &str, fit: &str, leaf: u32, descend: &str) -> PyResult<PyIndex> {
        let py = mesh.py();
        let shape = mesh_of(mesh, "mesh")?;
        let make = option_of(py, "tree", tree, &TREES)?;
        let options = IndexOptions {
            build: option_of(py, "build", build, &BUILDS)?,
            fit: option_of(py, "fit", fit, &FITS)?,
            leaf,
            descend: option_of(py, "descend", descend, &DESCENDS)?,
        };
        if leaf == 0 {
            return Err(wrong(py, "leaf", "0 triangles: a leaf has one at least"));
        }
        let Shape::Mesh(given) = &shape.get().shape else { return Err(wrong(py, "mesh", "not a mesh")) };
        let index = sized(py, given.triangle_count(), || make(given, &options))?;
        let (tree, build) = (word(tree, &TREES.map(|(name, _)| name)), word(build, &BUILDS.map(|(name, _)| name)));
        Ok(PyIndex { tree, build, state: RwLock::new(State { index, mesh: shape }) })
    }

    /// The mesh: the one that the index was made of, or last refitted to.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> Py<PyShape> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).mesh.clone_ref(py)
    }

    /// The name of the tree.
    #[getter]
    fn tree(&self) -> &'static str {
        self.tree
    }

    /// Memory of the tree, in bytes, without the mesh.
    #[getter]
    fn bytes(&self) -> usize {
        self.index().bytes()
    }

    /// The number of volumes of the tree.
    #[getter]
    fn node_count(&self) -> usize {
        self.index().node_count()
    }

    /// The number of levels of the tree.
    #[getter]
    fn level_count(&self) -> usize {
        self.index().level_count()
    }

    /// Adapts the tree to a mesh with the same triangles and moved points, such as one from `Mesh.moved`: much faster
    /// than a new index, and as tight as long as neighbours stay so. With `stats`, the volumes fitted anew are added to
    /// `stats.nu`.
    ///
    /// Raises `ClearanceError` for another mesh; the index is then unchanged.
    #[pyo3(signature = (mesh, *, stats=None))]
    fn refit(&self, mesh: &Bound<'_, PyAny>, stats: Option<&Bound<'_, PyStats>>) -> PyResult<()> {
        let (py, shape) = (mesh.py(), mesh_of(mesh, "mesh")?);
        let Shape::Mesh(given) = &shape.get().shape else { return Err(wrong(py, "mesh", "not a mesh")) };
        let (index, mut counts) = (self.index(), Stats::default());
        let fitted = sized(py, given.triangle_count(), || index.refitted(given, &mut counts))?;
        let index = fitted.map_err(|error| refused(py, "mesh", &error))?;
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = State { index, mesh: shape };
        if let Some(stats) = stats {
            stats.get().add(counts);
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        let index = self.index();
        let (triangles, volumes) = (index.mesh().triangle_count(), index.node_count());
        format!("Index({triangles} triangles, tree='{}', build='{}', {volumes} volumes)", self.tree, self.build)
    }
}

/// What queries of two indices did, for the cost equation T = Nv Cv + Np Cp + Nu Cu: passed to them as `stats`, and
/// added up over all to which it is passed.
#[pyclass(frozen, name = "Stats", module = "clearance")]
#[derive(Default)]
pub struct PyStats {
    counts: Mutex<Stats>,
}

impl PyStats {
    fn counts(&self) -> Stats {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, more: Stats) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.volume_tests += more.volume_tests;
        counts.triangle_tests += more.triangle_tests;
        counts.updates += more.updates;
    }
}

#[pymethods]
impl PyStats {
    #[new]
    fn new() -> PyStats {
        PyStats::default()
    }

    /// Pairs of volumes compared.
    #[getter]
    fn nv(&self) -> u64 {
        self.counts().volume_tests
    }

    /// Pairs of triangles compared.
    #[getter]
    fn np(&self) -> u64 {
        self.counts().triangle_tests
    }

    /// Volumes fitted anew, by `Index.refit`.
    #[getter]
    fn nu(&self) -> u64 {
        self.counts().updates
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyStats>().is_ok_and(|other| other.get().counts() == self.counts())
    }

    fn __repr__(&self) -> String {
        let Stats { volume_tests, triangle_tests, updates } = self.counts();
        format!("Stats(nv={volume_tests}, np={triangle_tests}, nu={updates})")
    }
}

/// Two indices, each with its pose, and who counts.
pub struct Indexed<'a> {
    pair: Pair,
    indices: [Arc<dyn AnyIndex>; 2],
    stats: Option<&'a PyStats>,
}

impl<'a> Indexed<'a> {
    /// From the arguments of a query; nothing if neither body is an index.
    pub fn of(
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        pose_a: Option<&Bound<'_, PyAny>>,
        pose_b: Option<&Bound<'_, PyAny>>,
        stats: Option<&'a Bound<'_, PyStats>>,
    ) -> PyResult<Option<Indexed<'a>>> {
        let py = a.py();
        let (index_a, index_b) = match (a.cast::<PyIndex>(), b.cast::<PyIndex>()) {
            (Ok(index_a), Ok(index_b)) => (index_a.get(), index_b.get()),
            (Err(_), Err(_)) if stats.is_none() => return Ok(None),
            (Err(_), Err(_)) => {
                return Err(wrong(
                    py,
                    "stats",
                    "only queries of two clearance.Index are counted: make one of each mesh",
                ));
            }
            (Ok(index), Err(_)) => return Err(not_an_index(py, "b", b, index.get())?),
            (Err(_), Ok(index)) => return Err(not_an_index(py, "a", a, index.get())?),
        };
        if index_a.tree != index_b.tree {
            let problem = format_args!(
                "an index with the tree '{}', but a has '{}': a query needs two of the same",
                index_b.tree, index_a.tree
            );
            return Err(wrong(py, "b", problem));
        }
        // The mesh and the tree of one moment, whatever another thread refits.
        let now = |index: &PyIndex| {
            let state = index.state.read().unwrap_or_else(PoisonError::into_inner);
            (state.mesh.clone_ref(py), state.index.clone())
        };
        let ((mesh_a, tree_a), (mesh_b, tree_b)) = (now(index_a), now(index_b));
        let (pose_a, pose_b) = (pose_of(py, pose_a, "pose_a")?, pose_of(py, pose_b, "pose_b")?);
        let pair = Pair { a: mesh_a, pose_a, b: mesh_b, pose_b };
        Ok(Some(Indexed { pair, indices: [tree_a, tree_b], stats: stats.map(|stats| stats.get()) }))
    }

    /// Asks a question, and adds up what it took.
    fn put(&self, py: Python<'_>, mut question: Question) -> PyResult<Question> {
        let [a, b] = &self.indices;
        let asked = self.pair.put(py, |view| {
            let mut counts = Stats::default();
            with_workspace(|workspace| {
                a.ask([view.pose_a, view.pose_b], &**b, &mut question, workspace, &mut counts);
            });
            (question, counts)
        });
        let (answered, counts) = asked?;
        if let Some(stats) = self.stats {
            stats.add(counts);
        }
        Ok(answered)
    }

    pub fn intersects(self, py: Python<'_>, options: IntersectsOptions) -> PyResult<bool> {
        match self.put(py, Question::Intersects(options, None))? {
            Question::Intersects(_, Some(found)) => Ok(found),
            _ => Err(other_kind(py)),
        }
    }

    pub fn distance<C>(self, py: Python<'_>, options: DistanceOptions) -> PyResult<C>
    where
        C: Answered<Answer = Distance, Question = Pair>,
    {
        match self.put(py, Question::Distance(options, None))? {
            Question::Distance(_, Some(found)) => Ok(C::of(found, self.pair)),
            _ => Err(other_kind(py)),
        }
    }

    pub fn contacts<C>(self, py: Python<'_>, options: ContactsOptions) -> PyResult<C>
    where
        C: Answered<Answer = Contacts, Question = Pair>,
    {
        match self.put(py, Question::Contacts(options, None))? {
            Question::Contacts(_, Some(found)) => Ok(C::of(found, self.pair)),
            _ => Err(other_kind(py)),
        }
    }
}

/// The error for a body beside an index.
fn not_an_index(py: Python<'_>, argument: &str, given: &Bound<'_, PyAny>, index: &PyIndex) -> PyResult<PyErr> {
    let (kind, tree) = (given.get_type().name()?, index.tree);
    let problem = format_args!("expected an Index with the tree '{tree}', as the other body is one, got a {kind}");
    Ok(wrong(py, argument, problem))
}

fn other_kind(py: Python<'_>) -> PyErr {
    wrong(py, "b", "an index with another tree than a's")
}
