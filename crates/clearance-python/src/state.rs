//! Answers as bytes, for pickles and for answers that come from another process: every field in order, little-endian.
//!
//! The bytes hold no shapes: those are pickled as objects of their own, once, however many answers are about them.

use clearance::answer::{
    Clearance, ClosestPoint, Contact, ContactPairs, Contacts, Crossing, DeepestPoint, DepthAlong, DepthCube,
    DepthDirection, DepthLabel, DepthLevel, DepthProof, Distance, ElementaryCounts, ElementaryImpact, Evidence, Impact,
    LeastClearance, LocalDepth, LocalDepthEnd, LocalDepthEstimate, Method, NearPair, NoElementaryImpact, NoHit,
    NoImpact, Penetration, PlaneSide, RayHit, RelationProof, RigidImpact, SelfIntersectionKind, SignedDistance,
    SolidDepth, StepCollisions, StepCounts, StepImpact, Stopped, Volume, Witness, WitnessPoint,
};
use clearance::glam::DVec3;
use clearance::query::{ImpactAlgorithm, RigidAlgorithm};
use clearance::shape::{Feature, HeightSample, SurfaceDistance, SurfaceHit, SurfacePoint, WheelContact};
use clearance::{Bracket, Pose, Relation};
use clearance_robot::Culling;

use pyo3::prelude::*;

use crate::error::bad_state;
use crate::give::Reduced;
use crate::pose::rows_of;

/// Raised whenever what is written changes.
const VERSION: u8 = 1;

/// Something that is written as bytes and read again.
pub trait State: Sized {
    /// Appends the bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes them off the front; `None` for bytes that are none.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

/// The bytes of something, with the version in front.
pub fn write(value: &impl State) -> Vec<u8> {
    let mut out = vec![VERSION];
    value.put(&mut out);
    out
}

/// The bytes of a list of things, as [`write`] writes it.
pub fn write_all<T: State>(values: &[T]) -> Vec<u8> {
    let mut out = vec![VERSION];
    put_all(values, &mut out);
    out
}

/// How many there are, and each.
fn put_all<T: State>(values: &[T], out: &mut Vec<u8>) {
    (values.len() as u64).put(out);
    values.iter().for_each(|value| value.put(out));
}

/// What [`write`] wrote.
pub fn read<T: State>(bytes: &[u8]) -> PyResult<T> {
    let (&VERSION, mut rest) = bytes.split_first().ok_or_else(bad_state)? else { return Err(bad_state()) };
    let value = T::take(&mut rest).ok_or_else(bad_state)?;
    if rest.is_empty() { Ok(value) } else { Err(bad_state()) }
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl State for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                array(bytes).map(<$number>::from_le_bytes)
            }
        }
    )*};
}

numbers!(u8, u32, u64, i64, f64);

