//! The contact of a pair as one point and one direction.

use clearance::glam::DVec3;
use clearance::query::ContactsOptions;

use crate::check::{Checker, State};
use crate::error::Error;

/// A contact of two links, or of a link and an object, in the world.
///
/// ```
/// use clearance::glam::DVec3;
/// let contact = clearance_robot::LinkContact { point: DVec3::ZERO, normal: None };
/// assert!(contact.normal.is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkContact {
    /// A point where they touch or cross, in the world: midway between the nearest points if only their padding meets,
    /// midway between the deepest points if bodies other than meshes overlap.
    pub point: DVec3,
    /// Unit, in the world, from the first towards the second. `None` for a body inside another, surfaces without an
    /// outside, and edges that cross.
    pub normal: Option<DVec3>,
}

impl Checker {
    /// Where a pair meets in a configuration, padding included; for two meshes, the first crossing of triangles with a
    /// known direction. `None` if they are farther apart than their padding.
    ///
    /// # Errors
    /// As [`Checker::distances`].
    ///
    /// ```
    /// # use clearance_robot::*;
    /// # let part = |name| format!(
    /// #    "<link name='{name}'><collision><geometry><sphere radius='1'/></geometry></collision></link>");
    /// # let text = format!("<robot name='r'>{}{}<joint name='j' type='prismatic'><parent link='a'/><child link='b'/>
    /// #     <limit lower='0' upper='9'/></joint></robot>", part("a"), part("b"));
    /// # let robot = Robot::parse("r.urdf", &text, &LoadOptions::default()).unwrap();
    /// let checker = Checker::new(robot, CheckOptions::default()).unwrap();
    /// let contact = checker.first_contact(&mut checker.state(), &[1.5], 0).unwrap().unwrap();
    /// assert!(contact.point.abs_diff_eq([0.75, 0.0, 0.0].into(), 1e-12));
    /// assert!(contact.normal.unwrap().abs_diff_eq([1.0, 0.0, 0.0].into(), 1e-12));
    /// assert_eq!(checker.first_contact(&mut checker.state(), &[2.5], 0), Ok(None));
    /// ```
    pub fn first_contact(&self, state: &mut State, q: &[f64], pair: usize) -> Result<Option<LinkContact>, Error> {
        let margin = self.pairs()[pair].padding;
        let options = ContactsOptions { margin, most: Some(1), ..ContactsOptions::default() };
        let found = self.contacts(state, q, pair, &options)?;
        let [pose_a, pose_b] = self.poses_of(state, pair)?;
        let known = |crossing: &&clearance::answer::Crossing| crossing.normals.iter().any(Option::is_some);
        if let Some(crossing) = found.crossings.iter().find(known).or(found.crossings.first()) {
            let [one, other] = crossing.ends_in_a;
            let point = pose_a.transform_point(0.5 * (one + other));
            let normal = crossing.normals.into_iter().flatten().next();
            return Ok(Some(LinkContact { point, normal }));
        }
        let between = |in_a: DVec3, in_b: DVec3| 0.5 * (pose_a.transform_point(in_a) + pose_b.transform_point(in_b));
        if let Some(contact) = found.points.first() {
            let point = between(contact.witness.a.point, contact.witness.b.point);
            return Ok(Some(LinkContact { point, normal: Some(contact.normal) }));
        }
        let distance = self.distance(state, pair, &clearance::query::DistanceOptions::default())?;
        let point = between(distance.witness.a.point, distance.witness.b.point);
        Ok((distance.gap.lower <= margin).then_some(LinkContact { point, normal: distance.normal }))
    }
}
