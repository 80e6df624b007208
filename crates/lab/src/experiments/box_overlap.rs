//! Two boxes: separating axes against everything else that says whether they overlap.
//!
//! Reproduces tables 1 and 2 of Gottschalk, Lin, Manocha, *OBBTree* (SIGGRAPH 1996): the operations of the test by 15
//! axes, for boxes and rectangles; its time beside that of closest features and of a linear program after Seidel,
//! published as 1 : 10.6 : 34.7. And the comparison of Zachmann (2002) with tests of one tree in the frame of another:
//! six axes, spheres, realignment.
//!
//! Ours is the test of `index::Obb`, in one frame, with the slack that makes `false` a proof. The others, in the place
//! of the peer, so that a ratio above 1 says that ours is faster:
//! - `15 axes, bare`: the published test, without a slack, from the same boxes;
//! - `6 axes`: `index::Aabb` with the rotation of the query known, as between two trees of such boxes;
//! - `sphere`: `index::Sphere` about the boxes;
//! - `gjk`, `exact axes`: the engine's `intersects` of two boxes, exact, poses and all; `gjk distance` its `distance`;
//! - `linear program`: the twelve faces, in floating point;
//! - `rss`: the rectangle swept sphere about the box;
//! - `quaternion`, `f32`, `f32 quaternion`: the bare test of boxes unpacked from 80, 60 and 40 bytes in place of 120,
//!   rounded outward.
//!
//! The answers to all pairs are checked against the exact one; time is taken over the first of them. A test that may
//! err to one side is wrong only on the other: a separated pair that it does not part is counted in `missed`. The
//! linear program is wrong where it disagrees beyond 1e-9.
//!
//! `realign` steps down two restricted box trees: each query moves one face of either box. Beside it the six axes of
//! the same boxes, computed afresh.

use std::hint::black_box;

use clearance::glam::{DMat3, DQuat, DVec3};
use clearance::index::{Aabb, Bound, Fit, Obb, RelativePose, Rss, Sphere};
use clearance::query::{
    DistanceOptions, IntersectsAlgorithm, IntersectsOptions, PairCache, Workspace, distance_with, intersects_with,
};
use clearance::{Pose, Shape};
use serde_json::{Value, json};

use super::{Experiment, Flag, Options};
use crate::digest::Digest;
use crate::error::LabError;
use crate::linear_program::{HalfSpace, is_feasible};
use crate::measure::{Plan, Timing, race};
use crate::models::Random;
use crate::report::{Goal, Peer, Report, Row, rounded};
use crate::separating_axes::{self, InFirst, Operations};

/// The entry in the list of experiments.
pub const EXPERIMENT: Experiment = Experiment {
    name: "box-overlap",
    about: "whether two boxes overlap: 15 and 6 axes, realignment, spheres, GJK, Seidel's linear program; operations",
    flags: &[Flag::Quick, Flag::Seed],
    run,
};

/// How much slower than the separating axes closest features and linear programs were published to be.
const PUBLISHED: [f64; 2] = [10.6, 34.7];

/// A box as it is stored: in 120 bytes, or unpacked from fewer.
#[derive(Clone, Copy, Debug)]
struct Plain {
    axes: DMat3,
    center: DVec3,
    half: DVec3,
}

impl Plain {
    /// The half extents that still hold the box when its numbers are rounded by a relative error.
    fn padded(&self, error: f64) -> DVec3 {
        self.half + DVec3::splat(8.0 * error * (self.center.length() + self.half.length()))
    }

    /// Both boxes in the axes of the first.
    #[inline(always)]
    fn in_first(&self, b: &Plain) -> InFirst {
        let back = self.axes.transpose();
        let axes = [b.axes.x_axis, b.axes.y_axis, b.axes.z_axis].map(|axis| (back * axis).to_array());
        let apart = (back * (b.center - self.center)).to_array();
        InFirst { apart, axes, half: [self.half.to_array(), b.half.to_array()] }
    }

    #[inline(always)]
    fn overlaps(&self, b: &Plain) -> bool {
        separating_axes::overlap::<false, false>(&mut (), &self.in_first(b))
    }
}

/// Axes by a quaternion.
#[derive(Clone, Copy)]
struct Turned {
    turn: [f64; 4],
    center: [f64; 3],
    half: [f64; 3],
}

/// Single precision.
#[derive(Clone, Copy)]
struct Single {
    axes: [[f32; 3]; 3],
    center: [f32; 3],
    half: [f32; 3],
}

