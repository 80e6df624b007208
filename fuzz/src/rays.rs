//! Rays and points against one valid body, including compounds, height fields and meshes.
//!
//! No panic, no NaN, brackets that contain their values, consistent answers, and `verify` accepts each answer.

use std::ops::ControlFlow;

use clearance::glam::DVec3;
use clearance::query::{RayOptions, RayHitMode, ray_cast_all_with, ray_cast_with};
use clearance::shape::HeightField;
use clearance::{Pose, Ray, Shape, closest_point, contains, ray_cast, signed_distance};

use crate::decode::{Body, Decoder};
use crate::ordered;

/// Decodes a posed body, a ray and a point, makes the queries, and panics on a fault.
pub fn check(data: &[u8]) {
    let mut decoder = Decoder::new(data);
    match decoder.choice(8) {
        0 => {
            let Ok(field) = decoder.height_field() else { return };
            let size = field.surface_bounds().size().max_element();
            let body = Body { shape: Shape::HeightField(field.clone()), size };
            let origin = decoder.point_near(&body, &Pose::IDENTITY);
            let direction = decoder.direction(&Pose::IDENTITY);
            terrain(&field, origin, direction);
        }
        1 => {
            let parts: Vec<(Pose, Shape)> = (0..1 + decoder.choice(4))
                .map(|_| {
                    let part = decoder.convex(false);
                    (decoder.pose(part.size), part.shape)
                })
                .collect();
            let Ok(shape) = Shape::compound(parts) else { return };
            let size = shape.diameter();
            posed(&mut decoder, Body { shape, size });
        }
        2 => {
            let size = decoder.length();
            let Ok(mesh) = decoder.mesh(size) else { return };
            posed(&mut decoder, Body { shape: Shape::Mesh(mesh), size });
        }
        _ => {
            let body = decoder.convex(true);
            posed(&mut decoder, body);
        }
    }
}

fn posed(decoder: &mut Decoder, body: Body) {
    let pose = decoder.pose(body.size);
    let origin = decoder.point_near(&body, &pose);
    let point = decoder.point_near(&body, &pose);
    let ray = if decoder.choice(2) == 0 {
        Ray::new(origin, decoder.direction(&pose))
    } else {
        Ray::between(origin, decoder.point_near(&body, &pose))
    };
    ask_point(&body.shape, &pose, point);
    if let Ok(ray) = ray {
        let options = [RayOptions::default(), RayOptions::line(), RayOptions::segment()][decoder.choice(3)];
        ask_ray(&body.shape, &pose, &ray, &options);
    }
}

/// Makes every query about a body and a point and panics on a fault.
pub fn ask_point(shape: &Shape, pose: &Pose, point: DVec3) {
    let context = || {
        let (rotation, translation) = (pose.rotation(), pose.translation());
        format!("\nshape: {shape:?}\npose: Pose::new({rotation:?}, {translation:?})\npoint: {point:?}")
    };
    let signed = signed_distance(shape, pose, point);
    assert!(
        ordered(signed.distance.lower, signed.distance.value, signed.distance.upper),
        "signed distance: {signed:?}{}",
        context()
    );
    if let Err(refusal) = signed.verify(shape, pose, point) {
        panic!("verify signed distance: {refusal}\n{signed:?}{}", context());
    }
    let nearest = closest_point(shape, pose, point);
    assert!(
        ordered(nearest.distance.lower, nearest.distance.value, nearest.distance.upper),
        "closest point: {nearest:?}{}",
        context()
    );
    if let Err(refusal) = nearest.verify(shape, pose, point) {
        panic!("verify closest point: {refusal}\n{nearest:?}{}", context());
    }
    if contains(shape, pose, point) {
        let inside = nearest.distance.lower == 0.0 || !is_solid(shape);
        assert!(signed.distance.lower <= 0.0 && inside, "contains: {signed:?} {nearest:?}{}", context());
    } else {
        assert!(signed.distance.upper >= 0.0, "does not contain: {signed:?}{}", context());
    }
}

/// Whether no part of a body is a mesh not declared solid, whose closest point is always on its surface.
fn is_solid(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(mesh) => mesh.is_solid(),
        Shape::Compound(compound) => compound.parts().iter().all(|(_, part)| is_solid(part)),
        _ => true,
    }
}