/// Codes of enums without data.
macro_rules! codes {
    ($($kind:ty { $($variant:ident = $code:literal),* })*) => {$(
        impl State for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                // A variant that is not listed is written as a code that is refused when it is read.
                #[allow(unreachable_patterns, reason = "some of the enums may grow")]
                out.push(match self {
                    $(<$kind>::$variant => $code,)*
                    _ => u8::MAX,
                });
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                match u8::take(bytes)? {
                    $($code => Some(<$kind>::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

codes! {
    Relation { Separated = 0, Touching = 1, Overlapping = 2 }
    PlaneSide { In = 0, Front = 1, Back = 2, Both = 3 }
    DepthLabel { Global = 0, Local = 1, Estimate = 2 }
    DepthDirection { AInB = 0, BInA = 1 }
    LocalDepthEnd { Tolerance = 0, AtLeast = 1, AtMost = 2, Undecided = 3, Interrupted = 4 }
    ImpactAlgorithm { Conservative = 0, IntervalHalving = 1, Brent = 2, ClosedForm = 3, Elementary = 4 }
    SelfIntersectionKind { Rims = 0, Crossing = 1, Overlap = 2 }
    RigidAlgorithm { Hierarchies = 0, Advancement = 1 }
    Culling { Groups = 0, Pairs = 1 }
}

impl State for Stopped {
    fn put(&self, out: &mut Vec<u8>) {
        let (code, number) = match self {
            Stopped::Tolerance(tolerance) => (0, *tolerance),
            Stopped::FartherThan(distance) => (1, *distance),
            Stopped::Budget => (2, 0.0),
            // Written as a code that is refused when it is read.
            _ => (u8::MAX, 0.0),
        };
        out.push(code);
        number.put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (code, number) = (u8::take(bytes)?, f64::take(bytes)?);
        match code {
            0 => Some(Stopped::Tolerance(number)),
            1 => Some(Stopped::FartherThan(number)),
            2 => Some(Stopped::Budget),
            _ => None,
        }
    }
}

impl State for Method {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(match self {
            Method::Gjk => 0,
            Method::GjkStopped(_) => 1,
            Method::Epa => 2,
            Method::EpaStopped(_) => 3,
            Method::Newton => 4,
            Method::NewtonStopped(_) => 5,
            Method::ClosedForm => 6,
            Method::Parts => 7,
            Method::PartsStopped(_) => 8,
            Method::Mesh => 9,
            Method::MeshStopped(_) => 10,
            Method::Solids => 11,
            Method::Columns => 12,
            // Written as a code that is refused when it is read.
            _ => u8::MAX,
        });
        if let Some(reason) = self.stopped() {
            reason.put(out);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(bytes)? {
            0 => Method::Gjk,
            1 => Method::GjkStopped(Stopped::take(bytes)?),
            2 => Method::Epa,
            3 => Method::EpaStopped(Stopped::take(bytes)?),
            4 => Method::Newton,
            5 => Method::NewtonStopped(Stopped::take(bytes)?),
            6 => Method::ClosedForm,
            7 => Method::Parts,
            8 => Method::PartsStopped(Stopped::take(bytes)?),
            9 => Method::Mesh,
            10 => Method::MeshStopped(Stopped::take(bytes)?),
            11 => Method::Solids,
            12 => Method::Columns,
            _ => return None,
        })
    }
}

impl State for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        usize::try_from(u64::take(bytes)?).ok()
    }
}

impl State for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        u8::take(bytes).map(|byte| byte != 0)
    }
}

impl<T: State, const N: usize> State for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(out));
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::take(bytes)).collect();
        values?.try_into().ok()
    }
}

impl State for DVec3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        <[f64; 3]>::take(bytes).map(DVec3::from_array)
    }
}

impl State for Pose {
    fn put(&self, out: &mut Vec<u8>) {
        rows_of(self).put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Pose::from_rows(<[[f64; 4]; 3]>::take(bytes)?).ok()
    }
}

impl<T: State> State for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(if bool::take(bytes)? { Some(T::take(bytes)?) } else { None })
    }
}

impl<T: State, E: State> State for Result<T, E> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_ok().put(out);
        match self {
            Ok(value) => value.put(out),
            Err(other) => other.put(out),
        }
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(if bool::take(bytes)? { Ok(T::take(bytes)?) } else { Err(E::take(bytes)?) })
    }
}

impl<T: State> State for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        put_all(self, out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let count = u64::take(bytes)?;
        // Every value takes a byte at least, so a wrong count asks for no more memory than there are bytes.
        if count > bytes.len() as u64 {
            return None;
        }
        (0..count).map(|_| T::take(bytes)).collect()
    }
}

impl State for Feature {
    fn put(&self, out: &mut Vec<u8>) {
        let (kind, number) = match *self {
            Feature::Vertex(number) => (0u8, number),
            Feature::Edge(number) => (1, number),
            Feature::Face(number) => (2, number),
            Feature::Interior => (3, 0),
        };
        kind.put(out);
        number.put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        let (kind, number) = (u8::take(bytes)?, u32::take(bytes)?);
        Some(match kind {
            0 => Feature::Vertex(number),
            1 => Feature::Edge(number),
            2 => Feature::Face(number),
            3 => Feature::Interior,
            _ => return None,
        })
    }
}

impl State for ContactPairs {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_slice().to_vec().put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        ContactPairs::of_pairs(&Vec::<[u32; 2]>::take(bytes)?)
    }
}

/// Writes and reads the fields of structs in the order given; they have no others.
macro_rules! fields {
    ($($kind:ty { $($field:ident),* $(,)? })*) => {$(
        impl $crate::state::State for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: $crate::state::State::take(bytes)?),* })
            }
        }
    )*};
}