/// Both.
#[derive(Clone, Copy)]
struct SingleTurned {
    turn: [f32; 4],
    center: [f32; 3],
    half: [f32; 3],
}

/// Rounding errors of packed numbers, with what unpacking adds.
const PACKED: [f64; 2] = [8.0 * f64::EPSILON, 8.0 * f32::EPSILON as f64];

fn single(v: DVec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

fn double(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

impl Turned {
    fn pack(plain: &Plain) -> Turned {
        let half = plain.padded(PACKED[0]).to_array();
        Turned { turn: DQuat::from_mat3(&plain.axes).to_array(), center: plain.center.to_array(), half }
    }

    #[inline(always)]
    fn unpack(&self) -> Plain {
        let axes = DMat3::from_quat(DQuat::from_array(self.turn));
        Plain { axes, center: DVec3::from_array(self.center), half: DVec3::from_array(self.half) }
    }
}

impl Single {
    fn pack(plain: &Plain) -> Single {
        let axes = [plain.axes.x_axis, plain.axes.y_axis, plain.axes.z_axis].map(single);
        Single { axes, center: single(plain.center), half: single(plain.padded(PACKED[1])) }
    }

    #[inline(always)]
    fn unpack(&self) -> Plain {
        let [x, y, z] = self.axes.map(double);
        Plain { axes: DMat3::from_cols(x, y, z), center: double(self.center), half: double(self.half) }
    }
}

impl SingleTurned {
    fn pack(plain: &Plain) -> SingleTurned {
        let turn = DQuat::from_mat3(&plain.axes).to_array().map(|x| x as f32);
        SingleTurned { turn, center: single(plain.center), half: single(plain.padded(PACKED[1])) }
    }

    #[inline(always)]
    fn unpack(&self) -> Plain {
        let axes = DMat3::from_quat(DQuat::from_array(self.turn.map(f64::from)));
        Plain { axes, center: double(self.center), half: double(self.half) }
    }
}

/// Two boxes, in every form that a side of a race takes.
struct Pair {
    poses: [Pose; 2],
    shapes: [Shape; 2],
    obb: [Obb; 2],
    plain: [Plain; 2],
    turned: [Turned; 2],
    single: [Single; 2],
    single_turned: [SingleTurned; 2],
    /// About the boxes' own origins, for the relation below.
    aabb: [Aabb; 2],
    relation: RelativePose,
    sphere: [Sphere; 2],
    rss: [Rss; 2],
    /// The faces of both, in an order of their own.
    faces: [HalfSpace<3>; 12],
}

impl Pair {
    fn new(poses: [Pose; 2], halves: [DVec3; 2]) -> Result<Pair, clearance::Error> {
        let both = [0, 1];
        let obb = [Obb::new(&poses[0], halves[0])?, Obb::new(&poses[1], halves[1])?];
        let plain = obb.map(|b| Plain { axes: b.rotation(), center: b.center(), half: b.half_extents() });
        let aabb = halves.map(|half| Aabb::new(-half, half));
        let mut faces = Vec::new();
        for k in 0..3 {
            for (side, sign) in [(0, 1.0), (1, 1.0), (0, -1.0), (1, -1.0)] {
                let Plain { axes, center, half } = plain[side];
                let normal = axes.col(k) * sign;
                faces.push(HalfSpace { normal: normal.to_array(), offset: normal.dot(center) + half[k] });
            }
        }
        Ok(Pair {
            shapes: [Shape::cuboid(halves[0])?, Shape::cuboid(halves[1])?],
            turned: plain.map(|p| Turned::pack(&p)),
            single: plain.map(|p| Single::pack(&p)),
            single_turned: plain.map(|p| SingleTurned::pack(&p)),
            relation: RelativePose::new(&poses[0], &poses[1], aabb[0].reach(), aabb[1].reach()),
            sphere: both.map(|k| Sphere { center: plain[k].center, radius: halves[k].length() * (1.0 + 1e-15) }),
            rss: obb.map(|b| Rss::fit(&b.corners(), Fit::Vertices)),
            faces: std::array::from_fn(|k| faces[k]),
            poses,
            obb,
            plain,
            aabb,
        })
    }
}

/// The pairs of a row, without end: independent, or along a path.
struct Pairs {
    random: Random,
    coherent: bool,
    count: usize,
    /// The current path: rotations, axes of turning, half extents, position, velocity.
    start: [DQuat; 2],
    spin: [DVec3; 2],
    halves: [DVec3; 2],
    place: [DVec3; 2],
}

/// Pairs along one path.
const PATH: usize = 500;

impl Pairs {
    fn new(seed: u64, coherent: bool) -> Pairs {
        let random = Random::new(seed, 8000 + u64::from(coherent));
        let (start, zero) = ([DQuat::IDENTITY; 2], [DVec3::ZERO; 2]);
        Pairs { random, coherent, count: 0, start, spin: zero, halves: zero, place: zero }
    }

    /// The next pair: half extents from 0.1 to 1, centres up to 2.4 apart.
    fn step(&mut self) -> Result<Pair, clearance::Error> {
        let step = if self.coherent { self.count % PATH } else { 0 };
        if step == 0 {
            let random = &mut self.random;
            self.start = [random.rotation(), random.rotation()];
            self.spin = [random.direction(), random.direction()];
            let mut half = || DVec3::new(random.between(0.1, 1.0), random.between(0.1, 1.0), random.between(0.1, 1.0));
            self.halves = [half(), half()];
            let from = random.direction() * random.between(0.0, 2.4);
            self.place = [from, random.direction() * random.between(0.0, 2.4) - from];
        }
        self.count += 1;
        let s = step as f64 / PATH as f64;
        let turn = |k: usize| DQuat::from_axis_angle(self.spin[k], 2.0 * s) * self.start[k];
        let place = self.place[0] + self.place[1] * s;
        let poses = [Pose::from_quat(turn(0), DVec3::ZERO)?, Pose::from_quat(turn(1), place)?];
        Pair::new(poses, self.halves)
    }
}

/// The tests that are raced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Obb,
    Bare,
    SixAxes,
    Sphere,
    Rss,
    Gjk,
    ExactAxes,
    GjkDistance,
    LinearProgram,
    Quaternion,
    Single,
    SingleQuaternion,
}

impl Test {
    const PEERS: [Test; 11] = [
        Test::Bare,
        Test::SixAxes,
        Test::Sphere,
        Test::Rss,
        Test::Gjk,
        Test::ExactAxes,
        Test::GjkDistance,
        Test::LinearProgram,
        Test::Quaternion,
        Test::Single,
        Test::SingleQuaternion,
    ];

    fn name(self) -> &'static str {
        match self {
            Test::Obb => "obb",
            Test::Bare => "15 axes, bare",
            Test::SixAxes => "6 axes",
            Test::Sphere => "sphere",
            Test::Rss => "rss",
            Test::Gjk => "gjk",
            Test::ExactAxes => "exact axes",
            Test::GjkDistance => "gjk distance",
            Test::LinearProgram => "linear program",
            Test::Quaternion => "quaternion, 80 bytes",
            Test::Single => "f32, 60 bytes",
            Test::SingleQuaternion => "f32 quaternion, 40 bytes",
        }
    }

    /// Whether `false` is a proof, or at least right up to rounding, while `true` says little.
    fn errs_to_overlap(self) -> bool {
        let exact = matches!(self, Test::Gjk | Test::ExactAxes | Test::GjkDistance | Test::LinearProgram);
        !exact
    }
}

