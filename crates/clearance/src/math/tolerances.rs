//! The constants that widen, limit or stop something, each with its unit and its derivation. A constant that concerns a
//! single algorithm may stand at the top of that algorithm's file instead.
//!
//! `u` below is the unit roundoff of `f64`, 2⁻⁵³: one correctly rounded operation has a relative error of at most `u`.
//! Products of first-order bounds are covered by [`SECOND_ORDER`], so the derivations keep only first-order terms.

/// The limits on constructor input, which `error.rs` checks.
pub use crate::error::{MAX_COORDINATE, MIN_SIZE};

/// The unit roundoff of `f64`: the largest relative error of one correctly rounded operation.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Larger margins are clamped to this: no two points of bodies are farther apart. Coordinates in a frame, those of the
/// frame and those of the motion are at most [`MAX_COORDINATE`] each, so two points are within `2 √3 · 3` times that.
pub(crate) const LARGEST_MARGIN: f64 = 100.0 * MAX_COORDINATE;

/// The most triangles of a mesh: a leaf of its tree stores its first slot in 28 bits.
pub const MAX_TRIANGLES: usize = (1 << 28) - 16;

/// A matrix whose `RᵀR - I` has a norm above this is not accepted as a rotation.
pub const MAX_RIGIDITY_DEFECT: f64 = 1e-6;

/// The accuracy promised for separated bodies, as a fraction of `L = diam A + diam B + distance of their local origins`
/// (see `ConvexHull`; for other bodies their own origin). [`Answer::verify`](crate::verify::Answer::verify) rejects a
/// bracket wider than this (plus the rigidity defect times `L`).
pub const ACCURACY: f64 = 1e-12;

/// Factor that rounds a computed length up: a sum of three squares, a root and a few more operations are off by less
/// than `8u`.
pub const ROUND_UP: f64 = 1.0 + 16.0 * UNIT_ROUNDOFF;

/// Relative surcharge on a computed error bound. It covers the second-order terms omitted from the derivations, the
/// largest of which are `u` times the rigidity defect (norms of matrices off by up to 1e-6 count as 1 in the
/// derivations), and the rounding of the bound's own evaluation.
pub const SECOND_ORDER: f64 = 1.0 + 4.0 * MAX_RIGIDITY_DEFECT;

/// Error of the matrix product `R_a⁻¹ R_b`, in the Frobenius norm, for exact factors: each entry is a sum of three
/// products, off by at most `3u Σ|r||s|`; by Cauchy-Schwarz the entries of `|R_a⁻¹| |R_b|` have a Frobenius norm of at
/// most √3·√3.
pub const MATRIX_PRODUCT: f64 = 9.0 * UNIT_ROUNDOFF;

/// Error of a matrix-vector product `R v` relative to `|v|`, for exact `R` of norm about 1: each component is off by
/// `3u Σ|r||v|`, and `|R|`, of absolute values, has norm at most √3; 3√3 < 5.2.
pub const MATRIX_VECTOR: f64 = 5.2 * UNIT_ROUNDOFF;

/// Error of placing `R v + t`, relative to `|v|`: as [`MATRIX_VECTOR`] with the fourth addition, 4√3 < 7. The share
/// relative to `|t|` is one `u` from that addition.
pub const PLACE_VERTEX: f64 = 7.0 * UNIT_ROUNDOFF;

/// Rounding of the entries of a stored inverse: `u` each, so `u √3` in the Frobenius norm; √3 < 1.75.
pub const INVERSE_ENTRY: f64 = 1.75 * UNIT_ROUNDOFF;

/// Slack of a lower bound evaluated along a direction `n` in the frame of A, relative to the *reach* of the pair,
/// `2 r_a + 2 r_b + |t|` with `r` the largest distance of a vertex from its local origin (never less than `L`):
/// - the dot product `n · (b - a)`: `3u`, and `u` for the difference;
/// - the choice of the support vertices: a scan compares dot products, each off by `3u` of `r`, so the chosen vertex
///   may fall short by `6u r`: `3u`;
/// - the direction for B is turned into B's frame, off by [`MATRIX_VECTOR`]: `5.2u` of `2 r_b`;
/// - the vertices of B are compared unplaced, but the bound concerns the placed ones, each off by [`PLACE_VERTEX`]: two
///   of them, `14u r_b + 2u |t|`, so `7u`;
/// - the normal published to the caller is `n` turned into the world and normalised (`5.2u + 1.75u + 4u`), and the
///   bound must hold along that one too: `11u`;
/// - the length `|n|` and the division: `4u`.
///
/// Together `34.2u`.
pub const LOWER_BOUND: f64 = 35.0 * UNIT_ROUNDOFF;

/// Slack of an upper bound `|p_b - p_a|`, relative to the reach (see [`LOWER_BOUND`]): each witness is a convex
/// combination of at most three vertices, off by `9u r` from a point of its body (weights that sum to 1 within `4u`,
/// products and sums `5u`), so `4.5u`; the witness of B is placed, `7u r_b + u |t|`, so `3.5u`; difference and norm:
/// `4u`.
pub const UPPER_BOUND: f64 = 12.0 * UNIT_ROUNDOFF;

/// How far apart the two copies of a common point may be, plus the distance of each from its body, relative to the
/// reach (see [`LOWER_BOUND`]). Weights from exact arithmetic are off by `5u` each, so the copies by `5u` of `|w|`;
/// each copy is off its body by `5u r` for weights that do not sum to 1 and `5u r` for the sum: `5u`; placing,
/// difference and norm: `8u`.
pub const CONTACT_POINT: f64 = 18.0 * UNIT_ROUNDOFF;

/// Weights from floating-point GJK are used for a common point only if its two copies are this close, relative to the
/// reach; otherwise they are computed exactly. They add the same `5u` as in [`CONTACT_POINT`].
pub const CONTACT_RESIDUAL: f64 = 5.0 * UNIT_ROUNDOFF;

/// Pairs whose reach is below this are computed at a larger scale (a power of two, so nothing is rounded): products of
/// four lengths, which GJK forms, then stay clear of underflow. Only points can be that close to each other: a body
/// that is not a point has an extent of at least [`MIN_SIZE`].
pub const SMALLEST_REACH: f64 = MIN_SIZE;

/// Vectors shorter than this have squares near the end of the range of numbers: their lengths have no digits, and they
/// have no direction. Sides and normals of bodies far smaller than the reach may be that short.
pub const SMALLEST_DIRECTION: f64 = 1e-140;

/// GJK stops when `upper - lower` is below this fraction of the reach: about what rounding leaves of the bracket anyway
/// ([`LOWER_BOUND`], [`UPPER_BOUND`]), so further steps would not improve the answer.
pub const GJK_STOP: f64 = 8.0 * UNIT_ROUNDOFF;

/// A bracket wider than this fraction of the reach after GJK is not accepted, and the exact method is used. A twentieth
/// of [`ACCURACY`], and well above what rounding leaves (`LOWER_BOUND + UPPER_BOUND` = 5e-15), so that the exact method
/// is rare.
pub const GJK_ACCEPT: f64 = 5e-14;

/// A gap larger than this fraction of the reach is certified along the final direction of GJK as it is. That direction
/// is off by some `4u L / gap`, which widens the bracket by as much of a feature's size: `130u L` at most. Smaller gaps
/// are certified along a recomputed direction, at twice the cost.
pub const FAR: f64 = 0.03;

/// The largest number of GJK iterations in floating point before the exact method takes over. Separated hulls of 32
/// vertices in random poses need 1.9 on average.
pub const GJK_ITERATIONS: usize = 64;

/// Error of the determinant of three difference vectors `w = b - a`, relative to `|w1| |w2| |w3|`: each difference is
/// off by `u √3` (three factors: `5.2u`), the cross product by `2u √2` and the dot product by `3u`.
pub const DETERMINANT: f64 = 12.0 * UNIT_ROUNDOFF;

/// Limit on the distance of a witness point from its feature, relative to `L`: the accuracy promised for the answer.
pub const FEATURE: f64 = ACCURACY;

/// Slack of a lower bound on a depth that is proved by a face of the expanding polytope, relative to the reach (see
/// [`LOWER_BOUND`]): the product of a corner with the face's direction `3u`, the length of that direction `5u` (square,
/// root, reciprocal, product), the corner itself, a rounded difference, `u`; and a verifier that proves the bound again
/// from rounded differences loses another `2u`.
pub const FACE_BOUND: f64 = 12.0 * UNIT_ROUNDOFF;

/// The error of comparing two points along the direction of a face of the expanding polytope, relative to the reach:
/// two products, `3u` each, and their difference, rounded up. Points closer than that count as level.
pub const EPA_SIDE: f64 = 8.0 * UNIT_ROUNDOFF;

/// The polytope stops growing when the supporting plane beyond its nearest face is within this fraction of the reach:
/// about what rounding leaves of a face's own corners, which are level only up to [`EPA_SIDE`].
pub const EPA_STOP: f64 = 16.0 * UNIT_ROUNDOFF;

/// What the float filter of the exact polytope leaves undecided, relative to the reach: the product of a face's rounded
/// unit normal with the difference of two rounded corners. The normal is off by `7u √3` (integers to floats `2u`,
/// normalised `5u`), the product by `3u`, the difference by `u`, of its length, which is at most the reach; the two
/// corners by `u` each: `19u`.
pub const EXACT_SIDE: f64 = 20.0 * UNIT_ROUNDOFF;

