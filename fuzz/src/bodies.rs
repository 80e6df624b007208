//! Two valid bodies of any kind, including meshes, compounds and height fields: every query about them.
//!
//! The queries of [`pairs`](crate::pairs), contacts within a margin, and the overlap volume. A run makes one of the
//! three, since the first usually reveals any fault of a pair.

use clearance::answer::Contacts;
use clearance::query::{ContactsOptions, contacts_with};
use clearance::{PairCache, Pose, Shape, Workspace, overlap_volume};

use crate::decode::Decoder;
use crate::{ordered, pairs};

/// Decodes two posed bodies, queries them, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    let question = decoder.choice(4);
    let size = decoder.length();
    let a = decoder.body(size);
    let b = match decoder.choice(8) {
        0 => a.clone(),
        1 => {
            let size = decoder.length();
            decoder.body(size)
        }
        _ => decoder.body(size),
    };
    let pose_a = decoder.pose(a.size);
    let pose_b = decoder.second_pose(&a, &pose_a, &b);
    match question {
        0 => ask_contacts(&a.shape, &pose_a, &b.shape, &pose_b, decoder.margin(size)),
        1 => ask_volume(&a.shape, &pose_a, &b.shape, &pose_b),
        _ => pairs::ask(&a.shape, &pose_a, &b.shape, &pose_b),
    }
}

/// Queries the contacts of a pair, and panics on a fault.
pub fn ask_contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) {
    let context = || format!("\nmargin: {margin:?}{}", pairs::context(a, pose_a, b, pose_b));
    let ask = |a, pose_a, b, pose_b| {
        let options = ContactsOptions { margin, ..ContactsOptions::default() };
        let (mut cache, mut workspace, mut found) = (PairCache::default(), Workspace::default(), Contacts::default());
        contacts_with(a, pose_a, b, pose_b, &options, &mut cache, &mut workspace, &mut found);
        found
    };
    let found = ask(a, pose_a, b, pose_b);
    assert!(ordered(found.gap.lower, found.gap.value, found.gap.upper), "contacts: {found:?}{}", context());
    for point in &found.points {
        assert!(ordered(point.gap.lower, point.gap.value, point.gap.upper), "contact: {point:?}{}", context());
    }
    if let Err(refusal) = found.verify(a, pose_a, b, pose_b) {
        panic!("verify contacts: {refusal}\n{found:?}{}", context());
    }
    let other = ask(b, pose_b, a, pose_a);
    let known =
        |found: &Contacts| (found.gap, found.gap.lower, found.gap.upper, found.points.len(), found.crossings.len());
    assert!(known(&other) == known(&found), "contacts exchanged: {found:?}\n{other:?}{}", context());
}

/// Queries the overlap volume of a pair, and panics on a fault. Bodies without a volume are rejected.
pub fn ask_volume(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) {
    let context = || pairs::context(a, pose_a, b, pose_b);
    let volume = match overlap_volume(a, pose_a, b, pose_b) {
        Ok(volume) => volume,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "volume: {error:?}{}", context());
            return;
        }
    };
    assert!(
        volume.volume.lower >= 0.0 && ordered(volume.volume.lower, volume.volume.value, volume.volume.upper),
        "{volume:?}{}",
        context()
    );
    let area = volume.area;
    assert!(area.lower >= 0.0 && ordered(area.lower, area.value, area.upper), "{volume:?}{}", context());
    if let Err(refusal) = volume.verify(a, pose_a, b, pose_b) {
        panic!("verify volume: {refusal}\n{volume:?}{}", context());
    }
    let other = overlap_volume(b, pose_b, a, pose_a);
    let known = other.as_ref().map(|other| (other.volume.value, other.volume.lower, other.volume.upper));
    assert!(
        known == Ok((volume.volume.value, volume.volume.lower, volume.volume.upper)),
        "volume exchanged: {volume:?}\n{other:?}{}",
        context()
    );
}
