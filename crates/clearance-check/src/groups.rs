//! Groups findings that are the same fault repeated: the same two geometries in the same relative pose, under one rule
//! and test set.
//!
//! Two pairs are alike if the corners of the second part's box, in the frame of the first part, agree to within a
//! millionth of the size of the assembly: files store rotations in single precision, so a pair that is rotated as a
//! whole matches only approximately. Pairs are still measured separately unless they match to the bit
//! ([`crate::reuse`]): groups are for readers, and prove nothing.
//!
//! The key for this is stored in the reports of shards, so that merging yields the groups of a single run.

use std::collections::BTreeMap;

use clearance::Pose;
use clearance::glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::limits::ALIKE_OF_SIZE;
use crate::model::{Model, hexadecimal};
use crate::report::{Finding, Group, Kind};

/// The key that decides whether two pairs of parts are alike. Written in the reports of shards only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Likeness {
    /// A hash of both geometries.
    pub geometries: String,
    /// Four corners of the box of one part in the frame of the other, in units of the length within which pairs are
    /// alike. Two equal geometries have two views, as either may be the first.
    pub views: Vec<[[f64; 3]; 4]>,
    /// Display names of A and B: the name of the mesh, or of the nearest named ancestor.
    pub names: [String; 2],
}

impl Likeness {
    /// The key of two parts of a model, by index.
    pub(crate) fn new(model: &Model, length: f64, a: usize, b: usize) -> Likeness {
        let (part_a, part_b) = (&model.parts[a], &model.parts[b]);
        let (content_a, content_b) = (&model.contents[part_a.body], &model.contents[part_b.body]);
        let view = |from: usize, of: usize| {
            let (from, of) = (&model.parts[from], &model.parts[of]);
            view(&from.pose, &of.pose, model.body(of).shape.bounds().min, model.body(of).shape.bounds().max, length)
        };
        let views = match content_a.cmp(content_b) {
            std::cmp::Ordering::Less => vec![view(a, b)],
            std::cmp::Ordering::Equal => vec![view(a, b), view(b, a)],
            std::cmp::Ordering::Greater => vec![view(b, a)],
        };
        let mut hasher = Sha256::new();
        hasher.update(content_a.min(content_b));
        hasher.update(content_a.max(content_b));
        let names = [part_a, part_b].map(|part| display_name(&model.mesh_names[part.body], &part.id));
        Likeness { geometries: hexadecimal(&hasher.finalize()[..16]), views, names }
    }

    fn is_like(&self, other: &Likeness) -> bool {
        let Some(view) = self.views.first() else { return false };
        other.views.iter().any(|of_other| {
            let mut corners = view.iter().zip(of_other);
            corners.all(|(p, q)| (DVec3::from_array(*p) - DVec3::from_array(*q)).length() <= 1.0)
        })
    }

    /// The distance between the parts, on which pairs that are alike agree to within one.
    fn distance(&self) -> f64 {
        self.views.iter().map(|view| DVec3::from_array(view[0]).length()).fold(f64::INFINITY, f64::min)
    }
}

/// The length within which pairs of a model are alike.
pub(crate) fn length_of_likeness(model: &Model) -> f64 {
    (ALIKE_OF_SIZE * model.size()).max(f64::MIN_POSITIVE)
}

/// Four corners of a placed box in the frame of another pose.
fn view(from: &Pose, of: &Pose, min: DVec3, max: DVec3, length: f64) -> [[f64; 3]; 4] {
    let corners =
        [min, DVec3::new(max.x, min.y, min.z), DVec3::new(min.x, max.y, min.z), DVec3::new(min.x, min.y, max.z)];
    let turn = from.rotation().transpose();
    corners.map(|corner| (turn * (of.transform_point(corner) - from.translation()) / length).to_array())
}

/// The longest name shown in full.
const LONGEST: usize = 40;

/// The display name of a part: the name of its mesh, or of the nearest named ancestor, shortened.
fn display_name(mesh: &str, id: &str) -> String {
    let last = |name: &str| family(name.rsplit(['/', '\\']).find(|word| !word.is_empty()).unwrap_or(name)).to_owned();
    // Nodes without a name are called by their index.
    let is_named = |word: &&str| {
        let number = family(word).strip_prefix("node ");
        !word.is_empty() && !number.is_some_and(|number| number.bytes().all(|c| c.is_ascii_digit()))
    };
    let name = if mesh.is_empty() {
        id.rsplit(['/', '\\']).find(is_named).map_or_else(|| last(id), |word| family(word).to_owned())
    } else {
        last(mesh)
    };
    let count = name.chars().count();
    if count <= LONGEST {
        return name;
    }
    let (head, tail) = (LONGEST / 2 - 1, LONGEST / 2);
    let head: String = name.chars().take(head).collect();
    let tail: String = name.chars().skip(count - tail).collect();
    format!("{head}…{tail}")
}