/// The most expansions of the polytope in floating point before exact arithmetic takes over. Each step but the last
/// adds a vertex of the difference; pairs of hulls of 256 vertices, deep in each other, need some tens.
pub const EPA_STEPS: usize = 512;

/// The accuracy promised for the depth of overlapping polytopes, as a fraction of `L` (see [`ACCURACY`]).
pub const DEPTH_ACCURACY: f64 = 1e-9;

/// How far a computed point of a curved core may be off, relative to the core's extent, both as a support point (it
/// falls short of the supporting plane by at most this) and as a point of the core (it lies outside by at most this).
/// On a rim: the length of the direction across the axis is off by `2u`, the quotient and the product by `u` each. On
/// an ellipsoid: the scaled direction is off by `u`, its length by `3.5u`, quotient and product by `2u`: `6.5u`. On a
/// cone's side: three products and a difference, `6u`.
pub const SMOOTH_POINT: f64 = 7.0 * UNIT_ROUNDOFF;

/// A bracket of curved cores no wider than this fraction of the reach ends the search: well below [`ACCURACY`], and
/// four times what rounding leaves (`LOWER_BOUND + UPPER_BOUND + 3 SMOOTH_POINT` = 7.5e-15).
pub const SMOOTH_ACCEPT: f64 = 3e-14;

/// How many support points are added before the bracket of curved cores is accepted as it is.
pub const SMOOTH_ITERATIONS: usize = 64;

/// Width of the expanding polytope's bracket, relative to the reach, before each attempt to polish it.
pub const SMOOTH_EXPANSION: [f64; 5] = [2e-2, 1e-4, 1e-6, 3e-10, 1e-12];

/// How far the point of an elementary impact may be from either feature, relative to the largest coordinate `M` of the
/// corners. A corner at a given time is formed by `1 - t`, two products and a sum: `4u M` along each axis, `7u M` in
/// all, for either feature; the time is off by one unit in its last place, in which a corner moves `2u M` along each
/// axis, `3.5u M` in all; the nearest points of the rounded features and the combination of their corners are off by
/// some `10u M`: below `31u M`. Doubled.
pub const ELEMENTARY_POINT: f64 = 64.0 * UNIT_ROUNDOFF;

/// The sine of the angle between two sides is known to within this times the largest coordinate over the length of
/// either side: the ends of a side are off by `10.5u M` each (see [`ELEMENTARY_POINT`]), its direction by `21u M` over
/// its length. The rest covers the cross product and the use of the largest component in place of a length. A normal is
/// returned if the sine exceeds that error.
pub const ELEMENTARY_NORMAL: f64 = 64.0 * UNIT_ROUNDOFF;

/// The most triangles of a solid, among those that intersect one triangle of a surface, that are considered when it is
/// cut into regions to find out whether one of them lies in the solid. A count. The exact work grows with its cube at
/// worst, in practice with its square: some tenths of a second. With more triangles, several regions may be taken for
/// one, and an overlap limited to those for touching.
pub const REGION_CUTTERS: usize = 128;

/// The most points of a surface near a solid's boundary that are tested, where rounding leaves open on which side they
/// lie, before the surface counts as touching. A count. A point takes some microseconds, so this is some milliseconds;
/// halving a triangle four times, in all of its pieces, takes as many.
pub const REGION_PROBES: usize = 340;

/// The most points of a body next to a solid that are tested before the two count as touching. A count. A point takes
/// some microseconds, so this is about a millisecond. A box is halved for each point, so a search that need not
/// backtrack resolves an overlap of a billionth of the bodies, and one that must search a whole face a twentieth of it.
pub const OVERLAP_PROBES: usize = 256;

/// The most parts of a compound that are tested, spread evenly over those near the solid, besides the one that is known
/// to intersect it; each with an eighth of [`OVERLAP_PROBES`]. A count.
pub const OVERLAP_PARTS: usize = 16;

/// Least and largest number of bodies of a world whose near pairs are searched in parallel. Each has up to as many
/// partners as there are bodies, four bytes each: 256 bodies among a million that are all in one place take 1 GB,
/// sixteen take 64 MB.
pub const BODIES_OF_BLOCK: [usize; 2] = [16, 256];

/// If a block of bodies has more near pairs than this, 4 MB, the next block has half as many bodies; if it has fewer,
/// twice as many.
pub const PAIRS_OF_BLOCK: usize = 1 << 20;

/// How far a point must be above the plane that bounds a body for `verify/no_hit.rs` to accept the plane, relative to
/// the largest distance of a point of the body from the origin of its frame: the direction is turned into the body's
/// frame by two rotations ([`MATRIX_VECTOR`] each, `11u`), the farthest point is compared and its product formed (`6u`
/// and `3u`), radii are added and the difference is rounded (`2u`); a unit normal is off by `2u`. Doubled.
pub(crate) const MISS_PLANE: f64 = 48.0 * UNIT_ROUNDOFF;

/// Error of six times a volume, relative to it: [`MeshHealth::volume`](crate::answer::MeshHealth::volume) promises 2⁻⁵⁰
/// of the volume.
pub(crate) const VOLUME_OF_MESH: f64 = 8.0 * UNIT_ROUNDOFF;

/// The fractions of the tolerance at which a mesh is repaired, one after the other, so that close matches are merged
/// before distant ones: equal coordinates first; then points separated by single-precision numbers and their sums, if
/// the tolerance is some thousand times that; then up to the full tolerance.
pub(crate) const REPAIR_STAGES: [f64; 5] = [0.0, 1.0 / 1024.0, 1.0 / 32.0, 0.25, 1.0];

/// A repair tolerance above this fraction of the mesh's diameter is treated as this: beyond it, points all over the
/// mesh would be candidates for merging, and nothing is gained.
pub(crate) const REPAIR_LARGEST: f64 = 1.0 / 16.0;

/// The most passes of merging points and cutting edges in one stage. What one pass cuts, the next one merges; more
/// passes are needed only if cuts cause further cuts.
pub(crate) const REPAIR_PASSES: usize = 16;

/// The most points near an edge that are considered: bounds the work if the tolerance is larger than most triangles.
pub(crate) const REPAIR_CANDIDATES: usize = 256;

/// A triangle is moved at most this many tolerances from its original position: one for its corners, which are merged
/// with others, and one for its edges, which are cut at nearby points.
pub(crate) const REPAIR_LIMIT: f64 = 2.0;

/// The bound on the distance of a repaired mesh from the original may exceed the distance attained by about this
/// factor: tighter bounds would not help their only use, widening other brackets.
pub(crate) const REPAIR_SPREAD: f64 = 1.0 + 1.0 / 64.0;

/// The most pieces of one triangle; beyond that, the bound is left as it is, true but wider.
pub(crate) const REPAIR_PIECES: u32 = 4096;

/// The same for a triangle that may close a hole: one that needs more to be proved close enough is not used. A sliver
/// along an edge of the mesh needs one.
pub(crate) const REPAIR_PIECES_OF_FILLS: u32 = 256;

/// What is added to the bound on the distance of a repaired mesh from the original, relative to its size: `verify` cuts
/// different pieces, each cut off by some `8u`, of which a dozen by three planes are enough for all but the worst
/// pieces, and measures from other corners, off by `16u`.
pub(crate) const REPAIR_ROUNDING: f64 = 512.0 * UNIT_ROUNDOFF;

// --- room: bound ---

/// Bounds: the rounding of a product of a point with a direction, and of one more product and sum, relative to the sum
/// of the magnitudes: `3u` for the three products, `3u` for a length and a product, a sum `u`; rounded up.
pub(crate) const BOUND_PRODUCT: f64 = 8.0 * UNIT_ROUNDOFF;

/// How far the axes of a frame are from orthogonal unit vectors: a bound on the norm of `AᵀA - I`. The first is a
/// normalised vector, `3u` long or short; the third a normalised cross product, off by `3u` from perpendicular to it
/// and `3u` in length; the second their cross product, off by `3u` from either, and `9u` in length. Squares of lengths
/// are off by `6u`, `6u` and `18u`, products by `3u` and `6u` each: `22u`, rounded up.
pub(crate) const FRAME_DEFECT: f64 = 24.0 * UNIT_ROUNDOFF;

/// Bounds: how far faces are moved outward for rounding when a volume is fitted along the axes of a frame, relative to
/// the largest distance of a point from the origin. A product of a point with an axis is off by `3u`; the middle by
/// `2u`; it is at most `√3` long, and the centre formed from it off by [`MATRIX_VECTOR`], by `3u` in the product with
/// the axis, and by [`FRAME_DEFECT`] since axes are not quite orthogonal: `√3 · 32.2u`; together `61u`.
pub(crate) const BOUND_FIT: f64 = 64.0 * UNIT_ROUNDOFF;

/// Bounds: by how much the radius of a swept sphere is raised for rounding, relative to the largest distance of a point
/// from the origin: three coordinates are off as in [`BOUND_FIT`], `√3 · 61u`.
pub(crate) const BOUND_SWEPT: f64 = 128.0 * UNIT_ROUNDOFF;