/// The memory of a side.
#[derive(Default)]
struct Side {
    cache: PairCache,
    workspace: Workspace,
}

impl Side {
    #[inline(always)]
    fn overlaps(&mut self, test: Test, pair: &Pair, common: &RelativePose) -> bool {
        match test {
            Test::Obb => pair.obb[0].overlaps(&pair.obb[1], common),
            Test::Bare => pair.plain[0].overlaps(&pair.plain[1]),
            Test::SixAxes => Bound::overlaps(&pair.aabb[0], &pair.aabb[1], &pair.relation),
            Test::Sphere => pair.sphere[0].overlaps(&pair.sphere[1], common),
            Test::Rss => pair.rss[0].overlaps(&pair.rss[1], common),
            Test::Gjk => self.intersects(pair, IntersectsAlgorithm::Gjk),
            Test::ExactAxes => self.intersects(pair, IntersectsAlgorithm::SeparatingAxes),
            Test::GjkDistance => {
                let [a, b] = &pair.shapes;
                let [pose_a, pose_b] = &pair.poses;
                let Side { cache, workspace } = self;
                distance_with(a, pose_a, b, pose_b, &DistanceOptions::default(), cache, workspace).gap.lower <= 0.0
            }
            Test::LinearProgram => is_feasible(&pair.faces, 8.0),
            Test::Quaternion => pair.turned[0].unpack().overlaps(&pair.turned[1].unpack()),
            Test::Single => pair.single[0].unpack().overlaps(&pair.single[1].unpack()),
            Test::SingleQuaternion => pair.single_turned[0].unpack().overlaps(&pair.single_turned[1].unpack()),
        }
    }

