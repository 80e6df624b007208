//! Where two bodies touch: a manifold for convex bodies, contact curves for meshes.
//!
//! `cargo run -p clearance --example contacts`

use clearance::glam::DVec3;
use clearance::query::{ContactsOptions, contact_curves, contacts_with};
use clearance::{Mesh, PairCache, Pose, Shape, Workspace, answer::Contacts};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A box slightly above another: contacts within a margin, at most four, written to reusable memory.
    let crate_ = Shape::cuboid(DVec3::splat(0.5))?;
    let (floor, floor_pose) = (Shape::cuboid(DVec3::new(5.0, 5.0, 0.5))?, Pose::IDENTITY);
    let pose = Pose::from_axis_angle(DVec3::Z, 0.3, DVec3::new(0.0, 0.0, 1.005))?;
    let options = ContactsOptions { margin: 0.01, most: Some(4), ..ContactsOptions::default() };
    let (mut cache, mut workspace, mut found) = (PairCache::default(), Workspace::default(), Contacts::default());
    contacts_with(&floor, &floor_pose, &crate_, &pose, &options, &mut cache, &mut workspace, &mut found);
    for contact in &found.points {
        let point = floor_pose.transform_point(contact.witness.a.point);
        println!("{point:.4}  normal {:.1}  gap {}", contact.normal, contact.gap);
    }
    assert_eq!(found.points.len(), 4);

    // Two meshes meet along curves.
    let square = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]];
    let square = Mesh::new(&square, &[[0, 1, 2], [0, 2, 3]])?;
    let spike = [[0.0, 0.0, -1.0], [1.0, -0.5, 1.0], [0.0, 1.5, 1.0], [-1.0, -0.5, 1.0]];
    let spike = Mesh::new(&spike, &[[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])?;
    let curves = contact_curves(&square, &Pose::IDENTITY, &spike, &Pose::IDENTITY);
    println!("{} curve, closed: {}, {} points", curves.len(), curves[0].closed, curves[0].points.len());
    assert!(curves.len() == 1 && curves[0].closed);
    Ok(())
}