/// Bounds: as [`BOUND_FIT`] where points are corners of boxes. A corner is off by `7u`, and a point between the planes
/// of a box may lie outside the hull of its corners by [`FRAME_DEFECT`] times `√3` along each axis, `72u` in all.
pub(crate) const BOUND_MERGE: f64 = BOUND_FIT + 8.0 * UNIT_ROUNDOFF + 3.0 * FRAME_DEFECT;

/// Bounds: by how much rounding may raise the gap of two bounds along an axis no longer than 1, relative to
/// `S = reach_a + reach_b + |t|`, where centres, half extents and radii are at most the reach.
/// - The vector between the centres, `M c_b + t - c_a`, is off by `7u` of `c_b` and `u` of each sum: `10u`; its
///   product with an axis by `3u` more, and axes are unit vectors within `9u`: `22u`.
/// - An entry of the rotation between the axes of two boxes is off by `9u` ([`MATRIX_VECTOR`] and a product), so a
///   half extent projected on an axis of the other box by `11u √3`, which is `20u`.
/// - A box is the set between its planes; as a sum of its half axes, which are orthogonal within [`FRAME_DEFECT`], it
///   is longer by `24u √3` of its size along each, `72u` in all, for either box.
/// - Along a cross product of axes the two products of the vector between the centres with entries of the rotation are
///   off by `2 (22u + 9u + 2u)`, axes that are not quite orthogonal add `2 · 24u`, and two half extents of either box
///   `2 · 22u`: `158u`, with `144u` for the boxes `302u`.
/// - A distance has three gaps along the axes of one box: `√3 (22u + 20u + 72u)`, `198u`.
///
/// Rounded up.
pub(crate) const BOUND_SLACK: f64 = 320.0 * UNIT_ROUNDOFF;

/// Oriented boxes: a cross product of two edges gives a lower bound of the distance if its squared length exceeds this.
/// The square is off by at most `40u` (four entries off by `9u`), so by `4.5e-11` relative to itself.
pub(crate) const LEAST_CROSS: f64 = 1e-4;

/// Oriented boxes: rounds the length of a cross product up; see [`LEAST_CROSS`].
pub(crate) const CROSS_ROUND_UP: f64 = 1.0 + 1e-10;

/// Discrete oriented polytopes: a weight of a combination of directions that is negative by no more than this, relative
/// to the length of the combined vector, counts as zero: the vector lies on the side of the cone up to rounding, `16u`
/// for products of three over a determinant of at least 0.1. Any value is safe, as what the combination leaves of the
/// vector is measured.
pub(crate) const CONE_NEGATIVE: f64 = 256.0 * UNIT_ROUNDOFF;

/// Discrete oriented polytopes of turning hulls: the product of a turned direction with a vertex is off by
/// [`MATRIX_VECTOR`], `3u` for the product and `u` for the sum with the translation, `9.2u`. A vertex farthest along
/// the rounded direction falls short along the true one by [`MATRIX_VECTOR`] of either: `20u`.
pub(crate) const CLIMB_PLANE: f64 = 20.0 * UNIT_ROUNDOFF;

/// Distance of cores: a face whose squared normal is at most this part of the fourth power of its longest edge counts
/// as its edges alone, 1e-10 of that edge apart: the normal has no digits then.
pub(crate) const FLAT_FACE: f64 = 1e-20;

/// Swept spheres of mixed kinds: a simpler core is taken where its volume is at most this many times that about a
/// rectangle.
pub(crate) const HYBRID_VOLUME: f64 = 1.1;

/// Smallest sphere: a point is outside where its squared distance from the centre exceeds the squared radius by more
/// than this factor: some hundred roundings, so that points on the boundary are not taken again.
pub(crate) const SPHERE_OUTSIDE: f64 = 1.0 + 1e-13;

/// Smallest sphere: the most points taken for being the farthest outside. Each enlarges the ball; surfaces of 100,000
/// triangles take some ten. No unit.
pub(crate) const SPHERE_PIVOTS: usize = 64;

/// Smallest sphere: the sine of the angle between a point and the span of the others below which it is left out.
pub(crate) const SPHERE_FLAT: f64 = 1e-7;

/// Axes of oriented volumes: of more points than this, only the farthest in each cell of directions go into the hull.
/// No unit.
pub(crate) const HULL_POINTS: usize = 512;

/// Axes of oriented volumes: the cells of directions along the side of a cube's face. No unit.
pub(crate) const HULL_CELLS: usize = 8;

/// Bounds: by how much a map `M` that is not quite a rotation may raise the gap of two bounds, relative to `S` (see
/// [`BOUND_SLACK`]) and to the norm `d` of `MᵀM - I`: the axes of B are `d/2` longer or shorter, and not orthogonal by
/// `d`, which concerns three half extents; the cross product of two of them differs by `2.5 d` from the third, which
/// concerns two half extents: `0.5 + √3 + 5`, rounded up.
pub(crate) const BOUND_DEFECT: f64 = 8.0;

/// Error of the computed Frobenius norm of `MᵀM - I`: `3u` for each of nine products of columns, and `u` for the
/// difference with 1 of three.
pub(crate) const MATRIX_DEFECT: f64 = 12.0 * UNIT_ROUNDOFF;

// --- room: tree ---

/// Box trees: what the faces of the two boxes at the roots, aligned with the other's frame, may be off, relative to
/// `S = reach_a + reach_b + |t|`. Faces are relative to the centres of the trees, at most `2 S` apart: a face of a root
/// is off by `2u`, the vector between the centres by `8u` of placing and `2u` of the difference, three products and
/// sums with entries of a rotation by `2 √3 · 4u`, the offset and its sum by `6u · 2`: below `40u`, times `√3` for a
/// distance, which has three such gaps. Rounded up.
pub(crate) const BOX_PLACE: f64 = 128.0 * UNIT_ROUNDOFF;

/// Box trees: what one step down adds to that: the step is a difference of two faces, off by `u` of `4 S`, its product
/// and its sum with a face off by `u` of `4 S` each: `12u`, times `√3` for a distance. Rounded up.
pub(crate) const BOX_PATH: f64 = 32.0 * UNIT_ROUNDOFF;

// --- room: compound ---

/// Unit directions that differ by no more than this count as equal, and points this close to a border, in cells, count
/// as on it: the square root of [`ACCURACY`], because tilting a normal by an angle changes a gap by half the square of
/// that angle.
pub(crate) const CONTACT_SAME_DIRECTION: f64 = 1e-6;

/// How far beyond touching a separating translation of compounds goes, relative to `L`: a tenth of [`DEPTH_ACCURACY`],
/// so the bracket stays within it, and far above rounding, so that a verifier can find planes between all parts.
pub(crate) const PARTS_SEPARATION_MARGIN: f64 = 0.1 * DEPTH_ACCURACY;

/// How often a separating translation of compounds is lengthened before it is abandoned: each further part in its way
/// takes one more step.
pub(crate) const PARTS_SEPARATION_STEPS: usize = 16;

/// How many of the deepest pairs of parts propose a separating direction.
pub(crate) const PARTS_SEPARATION_PROPOSALS: usize = 4;

/// The most overlapping pairs of parts whose depth is computed. Pairs beyond that leave the bounds true but wider.
pub(crate) const PARTS_OVERLAPS: usize = 4096;

/// If two height fields have more prisms than this as close as two that intersect, those two represent them.
pub(crate) const HEIGHT_FIELD_PRISMS: usize = 20_000;

/// The most height-field prisms built that are equally near to a half-space up to rounding.
pub(crate) const HEIGHT_FIELD_TIES: usize = 64;

/// Surcharge on error bounds of composed poses, whose defects add up to at most four times the limit of one: norms
/// counted as 1 are at most this, in products of up to three.
pub(crate) const COMPOSED_POSES: f64 = 1.0 + 16.0 * MAX_RIGIDITY_DEFECT;

/// The least width of a bracket of two parts, relative to all coordinates of the parts and of their poses. Parts far
/// from the origins of their frames, in bodies whose poses are bit-equal, may have a gap finer than their positions can
/// be computed even in double-double arithmetic: two single points may coincide. The verifier is off by 2e-30 of the
/// larger coordinates.
pub(crate) const PARTS_UNRESOLVED: f64 = 3e-30;

// --- room: ray ---

/// The most steps of a ray cast towards a rounded or custom body from one side. Chords converge superlinearly: a dozen
/// steps are usual.
pub(crate) const RAY_ADVANCE_STEPS: usize = 48;

/// A normal whose component along a ray's unit direction is no more than this counts as perpendicular to the ray.
pub(crate) const RAY_GRAZING: f64 = 1e-9;

/// How far before a crossing the normal is evaluated where it is ambiguous at the crossing, relative to the body's
/// size: close to what `verify` allows, and far beyond rounding.
pub(crate) const RAY_NORMAL_OFFSET: f64 = 1e-10;

/// The most attempts to find an inside point closer to the surface: steps double from a few `u` of the body's size to
/// all of it.
pub(crate) const RAY_ENTRY_STEPS: usize = 56;

/// How often a bracket of a ray's crossing that the sides at its ends do not prove is widened, fourfold each time,
/// before it is replaced by the range of all possible crossings of the height field: from rounding, 1e-16, to 1e-2 of
/// the distance.
pub(crate) const HEIGHT_FIELD_RAY_WIDENINGS: usize = 24;