    fn intersects(&mut self, pair: &Pair, algorithm: IntersectsAlgorithm) -> bool {
        let options = IntersectsOptions { algorithm, ..IntersectsOptions::default() };
        let ([a, b], [pose_a, pose_b]) = (&pair.shapes, &pair.poses);
        intersects_with(a, pose_a, b, pose_b, &options, &mut self.cache, &mut self.workspace)
    }
}

/// What checking one test found.
#[derive(Clone, Copy, Default)]
struct Checked {
    wrong: u64,
    /// Separated pairs that it did not part.
    missed: u64,
}

/// Checks all tests over all pairs: of each the wrong answers, how many pairs overlap, and a hash of our answers.
fn check(kind: bool, count: usize, seed: u64, common: &RelativePose) -> Result<(Vec<Checked>, u64, Digest), LabError> {
    let mut pairs = Pairs::new(seed, kind);
    let mut found = vec![Checked::default(); 1 + Test::PEERS.len()];
    let (mut truth_side, mut side) = (Side::default(), Side::default());
    let (mut overlapping, mut answers) = (0, Digest::default());
    for number in 0..count {
        let pair = pairs.step()?;
        if !kind || number.is_multiple_of(PATH) {
            truth_side.cache = PairCache::default();
            side.cache = PairCache::default();
        }
        let truth = truth_side.intersects(&pair, IntersectsAlgorithm::default());
        overlapping += u64::from(truth);
        for (test, checked) in std::iter::once(Test::Obb).chain(Test::PEERS).zip(&mut found) {
            let said = side.overlaps(test, &pair, common);
            if test == Test::Obb {
                answers.note(&number, &said);
            }
            if said == truth {
                continue;
            }
            let ours_to_err = test.errs_to_overlap() && said;
            checked.missed += u64::from(ours_to_err);
            checked.wrong += u64::from(!ours_to_err && !is_close(&mut truth_side, test, &pair));
        }
    }
    Ok((found, overlapping, answers))
}

