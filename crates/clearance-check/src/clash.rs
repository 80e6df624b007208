//! Whether parts overlap, however slightly, and the way out: for callers that move parts until nothing overlaps.
//!
//! Works as [`check`](crate::check) does, without a touch band, and without examining where surfaces meet.

use clearance::glam::DVec3;

use crate::measure::{Measured, Placed, Scratch, measure};
use crate::report::{Kind, SearchOutcome};
use crate::rules::Limits;
use crate::searches::search;

/// The work for the depth of a small remaining overlap.
const WORK: u64 = 20_000;

/// How several pairs of bodies overlap.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{Mesh, Pose};
/// use clearance_check::{Body, Clash, Scratch};
/// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let corner = Body::from(Mesh::new(&points, &faces)?.solid()?);
/// let (here, near) = (Pose::IDENTITY, Pose::from_translation(DVec3::X * 0.9)?);
/// let clash = Clash::None.and((&corner, &here), (&corner, &near), &mut Scratch::default());
/// let Clash::Deep(way_out) = clash else { panic!("{clash:?}") };
/// assert!(way_out.length() < 0.1);
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clash {
    /// No pair overlaps.
    None,
    /// The longest of their ways out: moving the second body of that pair by this separates the two.
    Deep(DVec3),
    /// A pair overlaps of which one body is not a solid.
    Unknown,
}

impl Clash {
    /// Adds a pair.
    pub fn and(self, a: Placed<'_>, b: Placed<'_>, scratch: &mut Scratch) -> Clash {
        let Some(mut found) = overlap(a, b, scratch) else { return self };
        search(a, b, &mut found, WORK, |_, _| false);
        let Some(found) = found.way_out.filter(|found| found.search != SearchOutcome::None) else {
            return Clash::Unknown;
        };
        let way_out = DVec3::from_array(found.translation);
        match self {
            Clash::Unknown => Clash::Unknown,
            Clash::Deep(longest) if longest.length() >= way_out.length() => self,
            _ => Clash::Deep(way_out),
        }
    }
}

/// Whether two bodies overlap, however slightly.
///
/// ```
/// use clearance::glam::DVec3;
/// use clearance::{Mesh, Pose};
/// use clearance_check::{Body, Scratch, overlaps};
/// let sheet = Body::from(Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?);
/// let (here, above) = (Pose::IDENTITY, Pose::from_translation(DVec3::Z)?);
/// assert!(!overlaps((&sheet, &here), (&sheet, &above), &mut Scratch::default()));
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn overlaps(a: Placed<'_>, b: Placed<'_>, scratch: &mut Scratch) -> bool {
    overlap(a, b, scratch).is_some()
}

/// What is known without a search about two parts that overlap, however slightly.
fn overlap(a: Placed<'_>, b: Placed<'_>, scratch: &mut Scratch) -> Option<Measured> {
    // Contacts of allowed kinds are not examined further.
    let limits = Limits { touch: Some(0.0), allow: Kind::ALL.to_vec(), ..Limits::default() };
    let found = measure(a, b, &limits, scratch);
    found.filter(|found| found.kind == Kind::Hard)
}