/// Error of the product `n · d` of a height-field triangle's rounded unit normal with a direction, relative to `|d|`:
/// the components of the normal are off by a few roundings (`6u` with the normalisation), the product by `3u`; doubled.
pub(crate) const HEIGHT_FIELD_RAY_SLOPE: f64 = 18.0 * UNIT_ROUNDOFF;

/// How far a witness on a height field may be off the foot of its query, relative to the larger of their coordinates,
/// for the vector between them to count as along the face's normal: weights of a point of a triangle are off by `5u`,
/// its sum by `5u`, the query by `u`; in each of two components, with room for needles.
pub(crate) const HEIGHT_FIELD_FOOT: f64 = 32.0 * UNIT_ROUNDOFF;

/// The most hulls built around a point inside a custom body before the bracket of its depth is accepted as it is.
pub(crate) const CUSTOM_DEPTH_STEPS: usize = 24;

// --- room: convex ---

/// The largest number of Newton steps for the stationary pair of two surface patches (six unknowns). From the
/// tolerances at which a polish is tried, four or five suffice.
pub(crate) const PATCH_NEWTON_STEPS: usize = 12;

/// From this Newton step on, a large step means that the patches do not face each other.
pub(crate) const PATCH_DIVERGENCE_STEP: usize = 4;

/// The largest number of Newton or bisection steps for the point of a segment nearest a box. It usually takes two or
/// three.
pub(crate) const SEGMENT_BOX_STEPS: usize = 12;

/// The largest number of Newton steps for one or two angles of a stationary direction: from a start that is off by 0.3
/// four or five suffice.
pub(crate) const STATIONARY_STEPS: usize = 9;

/// From this step on, a step larger than the last means that these are the wrong surface patches.
pub(crate) const STATIONARY_DIVERGENCE_STEP: usize = 3;

/// A Newton step whose square is below this (radians squared) is the last: the error it leaves is of the order of that
/// square.
pub(crate) const STATIONARY_SQUARED_STEP: f64 = 1e-16;

/// Error of the product of a face normal with an edge of the other hull, relative to the lengths of the three edges it
/// is made of. The worst is a normal of B: its two edges are differences, `u`, turned into A's frame, `5.2u`
/// ([`MATRIX_VECTOR`]), so `12.4u`; their product `2u √2`; the edge of A `u`; the dot product `3u`. Together `19.3u`;
/// norms of `M` (1 within 1e-6) and of sums of magnitudes are second order.
pub(crate) const HULL_AXIS_SIDE: f64 = 20.0 * UNIT_ROUNDOFF;

/// How much the overlap along an axis must exceed zero for the placed hulls to overlap, relative to the reach
/// `2 r_a + 2 r_b + |t|` and the lengths of the two edges that the axis is the product of:
/// - the axis is off by `15.3u` (see [`HULL_AXIS_SIDE`]), the dot product with `w` by `3u` and the difference
///   `w = b - a` by `u`, each of `|w| <= r_a + r_b + |t|`;
/// - `b` is placed, off by [`PLACE_VERTEX`], `7u r_b + u |t|`;
/// - the placed hull is off the ideal one by as much along every direction.
///
/// Together `19.3u (r_a + r_b + |t|) + 14u r_b + 2u |t|`, so at most `21.3u` of the reach.
pub(crate) const HULL_AXIS_OVERLAP: f64 = 22.0 * UNIT_ROUNDOFF;

/// Hulls with an edge shorter than this are left undecided by the separating axes: products of three edges and a
/// rounding error then stay clear of underflow (`1e-75³ 1e-16 = 1e-241`).
pub(crate) const HULL_AXIS_SHORTEST_EDGE: f64 = 1e-75;

/// Axes shorter than this prove no separation: their squares would underflow. Products of two edges of a body that is
/// large enough not to be rescaled ([`SMALLEST_REACH`]) are longer unless mostly rounding.
pub(crate) const HULL_AXIS_SHORTEST: f64 = 1e-140;

/// Points within this fraction of the reach of a border count as on it, and points this close to each other as one.
/// Seen from the frame of A a corner of B is off by its placement (`7u`), its distance from a border by two products
/// and differences (`6u`) on edges as long as the reach; lifting along the normal adds as much again, and both patches
/// have it.
pub(crate) const MANIFOLD_LEVEL: f64 = 64.0 * UNIT_ROUNDOFF;

/// A face narrower than this fraction of the extent of its body counts as its longest line. Its normal, off by some
/// `3u` over the width, would lead a radius to `r (3u / width)² / 2` below the surface; as a line it is off by the tilt
/// of the width. Both are some 1e-12 here, the accuracy of the contract.
pub(crate) const MANIFOLD_NARROW_FACE: f64 = 1e-10;

/// Largest GJK bracket, relative to the reach, at which the surface patches indicated by its simplex are tried.
pub(crate) const SMOOTH_TRY_WIDTH: f64 = 0.02;

/// [`SMOOTH_TRY_WIDTH`] for a simplex of one member, which says little about the patches.
pub(crate) const SMOOTH_TRY_WIDTH_ONE_MEMBER: f64 = 0.01;

/// How often a surface patch may be replaced by its border in one attempt.
pub(crate) const SMOOTH_BORDER_MOVES: usize = 4;

/// How often the direction of separated user-defined cores is turned towards the vector between their points.
pub(crate) const CLIMB_TURNS: usize = 160;

/// How often such a turn is halved before the search ends.
pub(crate) const CLIMB_HALVINGS: usize = 12;

/// The largest number of alternating projections in the search for a common point of two cores.
pub(crate) const ALTERNATING_PROJECTIONS: usize = 256;

/// Slack of both bounds of the single-plane test, relative to the sum of the extents, the lengths of the local origins
/// and the distance of the translations. Turned vertices and origins are off by [`MATRIX_VECTOR`], the difference of
/// the translations by `u`, their sums by `3u`: `9.2u`. The choice of the vertices: directions turned back, `5.2u` of
/// two extents, and products compared, `6u`: `16.4u`. Product with the direction, its length and the quotient: `7u`.
/// The published normal: `4u`.
pub(crate) const FIRST_PLANE_BOUND: f64 = 40.0 * UNIT_ROUNDOFF;

/// Slack of both bounds for two segments in the world, relative to the *size* of the pair: the extents, the lengths of
/// the local origins and the distance of the translations; or, where the difference of the local origins is computed
/// accurately, the extents and that difference. The start of a segment, local origin added, is off by `u`, turning it
/// by `5.2u`; so is the vector to its end, of at most two extents: the ends are off by `18.6u`. The difference of the
/// translations is off by `u`, sums by `3u`. The lower bound: product with the direction, length and quotient `8u`, the
/// published normal `3u`: `33.6u`. The upper bound: the point along the segment `3u`, difference and norm `4u`:
/// `29.6u`.
pub(crate) const SEGMENT_WORLD_BOUND: f64 = 35.0 * UNIT_ROUNDOFF;

/// A gap, less the radii, above this fraction of the size has the same sign in the placed pair:
/// [`SEGMENT_WORLD_BOUND`], and the placement of vertices there, at most `18u` of the extent and `9u` of the distance;
/// the defects stretch lengths there in addition.
pub(crate) const SEGMENT_WORLD_DOUBT: f64 = 64.0 * UNIT_ROUNDOFF;

/// Error of the start of a segment in the frame of another body, relative to the *size* of the pair: the distance of
/// the translations, the lengths of the local origins and the segment's extent; the error of the inverse comes on top.
/// The sum of vertex and local origin `u`, turning it `5.2u`, the difference of the translations `u`, its sum with the
/// former `u`; turned back `5.2u`, less the local origin of the other `u`.
pub(crate) const SEGMENT_START_ERROR: f64 = 14.4 * UNIT_ROUNDOFF;

/// Error of the vector from start to end in that frame, relative to its length: a difference `u`, turned twice.
pub(crate) const SEGMENT_VECTOR_ERROR: f64 = 11.4 * UNIT_ROUNDOFF;

/// The share of a depth between curved bodies that a relation proof claims: a polytope of some hundred corners comes
/// that close to the surface of their difference.
pub(crate) const RELATION_PROVED_SHARE: f64 = 0.98;

/// Error of the gap of two triangles along an axis `n`, relative to the reach and the length of `n`: a dot product,
/// `3u`, for either end, and their difference `u`. A larger gap is a valid separation: any direction separates.
pub(crate) const TRIANGLE_AXIS_GAP: f64 = 8.0 * UNIT_ROUNDOFF;

/// Error of the overlap of two triangles along the exact product `e x f` of two edges, relative to the reach and
/// `|e| |f|`: as [`TRIANGLE_AXIS_GAP`], and the computed product is off the exact one by `u` for each edge's difference
/// and `2u √2` for the product, so the overlap by `5u` of twice the largest distance from the origin, which is at most
/// the reach. Normals within the plane prove no overlap.
pub(crate) const TRIANGLE_AXIS_OVERLAP: f64 = 14.0 * UNIT_ROUNDOFF;