/// Makes every query about a body and a ray and panics on a fault.
pub fn ask_ray(shape: &Shape, pose: &Pose, ray: &Ray, options: &RayOptions) {
    let context = || {
        let (rotation, translation) = (pose.rotation(), pose.translation());
        format!("\nshape: {shape:?}\npose: Pose::new({rotation:?}, {translation:?})\n{ray:?}\n{options:?}")
    };
    let mut hits = Vec::new();
    ray_cast_all_with(shape, pose, ray, options, &mut hits);
    // Only one of them is the first.
    let any = RayOptions { hit: RayHitMode::Any, ..*options };
    for hit in &hits {
        assert!(ordered(hit.t.lower, hit.t.value, hit.t.upper), "ray: {hit:?}{}", context());
        if let Err(refusal) = hit.verify(shape, pose, ray, &any) {
            panic!("verify ray: {refusal}\n{hit:?}{}", context());
        }
    }
    assert!(hits.is_sorted_by(|one, next| one.t.value <= next.t.value), "order of hits: {hits:?}{}", context());
    let first = ray_cast_with(shape, pose, ray, options);
    match (&first, hits.first()) {
        (Ok(first), Some(hit)) => {
            if let Err(refusal) = first.verify(shape, pose, ray, options) {
                panic!("verify first hit: {refusal}\n{first:?}{}", context());
            }
            assert!(
                first.t.lower <= hit.t.upper && hit.t.lower <= first.t.upper,
                "first hit: {first:?}\n{hits:?}{}",
                context()
            );
        }
        (Err(none), None) => {
            if let Err(refusal) = none.verify(shape, pose, ray, options) {
                panic!("verify miss: {refusal}\n{none:?}{}", context());
            }
        }
        _ => panic!("first hit: {first:?}\n{hits:?}{}", context()),
    }
    if *options == RayOptions::default() {
        assert!(first == ray_cast(shape, pose, ray), "short form: {first:?}{}", context());
    }
}

/// Makes every query about a height field and panics on a fault.
fn terrain(field: &HeightField, origin: DVec3, direction: DVec3) {
    let context = || {
        let (columns, spacing, heights) = (field.columns(), field.spacing(), field.heights());
        format!(
            "\ncolumns {columns}, spacing {spacing:?}, heights {heights:?}\norigin {origin:?} direction {direction:?}"
        )
    };
    if let Ok(found) = field.closest_point(origin) {
        assert!(
            ordered(found.distance.lower, found.distance.value, found.distance.upper),
            "closest point: {found:?}{}",
            context()
        );
        assert!(found.distance.lower >= 0.0 && found.point.is_finite(), "closest point: {found:?}{}", context());
        let signed = field.signed_distance(origin).expect("a point that was accepted before");
        assert!(
            ordered(signed.distance.lower, signed.distance.value, signed.distance.upper),
            "signed distance: {signed:?}{}",
            context()
        );
        // The surface is part of the solid's boundary.
        let off = if field.contains(origin) { -signed.distance.upper } else { signed.distance.lower };
        assert!(off <= found.distance.upper, "signed distance: {signed:?} {found:?}{}", context());
    }
    let height = field.height_at(origin.x, origin.y);
    if let Some(height) = &height {
        assert!(
            ordered(height.height.lower, height.height.value, height.height.upper),
            "height: {height:?}{}",
            context()
        );
        if field.contains(origin) {
            assert!(origin.z <= height.height.upper, "contains: {height:?}{}", context());
        } else {
            assert!(origin.z >= height.height.lower, "does not contain: {height:?}{}", context());
        }
    }
    let Ok(any) = field.ray_hits(origin, direction, 0.0, f64::INFINITY) else { return };
    let mut hits = Vec::new();
    let cast = field.ray_cast_all(origin, direction, 0.0, f64::INFINITY, |hit| {
        hits.push(hit);
        ControlFlow::Continue(())
    });
    assert!(cast.is_ok(), "ray: {cast:?}{}", context());
    assert!(any != hits.is_empty(), "any hit: {any} {hits:?}{}", context());
    for hit in &hits {
        assert!(ordered(hit.t.lower, hit.t.value, hit.t.upper) && hit.t.upper >= 0.0, "ray: {hit:?}{}", context());
    }
    let first = field.ray_cast(origin, direction, 0.0, f64::INFINITY);
    match (first, hits.first()) {
        (Ok(Some(first)), Some(hit)) => {
            assert!(
                first.t.lower <= hit.t.upper && hit.t.lower <= first.t.upper,
                "first hit: {first:?} {hit:?}{}",
                context()
            );
        }
        (Ok(None), None) => {}
        (first, hit) => panic!("first hit: {first:?} {hit:?}{}", context()),
    }
}