/// Whether floating point may answer either way: tests without a slack, of boxes that nearly touch.
fn is_close(side: &mut Side, test: Test, pair: &Pair) -> bool {
    if !matches!(test, Test::LinearProgram | Test::Bare | Test::GjkDistance) {
        return false;
    }
    let ([a, b], [pose_a, pose_b]) = (&pair.shapes, &pair.poses);
    let Side { cache, workspace } = side;
    let apart = distance_with(a, pose_a, b, pose_b, &DistanceOptions::default(), cache, workspace).gap.upper;
    let depth = clearance::penetration(a, pose_a, b, pose_b).map_or(0.0, |found| found.depth.upper);
    apart < 1e-9 && depth < 1e-9
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Report, LabError> {
    let (checked, plan) = if options.quick {
        (4_000, Plan { queries: 1_000, batch: 500, repeats: 3 })
    } else {
        (1_000_000, Plan { queries: 20_000, batch: 2_000, repeats: 15 })
    };
    let common = RelativePose::new(&Pose::IDENTITY, &Pose::IDENTITY, 8.0, 8.0);
    let mut rows = operation_rows();
    let mut cases = rows.len() as u64;
    let mut ratios = Vec::new();
    for (kind, name) in [(false, "random"), (true, "coherent")] {
        let (found, overlapping, answers) = check(kind, checked, options.seed, &common)?;
        cases += checked as u64;
        let mut pairs = Pairs::new(options.seed, kind);
        let timed: Vec<Pair> = (0..plan.queries).map(|_| pairs.step()).collect::<Result<_, _>>()?;
        for (test, judged) in Test::PEERS.into_iter().zip(&found[1..]) {
            let timing = time(test, kind, &timed, plan, &common);
            if let (false, Some(theirs)) = (kind, timing.theirs) {
                ratios.push((test, theirs.ratio));
            }
            let more = vec![
                ("overlapping", json!(overlapping)),
                ("missed", json!(found[0].missed)),
                ("their_missed", json!(judged.missed)),
            ];
            let case = format!("{name}, {}", test.name());
            rows.push(row(case, &timing, test.name(), found[0].wrong + judged.wrong, answers, more));
        }
    }
    let (realigned, steps) = realignment(options, plan)?;
    cases += steps;
    rows.push(realigned);
    let ratio = |test: Test| ratios.iter().find(|known| known.0 == test).map_or(0.0, |known| rounded(known.1, 2));
    let seen = [ratio(Test::GjkDistance), ratio(Test::LinearProgram)];
    let mut report = Report::plain(EXPERIMENT.name, rows, cases, 1);
    report.more = vec![
        ("published_ratios", json!([1.0, PUBLISHED[0], PUBLISHED[1]])),
        ("ratios", json!([1.0, seen[0], seen[1]])),
    ];
    report.goals = vec![Goal {
        goal: "1 : closest features : linear program, at least as published, 1 : 10.6 : 34.7".into(),
        seen: json!(format!("1 : {} : {}", seen[0], seen[1])),
        met: seen[0] >= PUBLISHED[0] && seen[1] >= PUBLISHED[1],
    }];
    Ok(report)
}

fn time(test: Test, coherent: bool, pairs: &[Pair], plan: Plan, common: &RelativePose) -> Timing {
    let (mut ours, mut theirs) = (Side::default(), Side::default());
    race(
        plan,
        |number| {
            black_box(ours.overlaps(Test::Obb, black_box(&pairs[number]), common));
        },
        Some(|number: usize| {
            if !coherent || number.is_multiple_of(PATH) {
                theirs.cache = PairCache::default();
            }
            black_box(theirs.overlaps(test, black_box(&pairs[number]), common));
        }),
    )
}

fn row(
    case: String,
    timing: &Timing,
    name: &'static str,
    wrong: u64,
    answers: Digest,
    more: Vec<(&'static str, Value)>,
) -> Row {
    let peer = timing.theirs.map(|theirs| Peer {
        name,
        theirs: rounded(theirs.side.median, 2),
        ratio: rounded(theirs.ratio, 3),
        worst_ratio: rounded(theirs.worst_ratio, 3),
    });
    Row { case, ours: rounded(timing.ours.median, 2), unit: "ns", peer, wrong, answers, more }
}

/// The operations of the test of boxes that overlap, beside those published: comparisons, additions, multiplications,
/// absolute values.
fn operation_rows() -> Vec<Row> {
    let pair = |flat: [bool; 2]| InFirst {
        apart: [0.0; 3],
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        half: flat.map(|flat| [1.0, 1.0, if flat { 0.0 } else { 1.0 }]),
    };
    let mut counts = [Operations::default(); 3];
    separating_axes::overlap::<false, false>(&mut counts[0], &pair([false, false]));
    separating_axes::overlap::<false, true>(&mut counts[1], &pair([false, true]));
    separating_axes::overlap::<true, true>(&mut counts[2], &pair([true, true]));
    let published = [[15, 60, 81, 24], [15, 50, 72, 24], [15, 40, 63, 24]];
    let names = ["box against box", "box against rectangle", "rectangle against rectangle"];
    let row = |((count, published), name): ((Operations, [u32; 4]), &str)| {
        let Operations { comparisons, additions, multiplications, absolutes } = count;
        let seen = [comparisons, additions, multiplications, absolutes];
        let mut answers = Digest::default();
        seen.iter().for_each(|count| answers.push(&u64::from(*count)));
        Row {
            case: format!("operations, {name}"),
            ours: f64::from(count.total()),
            unit: "operations",
            peer: None,
            wrong: u64::from(seen != published),
            answers,
            more: vec![("counted", json!(seen)), ("published", json!(published))],
        }
    };
    counts.into_iter().zip(published).zip(names).map(row).collect()
}

/// A box and the box about it in the axes of another frame, as two restricted box trees keep them.
#[derive(Clone, Copy)]
struct Aligned {
    own: Aabb,
    about: Aabb,
}

impl Aligned {
    /// Moves one face; of the box about it one face along each axis moves with it. The columns of `turn` are the axes
    /// of the box's own frame in the other one.
    #[inline(always)]
    fn cut(&mut self, axis: usize, upper: bool, by: f64, turn: &DMat3) {
        let column = turn.col(axis);
        let (delta, away) = if upper {
            self.own.max[axis] -= by;
            (column * -by, column.cmpgt(DVec3::ZERO))
        } else {
            self.own.min[axis] += by;
            (column * by, column.cmplt(DVec3::ZERO))
        };
        self.about.max += DVec3::select(away, delta, DVec3::ZERO);
        self.about.min += DVec3::select(away, DVec3::ZERO, delta);
    }
}

/// A step down two trees: the face that moves of either box.
#[derive(Clone, Copy)]
struct Step {
    axis: [usize; 2],
    upper: [bool; 2],
    by: [f64; 2],
}

/// Levels of a path down two trees.
const LEVELS: usize = 16;

/// Steps down two trees: realignment against the six axes of the same boxes.
fn realignment(options: &Options, plan: Plan) -> Result<(Row, u64), LabError> {
    let mut random = Random::new(options.seed, 8100);
    let pose = Pose::from_quat(random.rotation(), random.direction() * 1.2)?;
    let (turn, back) = (pose.rotation(), pose.rotation().transpose());
    let whole = Aabb::new(DVec3::NEG_ONE, DVec3::ONE);
    let from_a = Pose::new(back, -(back * pose.translation()))?;
    // Of A in the axes of B, and of B in the axes of A.
    let root = [Aligned { own: whole, about: whole.posed(&from_a) }, Aligned { own: whole, about: whole.posed(&pose) }];
    let relation = RelativePose::new(&Pose::IDENTITY, &pose, whole.reach(), whole.reach());
    let mut steps = Vec::with_capacity(plan.queries);
    let mut boxes: Vec<[Aabb; 2]> = Vec::with_capacity(plan.queries);
    let mut state = root;
    for number in 0..plan.queries {
        if number.is_multiple_of(LEVELS) {
            state = root;
        }
        let mut axis = || (random.bits() % 3) as usize;
        let axis = [axis(), axis()];
        let upper = [random.bits().is_multiple_of(2), random.bits().is_multiple_of(2)];
        let by = [0, 1].map(|k| state[k].own.size()[axis[k]] * random.between(0.2, 0.6));
        let step = Step { axis, upper, by };
        descend(&mut state, &step, [&back, &turn]);
        steps.push(step);
        boxes.push([state[0].own, state[1].own]);
    }
    let slack = relation.slack();
    let mut state = root;
    let (mut wrong, mut tighter, mut answers) = (0, 0, Digest::default());
    for (number, (step, [a, b])) in steps.iter().zip(&boxes).enumerate() {
        if number.is_multiple_of(LEVELS) {
            state = root;
        }
        descend(&mut state, step, [&back, &turn]);
        let (ours, theirs) = (may_meet(&state, slack), Bound::overlaps(a, b, &relation));
        answers.note(&number, &ours);
        // Both bound the same boxes along the same axes, up to rounding.
        let (wide, narrow) = (may_meet(&state, slack + 1e-12), may_meet(&state, slack - 1e-12));
        wrong += u64::from(theirs != wide && theirs != narrow);
        tighter += u64::from(!ours);
    }
    let mut ours = root;
    let timing = race(
        plan,
        |number| {
            if number.is_multiple_of(LEVELS) {
                ours = root;
            }
            descend(&mut ours, black_box(&steps[number]), [&back, &turn]);
            black_box(may_meet(&ours, slack));
        },
        Some(|number: usize| {
            let [a, b] = black_box(&boxes[number]);
            black_box(Bound::overlaps(a, b, &relation));
        }),
    );
    let more = vec![("separated", json!(tighter)), ("operations", json!(12)), ("their_operations", json!(24))];
    let row = row("down two box trees, realign".into(), &timing, "6 axes", wrong, answers, more);
    Ok((row, steps.len() as u64))
}

#[inline(always)]
fn descend(state: &mut [Aligned; 2], step: &Step, turns: [&DMat3; 2]) {
    for k in 0..2 {
        state[k].cut(step.axis[k], step.upper[k], step.by[k], turns[k]);
    }
}

/// Whether two boxes may meet, by the axes of both.
#[inline(always)]
fn may_meet(state: &[Aligned; 2], slack: f64) -> bool {
    let apart = |p: &Aabb, q: &Aabb| (p.min - q.max).max(q.min - p.max).max_element() > slack;
    !(apart(&state[0].own, &state[1].about) || apart(&state[0].about, &state[1].own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_finds_nothing_wrong() {
        let report = crate::experiments::quick(run);
        let json = report.to_json();
        assert_eq!(json["rows"].as_array().unwrap().len(), 3 + 2 * Test::PEERS.len() + 1);
        assert_eq!(json["rows"][0]["counted"], json!([15, 60, 81, 24]));
    }
}