/// Slack of the lower bound of a half-space's gap, relative to the reach (twice the body's extent, the distance of the
/// local origins and twice that of the plane): the product `3u` and the difference `u`, the length and the division
/// `4u`; the choice of the support point (`3u`), the direction turned into the body's frame (`5.2u`), and the
/// comparison of unplaced points (`7u`), as in [`LOWER_BOUND`]. A curved support point falls short by `6u` of the
/// extent: `3u`. Together `26.2u`.
pub(crate) const HALF_SPACE_LOWER_BOUND: f64 = 27.0 * UNIT_ROUNDOFF;

/// Slack of the upper bound of a half-space's gap: product, difference, length and division as in
/// [`HALF_SPACE_LOWER_BOUND`]; a curved support point lies within `4u` of the extent of the body, and its placement is
/// off by `7u` of it and `u` of the distance: `5.5u`. Together `13.5u`.
pub(crate) const HALF_SPACE_UPPER_BOUND: f64 = 14.0 * UNIT_ROUNDOFF;

/// Error of a gap of two boxes along one of the fifteen axes against that of the placed pair, relative to the length of
/// the axis and the reach `2 r_a + 2 r_b + |t|`. The worst axis is a face normal of B, a column of cofactors:
/// - each cofactor is off by `2u`, a column by `2u √3`; its product with `t`: `3u`, so `6.5u |t|`;
/// - the width of A: cofactors `3.5u r_a`, products and sums `4u r_a`;
/// - the width of B: the determinant `6.5u`, the product `u`, so `7.5u r_b`;
/// - the sum of the three: `2u` each;
/// - vertices of the placed pair are off `M v + t` by [`PLACE_VERTEX`], `7u r_b + u |t|`.
///
/// Together `9.5u |t| + 9.5u r_a + 16.5u r_b`.
pub(crate) const BOX_AXIS_GAP: f64 = 9.6 * UNIT_ROUNDOFF;

/// [`BOX_AXIS_GAP`] where the boxes were not put in order: against the pair placed in the frame of either box. The map
/// used here is off the ideal one by `10.8u r_b + 8u |t|` ([`MATRIX_PRODUCT`], [`INVERSE_ENTRY`], [`MATRIX_VECTOR`]),
/// and the vertices placed in the other frame by as much with `r_a`, and `7u r_a + u |t|` for placing them: `17u` of
/// the reach. Lengths in the two frames differ by the rigidity defect, at most 1e-6: second order.
pub(crate) const BOX_AXIS_GAP_IN_EITHER_FRAME: f64 = BOX_AXIS_GAP + 17.0 * UNIT_ROUNDOFF;

/// Error of a gap of two boxes divided by the length of its axis: [`BOX_AXIS_GAP`]; the length and the division, `5u`
/// of at most half the reach.
pub(crate) const BOX_AXIS_DEPTH: f64 = BOX_AXIS_GAP + 2.5 * UNIT_ROUNDOFF;

/// An axis shorter than this is taken for parallel edges. Replacing the shorter of the two edges by one exactly
/// parallel to the other changes the half width of the difference by at most this times its length along every
/// direction, and leaves no face normal that is not among the other axes: so it is enough that those overlap by twice
/// that, far less than their rounding bound. Products of coordinates above [`SMALLEST_REACH`] with such entries do not
/// underflow.
pub(crate) const BOX_PARALLEL_EDGES: f64 = 1e-100;

/// Edges that rise above the plane of a box contact by less than this, relative to the reach, count as lying in it. It
/// moves a witness point by as much, a seventieth of what [`ACCURACY`] allows, and no bracket.
pub(crate) const BOX_CONTACT_TIE: f64 = 128.0 * UNIT_ROUNDOFF;

/// Points nearer than this to the axis of a cylinder or cone have no radial direction: the squares underflow.
pub(crate) const REVOLUTION_ON_AXIS: f64 = 1e-100;

// --- room: query ---

/// Point, ray or convex-pair queries of a batch that a thread takes at a time: some tens of microseconds of work. A
/// count. Affects speed only.
pub(crate) const BATCH_GRAIN: usize = 64;

// --- room: deform ---

/// The windows searched for the first impact of deforming meshes, by their ends in units of the step: first one
/// sixteenth of it, then all of it. Milliseconds of processor time to the first impact of a body between rollers (7.1
/// million pairs in all) and of a twisted rod (2.5 million), by the end of the first window: 1, 334 and 222; 1/4, 58
/// and 170; 1/16, 24 and 156; 1/64, 20 and 154.
pub(crate) const FIRST_IMPACT_WINDOWS: [f64; 2] = [1.0 / 16.0, 1.0];

/// A triangle against a box by a separating axis: what rounding may add to the gap, relative to the product of the
/// axis's magnitudes with those of the corners and of the half extents. Corners and half extents relative to the centre
/// are off by `u` of themselves, products by `u`, two sums by `u` each: `4u` of either. Doubled, for the sum that forms
/// it and the comparison.
pub(crate) const FACE_BOX_AXIS: f64 = 8.0 * UNIT_ROUNDOFF;

/// A triangle against a box by clipping: what the box is widened by, relative to the largest coordinate `r` about its
/// centre. Corners and half extents are off by `u r`. A point on an edge is off by `6u` of the difference of its ends,
/// at most `2r`, and by `u r` for the sum: `13u r`, four times over as each plane clips what the last one left.
pub(crate) const FACE_BOX_CLIP: f64 = 64.0 * UNIT_ROUNDOFF;

/// Face octree: the deepest cells of an automatic level, in halvings of the longest side. A count. Affects speed only:
/// a voxel may have any size.
pub(crate) const FACE_OCTREE_DEPTH: u32 = 64;

/// Face octree: the deepest level that can be chosen. A count: 2²⁰ voxels along a side.
pub(crate) const FACE_OCTREE_LEVELS: u32 = 20;

// --- room: mesh ---

/// Closest point of a mesh: capacity of the list of triangles that may be nearest; beyond it only the least lower bound
/// is kept. No unit.
pub(crate) const CLOSEST_CONTENDERS: usize = 32;

/// Closest point of a mesh: a bracket narrower than this many `u` of the farthest corner's distance, plus the
/// uncertainty of the point, is accepted: less than twice the rounding error of `measure`.
pub(crate) const CLOSEST_ACCEPT: f64 = 64.0;

/// Closest point of a mesh: capacity of the list of leaves waiting to be measured. No unit.
pub(crate) const CLOSEST_WAITING: usize = 12;

/// Leaf filter: the rounding error of a gap along a direction, relative to the sum of the direction's components times
/// the largest coordinate. Corners are relative to one of them, `u` with `u = 2⁻²⁴`; the products with the direction
/// and their sum, `3u`; both for either triangle; the gap, `2u`; and second-order terms.
pub(crate) const FILTER_ALONG: f32 = 16.0 / 16_777_216.0;

/// Leaf filter: the least accepted square of a direction's length, in the unit of the tree: squares of its components
/// do not underflow.
pub(crate) const FILTER_SHORTEST_SQUARE: f32 = 1e-30;

/// Aligned boxes of meshes: a direction whose angle to the last has a cosine above this does not start a new epoch. No
/// unit.
pub(crate) const BOUNDS_SAME_DIRECTION: f32 = 0.9995;

/// Aligned boxes of meshes: factor by which lengths compared with gaps are rounded up: rows of a frame are orthonormal
/// up to a few `2⁻²⁴`, and squares and sums are as accurate.
pub(crate) const BOUNDS_ROUND_UP: f32 = 1.000_002;

/// Outer faces of a solid: how many triangles of a group are tried before it is left undecided: the largest, which have
/// most room around them. No unit.
pub(crate) const OUTER_FACES_TRIED: usize = 4;

/// Outer faces of a solid: how often a triangle that others meet is split in four: an undecided part is then a 256th of
/// its size. No unit.
pub(crate) const OUTER_FACES_SPLITS: u32 = 8;

/// Outer faces of a solid: the most parts examined of one triangle. No unit.
pub(crate) const OUTER_FACES_PARTS: usize = 1024;

/// Outer faces of a solid: the most parts examined of all triangles. No unit.
pub(crate) const OUTER_FACES_ALL_PARTS: usize = 1 << 18;

/// Outer faces of a solid: how far corners of parts may lie off the triangle, relative to the radius of the mesh: each
/// split rounds a sum, and the sum with the local origin is rounded too. Twice `(OUTER_FACES_SPLITS + 1) √3 u`.
pub(crate) const OUTER_FACES_ROUNDING: f64 = 32.0 * UNIT_ROUNDOFF;

/// Intersection of meshes: the oriented box about a mesh is compared if its surface is less than this part of that of the
/// box along the axes. No unit.
pub(crate) const ORIENTED_BOX_PAYS: f64 = 0.95;

/// Distance of meshes: how many pairs of leaves are tested for intersecting triangles before a distance search;
/// overlapping meshes usually end there. No unit.
pub(crate) const MESH_PAIR_TESTED_FIRST: u32 = 4;

/// Intersection of meshes: after this many pairs of leaves without intersecting triangles, searching where the surfaces
/// are nearest pays off. No unit.
pub(crate) const MESH_PAIR_FAILURES: u32 = 32;

// --- room: motion ---