/// A name without its instance number.
pub(crate) fn family(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((family, number)) if !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()) => family,
        _ => name,
    }
}

/// What the findings of a group have in common exactly, and the distance between the parts in whole units of likeness.
type Key<'f> = (Kind, (&'f str, Option<&'f str>), &'f str, &'f str, i64);

/// Groups findings that are alike, of one kind under one rule and test set, ordered by the worst of each group.
/// Findings without a likeness, from version 1, are grouped by the names of their parts.
pub(crate) fn groups(findings: &[Finding]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut known: BTreeMap<Key<'_>, Vec<(usize, &Finding)>> = BTreeMap::new();
    for finding in findings {
        let reason = (finding.rule.as_str(), finding.set.as_deref());
        let (key, like) = match &finding.likeness {
            Some(like) => {
                // Numbers beyond the integer range saturate to one cell, and are compared.
                let cell = like.distance().floor() as i64;
                ((finding.kind, reason, like.geometries.as_str(), "", cell), Some(like.as_ref()))
            }
            None => {
                let (a, b) = (family(&finding.a), family(&finding.b));
                ((finding.kind, reason, a.min(b), a.max(b), 0), None)
            }
        };
        let near = [0, -1, 1].map(|by| (key.0, key.1, key.2, key.3, key.4.saturating_add(by)));
        let number = near.iter().find_map(|key| {
            let is_like = |other: &Finding| match (like, &other.likeness) {
                (Some(like), Some(other)) => like.is_like(other),
                (like, other) => like.is_none() && other.is_none(),
            };
            known.get(key)?.iter().find(|(_, other)| is_like(other)).map(|(number, _)| *number)
        });
        let number = number.unwrap_or_else(|| {
            let [a, b] = like.map_or_else(
                || [&finding.a, &finding.b].map(|name| family(name).to_owned()),
                |like| like.names.clone(),
            );
            let (kind, how, rule) = (finding.kind, finding.how, finding.rule.clone());
            known.entry(key).or_default().push((groups.len(), finding));
            let (set, worst) = (finding.set.clone(), finding.gap);
            groups.push(Group { kind, how, rule, set, a, b, count: 0, worst, findings: Vec::new() });
            groups.len() - 1
        });
        groups[number].count += 1;
        groups[number].findings.push(finding.id.clone());
    }
    groups
}

#[cfg(test)]
mod tests {
    use clearance::Pose;
    use clearance::glam::DVec3;

    use super::{Likeness, display_name, view};

    #[test]
    fn display_names() {
        let name = |mesh: &str, id: &str| display_name(mesh, id);
        assert_eq!(name("dowel", "gearbox/dowels/dowel-2"), "dowel");
        assert_eq!(name("gearbox/dowels/dowel#3", "x"), "dowel");
        assert_eq!(name("", "car/wheel#2/node 7/node 12#3"), "wheel");
        assert_eq!(name("", "node 7/node 12"), "node 12");
        assert_eq!(name("", "node x"), "node x");
        let long = name(&format!("head{}tail", "-".repeat(90)), "");
        assert!(long.chars().count() == 40 && long.starts_with("head-") && long.ends_with("-tail"), "{long}");
    }

    /// A pair rotated as a whole, in single precision, is like itself; one that is moved is not.
    #[test]
    fn pairs_that_are_turned_as_a_whole_are_alike() {
        let (min, max) = (DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let apart = Pose::from_translation(DVec3::new(4.0, 5.0, 6.0)).unwrap();
        let single = |x: f64| f64::from(x as f32);
        let turned = |pose: &Pose, by: f64| {
            let whole =
                Pose::from_axis_angle(DVec3::new(1.0, 2.0, 3.0), 0.7, DVec3::new(10.0, 20.0, 30.0 + by)).unwrap();
            let columns = whole.rotation().to_cols_array().map(single);
            let rotation = clearance::glam::DMat3::from_cols_array(&columns);
            Pose::new(rotation, (rotation * pose.translation() + whole.translation()).to_array().map(single).into())
        };
        let length = 1e-6 * 100.0;
        let like = |from: &Pose, of: &Pose| Likeness {
            geometries: String::new(),
            views: vec![view(from, of, min, max, length)],
            names: [String::new(), String::new()],
        };
        let here = like(&Pose::IDENTITY, &apart);
        let there = like(&turned(&Pose::IDENTITY, 0.0).unwrap(), &turned(&apart, 0.0).unwrap());
        let moved = like(&turned(&Pose::IDENTITY, 0.0).unwrap(), &turned(&apart, 0.001).unwrap());
        assert!(here.is_like(&there) && there.is_like(&here) && here.views != there.views);
        assert!(!here.is_like(&moved));
        assert!((here.distance() - there.distance()).abs() <= 1.0);
    }
}