/// Writes and reads enums: the code of the variant, then its fields.
macro_rules! variants {
    ($($kind:ident { $($code:literal = $variant:ident $(($inner:ident))? $({ $($field:ident),* })?,)* })*) => {$(
        impl $crate::state::State for $kind {
            fn put(&self, out: &mut Vec<u8>) {
                match self {$(
                    $kind::$variant $(($inner))? $({ $($field),* })? => {
                        let code: u8 = $code;
                        code.put(out);
                        $($inner.put(out);)?
                        $($($field.put(out);)*)?
                    }
                )*}
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(match u8::take(bytes)? {
                    $($code => {
                        $(let $inner = $crate::state::State::take(bytes)?;)?
                        $($(let $field = $crate::state::State::take(bytes)?;)*)?
                        $kind::$variant $(($inner))? $({ $($field),* })?
                    })*
                    _ => return None,
                })
            }
        }
    )*};
}

/// What `__reduce__` says of an object that `_restore`, of its class, makes again from parts.
pub fn restored<'py, C, Parts>(slf: &Bound<'py, C>, parts: Parts) -> Reduced<'py, Parts> {
    Ok((slf.as_any().get_type().getattr("_restore")?, parts))
}

/// Pickles of what is known by its bytes alone.
macro_rules! pickled {
    ($($class:ident: $field:ident),*) => {$(
        #[pymethods]
        impl $class {
            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
            ) -> $crate::give::Reduced<'py, (Bound<'py, pyo3::types::PyBytes>,)> {
                let state = pyo3::types::PyBytes::new(slf.py(), &$crate::state::write(&slf.get().$field));
                $crate::state::restored(slf, (state,))
            }

            #[classmethod]
            fn _restore(_: &Bound<'_, pyo3::types::PyType>, state: &[u8]) -> PyResult<$class> {
                Ok($class { $field: $crate::state::read(state)? })
            }
        }
    )*};
}

pub(crate) use {fields, pickled, variants};

// The answers of the engine and what they are made of.
fields! {
    Bracket { lower, value, upper }
    WitnessPoint { point, part, feature }
    Witness { a, b }
    Distance { gap, placement, method, witness, normal }
    Penetration { depth, placement, method, witness, normal }
    Volume { volume, placement, centroid, centroid_off, area, method }
    RelationProof { relation, gap, placement, touch_band, normal, witness, evidence }
    Contact { witness, normal, gap }
    Crossing { triangle_a, triangle_b, ends_in_a, normals, side_of_a, side_of_b }
    Contacts { normal, gap, witness, margin, tilt, placement, method, points, crossings }
    SolidDepth { penetration, label, interrupted, levels, proof, work }
    DepthLevel { level, pairs, kept, depth }
    DepthProof { side, moves_a, cubes }
    DepthCube { middle, half, point }
    DepthAlong { depth, direction }
    LocalDepth { depth, deepest, ended, undecided_faces, work }
    LocalDepthEstimate { value, deepest, inside }
    DeepestPoint { witness, direction }
    Impact { time, touches, gap, margin, placement, witness,
        normal, started_overlapping, evidence, deep, algorithm, steps }
    RigidImpact { time, touches, gap, margin, pose_a, pose_b, witness,
        normal, started_overlapping, deep, algorithm, steps }
    NoImpact { margin, until }
    NoHit { from, to }
    NoElementaryImpact { until }
    LeastClearance { time, gap, witness, readings }
    ElementaryImpact { time, point, normal, coordinates }
    ElementaryCounts { filtered, certified, exact }
    StepCounts { candidates, elementary, visited }
    StepImpact { features, time, point, normal, coordinates }
    StepCollisions { impacts, intersecting, counts }
    NearPair { features, distance, points }
    ClosestPoint { distance, witness }
    SignedDistance { distance, witness, normal }
    RayHit { t, witness, normal, entering }
    HeightSample { height, normal, triangle }
    SurfaceHit { t, point, normal, from_below, triangle }
    SurfacePoint { distance, point, triangle }
    SurfaceDistance { distance, point, triangle }
    WheelContact { clearance, point, normal, triangle }
}

variants! {
    Clearance { 0 = Apart(distance), 1 = Overlapping(depth), }
    Evidence {
        0 = Points,
        1 = Polytope { pairs },
        2 = Deep,
    }
}