/// Interval halving ends at this fraction of the step: 20 tests.
pub(crate) const HALVE_WIDTH: f64 = 1.0 / (1 << 20) as f64;

/// Brent's method: the most evaluations, twice the bisections that reach the last digit of a float. No unit.
pub(crate) const BRENT_STEPS: u32 = 106;

/// Conservative advancement: the most readings before the time reached is accepted. No unit. In grazing contact of
/// round bodies each step halves the remainder (a double root), so 60 reach the last digit; 128 leaves room.
pub(crate) const ADVANCE_STEPS: u32 = 128;

/// Conservative advancement: error of the speed `n · d` across a plane, relative to `|d|`: the dot product `3u`, the
/// length of `n` `4u`, and `u` for the rounding of `d` itself. Where `n` is the normal of a half-space, which no other
/// plane can replace, `11u` for its error (see `tolerances::LOWER_BOUND`). For bodies made of parts `n` is rotated once
/// more, `11u`, and `d` is rotated into the frame of one, `5.2u + 1.75u` (`MATRIX_VECTOR`, `INVERSE_ENTRY`). Together
/// `37u`.
pub(crate) const ADVANCE_SPEED: f64 = 38.0 * UNIT_ROUNDOFF;

/// Relative motion: factor that rounds speeds up, which are computed in plain floats from enclosures, in fewer than 40
/// operations each.
pub(crate) const RELATIVE_SPEED: f64 = 1.0 + 1e-13;

/// Relative motion: rigidity defects of given poses, which the frame of a moving body inherits, are at most 1e-6:
/// lengths in the frame equal those in the world within this factor.
pub(crate) const RELATIVE_FRAME: f64 = 1.0 + 4e-6;

/// Relative motion: how many rigidity defects the frame of A may rotate a quantity by, relative to its size:
/// velocities, positions and normals use the transpose or the inverse of the rotation, which differ by the defect; at
/// most three vectors are multiplied. A fourth covers the squares.
pub(crate) const RELATIVE_SKEW: f64 = 4.0;

/// Continuous overlap tests: rigidity defects of poses are at most 1e-6, so lengths are off by at most 4e-6 of them,
/// products of two axes by 8e-6, and products of three, one of them replacing the cross product of two others, by 3e-5.
pub(crate) const OVERLAP_DEFECT: f64 = 3e-5;

/// Rigid motions: the rotation, in radians, up to which an enclosure of a frame is tight enough to be useful: an eighth
/// of pi.
pub(crate) const RIGID_PIECE_ANGLE: f64 = std::f64::consts::PI / 8.0;

/// Rigid motions: the most pieces a span is split into: enough for 100 revolutions and more. No unit. Beyond that
/// pieces rotate more and bounds are looser.
pub(crate) const RIGID_PIECES: f64 = 2048.0;

/// Elementary polynomials: the error of a sum of up to four vectors, relative to their bounds; derived in
/// `motion/elementary/forms.rs`.
pub(crate) const FORMS_LINE: f64 = 16.0 * UNIT_ROUNDOFF;

/// Elementary polynomials: the error of a coefficient of a sum of quadratics, relative to products of two bounds;
/// derived in `motion/elementary/forms.rs`.
pub(crate) const FORMS_QUADRATIC: f64 = 128.0 * UNIT_ROUNDOFF;

/// Elementary polynomials: the error of a coefficient of the volume, relative to the product of the bounds; derived in
/// `motion/elementary/forms.rs`.
pub(crate) const FORMS_VOLUME: f64 = 512.0 * UNIT_ROUNDOFF;

/// Elementary polynomials: covers underflow, at most 2⁻¹⁰⁷⁴ times a coordinate of 1e60 in products of three.
pub(crate) const FORMS_UNDERFLOW: f64 = 1e-250;

/// Certified elementary test: intervals are not split below this fraction of the step: two roots of a volume closer
/// than this differ from a double root by little more than rounding.
pub(crate) const CERTIFIED_NARROWEST: f64 = 1.0 / (1 << 26) as f64;

/// Certified elementary test: where an interval is split, as a fraction of its length: slightly off the midpoint, since
/// handmade motions often touch at one half.
pub(crate) const CERTIFIED_SPLIT: f64 = 0.4871;

/// Certified elementary test: the most intervals examined; a double root takes two at each of 27 levels. No unit.
pub(crate) const CERTIFIED_INTERVALS: usize = 256;

/// Elementary test by bisection: intervals of time are not bisected below this fraction of the step.
pub(crate) const BISECTION_THRESHOLD: f64 = 1e-9;

/// Elementary test by bisection: features closer than this, relative to their size and displacement, count as touching.
pub(crate) const BISECTION_NEAR: f64 = 1e-9;

/// Elementary test by bisection: a cubic below this, relative to the product of the sizes of its vectors, counts as
/// zero.
pub(crate) const BISECTION_ZERO: f64 = 1e-13;

/// Elementary test by bisection: the most intervals bisected, and the most advancement steps. No unit.
pub(crate) const BISECTION_INTERVALS: u32 = 4096;

/// Elementary test by the cubic: coefficients below this, relative to the largest, initially count as zero.
pub(crate) const CUBIC_COEFFICIENT: f64 = 1e-10;

/// Elementary test by the cubic: a root is accepted if the polynomial there is below this, relative to the largest
/// coefficient.
pub(crate) const CUBIC_SOLUTION: f64 = 1e-8;

/// Elementary test by the cubic: how often the tolerance is raised and lowered. No unit.
pub(crate) const CUBIC_RETRIES: i32 = 6;

/// Elementary test by the cubic: how far outside a feature a point may be, in the feature's own coordinates.
pub(crate) const CUBIC_INSIDE: f64 = 1e-10;

/// Elementary test by inclusion: the rounding of a value, relative to the largest coordinate along its axis: sums of
/// corners times factors of up to three roundings, at most `10u`.
pub(crate) const INCLUSION_ROUNDING: f64 = 32.0 * UNIT_ROUNDOFF;

// --- room: depth ---

/// Local depth: brackets narrower than this fraction of the bodies' extent are rounding: pieces are cut up to 120
/// times, which rounds their corners by `8u` each, and a piece is measured, placed and widened by about `64u`.
pub(crate) const LOCAL_DEPTH_FLOOR: f64 = 1024.0 * UNIT_ROUNDOFF;

/// Local depth: how much the upper end is raised, as a fraction of the extent, so that `verify` can prove it. `verify`
/// places corners and faces in the world (`4u`), measures distances (`16u`), and cuts pieces of its own, which costs
/// `24u` a cut. Where the deepest point is as far from three faces it may have to halve a piece 40 times before the
/// piece is as small as what the cuts cost: `960u`.
pub(crate) const LOCAL_DEPTH_SLACK: f64 = 1024.0 * UNIT_ROUNDOFF;

/// Frontier of Minkowski sums: gaps narrower than this, relative to their distance, are closed: about 32 roundings of
/// single precision, of which an interval's end has four (two products, a sum; the preference for original faces
/// accounts for the rest).
pub(crate) const FRONTIER_NARROW: f32 = 4e-6;

/// Frontier of Minkowski sums: where two far sides coincide the original one must win; it is drawn farther by this
/// factor, above four roundings.
pub(crate) const FRONTIER_PREFER_ORIGINAL: f32 = 1.0 - 1e-6;

/// Frontier of Minkowski sums: the most pixels along the side of a view.
pub(crate) const FRONTIER_MAX_RESOLUTION: u32 = 4096;

/// Local depth: the most cuts of a piece. No unit.
pub(crate) const PIECES_CUTS: u8 = 120;

/// Local depth: the most faces tested to prove that a piece meets none. No unit.
pub(crate) const PIECES_FACES: usize = 256;

/// Local depth: surfaces of at least this many triangles are sampled before the search, on about this many. A search on
/// fewer takes less work than that. No unit.
pub(crate) const PIECES_SAMPLED: usize = 128;

/// The most triangles of a convex patch: each new one is tested against all others. No unit.
pub(crate) const PATCH_TRIANGLES: usize = 512;

/// How often a convex patch may grow out of the solid before it is final. No unit. At one limit it can usually still
/// grow elsewhere; along a wall the next triangle fails like the last. Each failure costs about as many hulls as the
/// bisection takes.
pub(crate) const PATCH_FAILURES: usize = 4;

/// Depth by levels of hulls: a level with more pairs than this is not refined. No unit.
pub(crate) const LEVELS_PAIRS: usize = 2_000;

/// Depth by levels of hulls: pixels along the side of a view, and those of the last level.
pub(crate) const LEVELS_RESOLUTION: [u32; 2] = [128, 256];

/// Depth by levels of hulls: how many candidates are tested per level. No unit.
pub(crate) const LEVELS_TESTED: usize = 12;

/// Depth by levels of hulls: how many candidates per level the local walk starts from. No unit.
pub(crate) const LEVELS_WALKS: usize = 3;

/// Depth by levels of hulls: the most moves along a direction from a candidate. No unit.
pub(crate) const LEVELS_MOVES: usize = 256;

/// Lower bound of the depth: the number of anchors a cube passes on to its parts. No unit.
pub(crate) const COVER_ANCHORS: usize = 4;

/// Lower bound of the depth: the most halvings of a cube. No unit.
pub(crate) const COVER_HALVINGS: i32 = 24;

/// Lower bound of the depth: from this many halvings on, and every third after that, a separating translation is sought
/// right at the cube. No unit.
pub(crate) const COVER_OPENING: i32 = 6;

/// Lower bound of the depth: how many local walks may start at a translation longer than the shortest known. No unit.
pub(crate) const COVER_DETOURS: u32 = 8;

/// Lower bound of the depth: the most moves along a direction from a cube. No unit.
pub(crate) const COVER_MOVES: usize = 48;

/// Nearest point of half-spaces: the most steps; beyond this, rounding is assumed to cycle. No unit.
pub(crate) const LEAST_POINT_STEPS: usize = 64;

/// Deep points of two solids: the most points probed to find one deeper than the current one. No unit.
pub(crate) const DEEP_PROBES: usize = 24;

/// Deep points of two solids: places where surfaces meet that are tried for a translation that no known point covers.
/// No unit.
pub(crate) const DEEP_FRESH: usize = 8;

/// Deep points of two solids: places where surfaces meet that are tried at the start. No unit.
pub(crate) const DEEP_STARTS: usize = 24;

/// First separating translation: how many translations the local walk starts from. No unit.
pub(crate) const SEARCH_WALKS: usize = 2;

/// First separating translation: translations longer than the shortest by this factor are not used as starts.
pub(crate) const SEARCH_FARTHER: f64 = 1.5;

/// Tree of hulls: the most corners of a node that is not a piece. No unit.
pub(crate) const HULL_CORNERS: usize = 50;

/// Tree of hulls: the most planes bounding such a node: `2 f - 4` corners are at most [`HULL_CORNERS`].
pub(crate) const HULL_PLANES: usize = HULL_CORNERS / 2 + 2;

/// Tree of hulls: how many planes are added at a time, before the corners are recomputed. No unit.
pub(crate) const HULL_PLANES_AT_ONCE: usize = 7;

/// Tree of hulls: how far planes are moved outward before corners are rounded, as a fraction of the size, tried in
/// turn. Any value is safe, as the result is checked; the first is about a hundred roundings, the last still tighter
/// than most boxes.
pub(crate) const HULL_MOVED: [f64; 4] = [1e-14, 1e-11, 1e-8, 1e-5];

/// Search for a deep point: offsets from the place of contact, as fractions of the way to the triangle's centroid.
pub(crate) const DEEP_POINT_OFFSETS: [f64; 4] = [1.0, 1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0];

/// Search for a deep point: steps inward of each offset point, the first as long as the offset, each a quarter of the
/// one before. No unit.
pub(crate) const DEEP_POINT_STEPS: i32 = 6;

/// Estimate of the local depth: the most sample points of each surface. No unit.
pub(crate) const ESTIMATE_POINTS: usize = 1 << 13;

/// Estimate of the local depth: samples in a ball are told inside or outside together if the surface is farther from its
/// middle than this many of its radii. By Harnack's inequality a positive harmonic function in the ball is then between
/// 0.61 and 1.68 times its value in the middle. No unit.
pub(crate) const ESTIMATE_ROOM: f64 = 6.0;

/// Estimate of the local depth: such a ball is outside if the winding number of its middle, computed with an error below
/// 0.06, is below this: `1.68 (0.2 + 0.06) < 1/2`. No unit.
pub(crate) const ESTIMATE_OUTSIDE: f64 = 0.2;

/// Estimate of the local depth: such a ball is inside above this: `0.61 (0.9 - 0.06) > 1/2`. No unit.
pub(crate) const ESTIMATE_INSIDE: f64 = 0.9;

/// Estimate of the local depth: rounding of placed points and boxes, relative to the size of the bodies. Estimates need
/// no derived bound.
pub(crate) const ESTIMATE_ROUNDING: f64 = 1e-12;

/// Overlap volume: the largest scaled coordinate.
pub(crate) const VOLUME_COORDINATE: f64 = 2.0;

/// The square of the unit roundoff, the unit of errors of double-double arithmetic.
pub(crate) const UNIT_ROUNDOFF_SQUARED: f64 = UNIT_ROUNDOFF * UNIT_ROUNDOFF;

/// Overlap volume: the error in area of the computed intersection of two triangles, per unit of the diameter `D` of the
/// smaller. `S` is [`VOLUME_COORDINATE`]; differences of points are at most `2√2 S` long.
///
/// A corner's height over an edge `e` is `e × (x - p)`: the difference is off by `3u²`, the products by `7u²`, their
/// difference by `3u²`, in all `14u² |e| 2√2 S`, which is `40u² S` across the edge. A new corner at `t = h / (h - h')`,
/// from heights of opposite sign, is off by `18u²` of the side along it and by `(10 D + 4.3 S) u²` otherwise. So a
/// corner that should lie on the line of the edge is within `125u² S` of it, and the area that clipping wrongly adds or
/// removes is in a strip of twice that width and of length `D` along the line, or within `45u² S` of the sides of the
/// polygon, which are at most `πD` long: `540u² S D`. There are three edges, and a cut where the heights of the
/// triangles are equal. The integrals over a polygon of up to 14 corners, a fan of 12 triangles each with products off
/// by `40u² D²` and `D <= 2√2 S`, add `1400u² S D`. In all less than `4000u² S D`.
pub(crate) const VOLUME_CLIPPED: f64 = 4000.0 * UNIT_ROUNDOFF_SQUARED * VOLUME_COORDINATE;

/// Overlap volume: the loss by underflow of products of numbers up to 2 in one pair of triangles.
pub(crate) const VOLUME_UNDERFLOW: f64 = 1e-280;

/// Overlap volume: the error of a sum of double-doubles in each step, relative to the partial sum: `3u²` and room for
/// higher orders.
pub(crate) const VOLUME_SUM: f64 = 3.1 * UNIT_ROUNDOFF_SQUARED;

/// Overlap volume: the relative error of the area of a triangle in space from its plane: `Height::stretch` `8u`, the
/// product and the rounding of the sum `2u`, the length of a normal `4u`, with room.
pub(crate) const VOLUME_AREA: f64 = 16.0 * UNIT_ROUNDOFF;

/// Overlap volume: the error of the distance of a point from the plane of a triangle in floating point, combined in
/// `Facet::new`. A difference of points is at most `4√3` long. It is off by `2u` of that, its product with the unit
/// normal by `3√3 u`, the length of the normal by `3u`: `71u`. The normal is off by `6√3 u` of the largest side squared
/// over twice the area: `72u` of their ratio.
pub(crate) const VOLUME_FACET: f64 = 72.0 * UNIT_ROUNDOFF;

/// Depth of solids: the work of a query about two surfaces, in point queries.
pub(crate) const SOLIDS_PAIR_WORK: u64 = 8;

/// Depth of solids: the most pairs of triangles collected where only hints are needed. No unit.
pub(crate) const SOLIDS_HINTS: usize = 1024;

/// Local walk of a separating translation: the most steps. No unit.
pub(crate) const SLIDE_STEPS: usize = 48;

/// Local walk of a separating translation: the most walks, each from the end of the last one after drawing it in. No
/// unit.
pub(crate) const SLIDE_WALKS: usize = 4;

/// Local walk of a separating translation: the most steps without improvement. No unit.
pub(crate) const SLIDE_FAILURES: usize = 2;

/// Local walk of a separating translation: the most moves towards the origin until the solids touch. No unit.
pub(crate) const SLIDE_DRAWS: usize = 64;

/// Proof of overlap: how many pairs of intersecting triangles are examined, spread evenly over all. No unit.
pub(crate) const OVERLAP_PAIRS: usize = 48;

/// Proof of overlap: how many corners of a body are examined, spread evenly over all. No unit.
pub(crate) const OVERLAP_CORNERS: usize = 32;

/// Proof of overlap: sample points from a crossing towards a corner, as fractions of the way, besides the corner
/// itself.
pub(crate) const OVERLAP_OFFSETS: [f64; 3] = [0.25, 1.0 / 16.0, 1.0 / 64.0];

/// Depth along a direction: the most proved intervals of the path. No unit.
pub(crate) const ALONG_INTERVALS: usize = 200;

// --- room: impact ---

/// First contact of rotating bodies: the search among parts is faster than steps below this fraction of the step. It
/// covers [`RIGID_WINDOW`].
pub(crate) const RIGID_HAND_OVER: f64 = 1e-3;

/// First contact of rotating bodies: the fraction of the step that the search among parts covers before distances are
/// computed again.
pub(crate) const RIGID_WINDOW: f64 = 8.0 * RIGID_HAND_OVER;

/// First contact of rotating bodies: the most readings before the time reached is accepted. No unit.
pub(crate) const RIGID_READINGS: u32 = 10_000;

/// The most pieces of a path over a height field; beyond this, pieces grow. No unit.
pub(crate) const SWEPT_PIECES: f64 = 4096.0;

/// First contact of rotating bodies: boxes are tested at this many steps of the searched time. No unit.
pub(crate) const RIGID_GRID: usize = 128;

/// First contact of rotating bodies: the ratio of successive spans over which speeds are enclosed.
pub(crate) const RIGID_SHORTER: f64 = 0.25;

/// First contact of rotating bodies: the number of spans at each time of the grid. No unit.
pub(crate) const RIGID_SPANS: usize = 6;

/// First contact of rotating bodies: the most pairs popped before the search ends as undecided. No unit.
pub(crate) const RIGID_PAIRS: u64 = 1 << 24;

/// Hulls with more vertices are replaced by their bounding sphere.
pub(crate) const RIGID_CORNERS: usize = 64;

/// First contact of rotating bodies: up to this many pairs of parts are searched without computing distances of the
/// whole. No unit.
pub(crate) const RIGID_FEW_PAIRS: usize = 16;

/// First contact of rotating bodies: how many pairs of parts are tried for a proof of contact. No unit.
pub(crate) const RIGID_PROOFS: usize = 64;

/// First contact by Brent's method: the root finder seeks the time at which the bodies are this close, relative to the
/// reach: far above rounding, so that its function is smooth, and close enough that the advance from there takes few
/// readings.
pub(crate) const BRENT_LEVEL: f64 = 1e-6;

/// First contact of rotating bodies: the first and the last delay after the contact at which a proof is tried, as
/// powers of two of the step.
pub(crate) const RIGID_PROOF_DELAYS: std::ops::Range<i32> = -46..-3;

// --- room: world ---

/// First contact of many bodies: the most pieces of the step, as a power of two. Faster bodies have looser boxes.
pub(crate) const FIRST_IMPACT_HALVINGS: u32 = 6;

/// Hulls with more vertices are replaced by their bounding sphere.
pub(crate) const FIRST_IMPACT_CORNERS: usize = 64;

/// World: the margin of a body's box on each side, as a fraction of its longest side: a body that moves less needs no
/// change of the tree.
pub(crate) const WORLD_MARGIN: f64 = 0.05;

// --- room: verify ---

/// Local depth: the most pieces examined. No unit.
pub(crate) const VERIFY_DEPTH_PIECES: u32 = 4_000_000;

/// Local depth: the most faces tested to prove that a piece is clear of them. No unit.
pub(crate) const VERIFY_DEPTH_FACES: u32 = 1024;

/// Parts: the most steps of the search for a plane between two parts. No unit.
pub(crate) const VERIFY_PLANE_STEPS: usize = 256;

/// Height fields: a bound on the error of a triangle's unit normal. The cross product of two edges, each with a few
/// roundings, is rotated by about `8u` of the edges over the height between them; for grid cells, whose sides are the
/// steps of the grid, no more than this.
pub(crate) const VERIFY_GRID_NORMAL: f64 = 1e-9;

/// Depth: how often the polytope is expanded, each time by a vertex beyond every face that is too near. No unit.
pub(crate) const VERIFY_POLYTOPE_ROUNDS: usize = 160;

/// Depth: how many faces are pushed outward each time. No unit.
pub(crate) const VERIFY_POLYTOPE_FACES: usize = 32;

/// Depth inside a body of revolution: the most pieces of the circle examined. No unit.
pub(crate) const VERIFY_ARC_PIECES: usize = 20_000;

/// Depth inside a body of revolution: the most halvings of a piece of the circle. No unit.
pub(crate) const VERIFY_ARC_HALVINGS: u32 = 40;

/// Missed rays: the most farthest points requested before a point counts as not proved inside. No unit.
pub(crate) const VERIFY_FARTHEST_POINTS: usize = 64;

/// Below this squared sine of their angle, edges count as parallel: the closest point of one of them is an end.
pub(crate) const VERIFY_PARALLEL: f64 = 1e-24;

/// Height fields of up to this many triangles are examined as a whole. No unit.
pub(crate) const VERIFY_ALL_TRIANGLES: usize = 20_000;

/// Height fields: how many prisms as near to a half-space as the nearest, up to rounding, are used to bound the size
/// that the search examined. No unit.
pub(crate) const VERIFY_TIES: usize = 64;

/// A half-space faces up if the height of its unit normal is above this; less may be rounding of a sideways one.
pub(crate) const VERIFY_UPWARD: f64 = 4e-15;

/// Depth along a direction: how often the balls are measured. No unit.
pub(crate) const VERIFY_ALONG_STEPS: u32 = 10_000;

/// Depth along a direction: how many points are known at a time. No unit.
pub(crate) const VERIFY_ALONG_POINTS: usize = 8;

/// Depth along a direction: how often another point is requested. No unit.
pub(crate) const VERIFY_ALONG_REQUESTS: u32 = 100;

/// Depth along a direction: another point is requested where the known ones prove less than this fraction of the rest.
pub(crate) const VERIFY_ALONG_LEAST_STEP: f64 = 1e-3;

/// Depth along a direction: the lower end is proved up to this fraction of the bodies' sizes; towards the end of the
/// path the intersection gets as thin as rounding.
pub(crate) const VERIFY_ALONG_UNPROVED: f64 = 1e-6;

/// Contact curves: the sine of the angle of two triangles, and of that between a segment and their common line, up to
/// which the direction of the segment is undecided.
pub(crate) const VERIFY_CURVE_SINE: f64 = 1e-6;

/// Rays and points: how closely rounded, custom and flat bodies are checked, relative to the body's size and distance.
pub(crate) const VERIFY_LOOSE: f64 = 1e-9;

/// Rotating bodies: gaps below this fraction of the bodies' sizes are not distinguished from contact.
pub(crate) const VERIFY_RIGID_NEAR: f64 = 1e-9;

/// Rotating bodies: the longest omitted span before `lower`, as a fraction of the step.
pub(crate) const VERIFY_RIGID_LAST: f64 = 1e-7;

/// Rotating bodies: the most parts of the span before `lower` that are examined. No unit.
pub(crate) const VERIFY_RIGID_LAST_SPANS: u32 = 2_000;

/// Rotating bodies: a gap below this multiple of its rounding error is not distinguished from contact.
pub(crate) const VERIFY_RIGID_ROUNDING: f64 = 8.0;

/// Rotating bodies: the most spans of time examined. No unit.
pub(crate) const VERIFY_RIGID_SPANS: u32 = 200_000;

/// Translating bodies: how often the time of closest approach is narrowed by a third: to 1e-11 of the step, where the
/// normal is as accurate as a distance gives it. No unit.
pub(crate) const VERIFY_TRANSLATION_READINGS: u32 = 64;

/// The most pieces of a path over a height field; beyond this, pieces grow. No unit.
pub(crate) const VERIFY_SWEPT_PIECES: f64 = 4096.0;

/// Repaired meshes: the most pieces of one triangle. No unit.
pub(crate) const VERIFY_REPAIR_PIECES: usize = 20_000;

/// Repaired meshes: relative slack of a rounded sum of lengths: `n u` for `n` edges, fewer than 2^32.
pub(crate) const VERIFY_LENGTHS: f64 = 4_294_967_296.0 * UNIT_ROUNDOFF;

/// Error of the filter of triangles against tetrahedra: 2⁻¹⁴, 1024 of its `u = 2⁻²⁴`, in units of `M³` with `M` the
/// largest coordinate relative to a corner of the triangle. Coordinates are differences rounded in `f64` and again in
/// `f32`: off by `u` of themselves, so by `u M`. Every sum is of products of three coordinates, at least one of them of
/// the triangle for products of edges and two for its normal: there, one or two factors `M` are the largest coordinate
/// of the triangle instead.
/// - A product of two is off by `3u M²`, a difference of two products by `8u M²`, of at most `2M²`.
/// - A dot product of that with a coordinate vector: `12u M³` a term, `46u` with the sums, of at most `6 M³`.
/// - A rise over a face, three such products: `174u`, of at most `18 M³`; that along the third edge, a difference of
///   two: `384u`, of at most `36 M³`. A climb, a difference of two heights: `108u`, of at most `12 M³`.
/// - The position of the third edge, two products and a climb: `240u`, of at most `24 M³`; with a rise along it,
///   `684u`.
/// - Less a climb, which is the longest sum of all: `684u + 108u + 72u = 864u`. The rest covers second-order terms and
///   the rounding of the bound.
pub(crate) const TET_FILTER: f32 = 1024.0 / (1u32 << 24) as f32;

/// The share of underflow in that error. Each of fewer than 200 products loses at most 2⁻¹⁵⁰, times coordinates of at
/// most 2 twice: below 2⁻¹⁴⁰. The smallest normal number is above that.
pub(crate) const TET_FILTER_TINY: f32 = f32::MIN_POSITIVE;

/// Contours of moving surfaces: how often the time is halved to show that two edges stay apart, so a turn of up to 16
/// times the angle that one span shows. No unit.
pub(crate) const SWEPT_CONTOUR_HALVINGS: u32 = 4;

/// Contours of moving surfaces: how many pairs of edges are compared for each edge before the contour counts as
/// touching itself. A round contour at rest has about as many pairs that overlap along an axis as it has edges: the
/// square root of their number would do for a million triangles. No unit.
pub(crate) const SWEPT_CONTOUR_PAIRS: usize = 256;

/// Culling by normals: by how much those of triangles at a rim are widened, as the sine of 30 degrees, and of 45
/// degrees where the rim is concave. Volino gives no figure. No unit, and no proof: see `SelfCulling::Normals`.
pub(crate) const RIM_SINES: [f64; 2] = [0.5, std::f64::consts::FRAC_1_SQRT_2];
