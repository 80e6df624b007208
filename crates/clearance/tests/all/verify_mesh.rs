//! `verify` on answers about meshes: it accepts what the engine says and refuses every false claim.

use clearance::answer::{
    Contact, Contacts, Crossing, Distance, Evidence, Method, PlaneSide, RelationProof, Stopped, Witness, WitnessPoint,
};
use clearance::glam::{DVec2, DVec3};
use clearance::query::{ContactsOptions, DistanceOptions, contacts_with};
use clearance::shape::Feature;
use clearance::{Bracket, PairCache, Pose, Relation, Shape, Workspace, penetration};
use clearance_oracle::random::Random;
use common::false_claims::{
    Case, NO_NUMBERS, moved, moves, no_normals, other_normals, perturb_gap, perturb_no_gap, with_a, with_b,
    with_no_numbers,
};
use common::meshes::{Lists, bodies, box_lists, bumpy_ball, random_pose, solid, soup, surface};

use crate::common;

/// Two posed bodies, for queries about meshes.
fn pair(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Case {
    Case::new("", a, pose_a, b, pose_b)
}

fn swapped(case: &Case) -> Case {
    pair(&case.b, &case.pose_b, &case.a, &case.pose_a)
}

fn contacts(case: &Case, margin: f64) -> Contacts {
    let options = ContactsOptions { margin, ..ContactsOptions::default() };
    let (mut cache, mut workspace, mut found) = (PairCache::default(), Workspace::default(), Contacts::default());
    let (a, b) = ((&case.a, &case.pose_a), (&case.b, &case.pose_b));
    contacts_with(a.0, a.1, b.0, b.1, &options, &mut cache, &mut workspace, &mut found);
    found
}

/// Makes every query, in both orders, and verifies every answer.
fn check(case: &Case, label: &str, margins: &[f64]) -> f64 {
    for case in [case, &swapped(case)] {
        case.accepts(label, &case.distance(&DistanceOptions::default()));
        case.accepts(label, &case.proof(0.0));
        for &margin in margins {
            case.accepts(label, &case.proof(margin));
            case.accepts(label, &contacts(case, margin));
        }
    }
    case.distance(&DistanceOptions::default()).gap.value
}

#[test]
fn answers_about_two_meshes_are_verified() {
    let mut random = Random::new(21);
    let (mut apart, mut meeting) = (0, 0);
    for round in 0..40u32 {
        let size = [1.0, 1e-3, 1e3, 1e-30][round as usize % 4];
        let ball = bumpy_ball(4, size, DVec3::ZERO, 0.2);
        let small = bumpy_ball(3, 0.7 * size, DVec3::new(0.1, 0.2, 0.0) * size, 0.1);
        let (a, b) = match round % 3 {
            0 => (surface(&soup(&mut random, 24, size)), surface(&small)),
            1 => (solid(&ball), surface(&small)),
            _ => (solid(&ball), solid(&small)),
        };
        let far = size * [0.1, 0.5, 1.8, 2.2, 5.0, 300.0][round as usize % 6];
        let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, far));
        let case = pair(&a, &pose_a, &b, &pose_b);
        let value = check(&case, &format!("round {round}"), &[0.0, 0.3 * size]);
        (apart, meeting) = if value > 0.0 { (apart + 1, meeting) } else { (apart, meeting + 1) };
        for options in [
            DistanceOptions { tolerance: 0.1 * size, ..DistanceOptions::default() },
            DistanceOptions { relative_tolerance: 0.1, ..DistanceOptions::default() },
            DistanceOptions { farther_than: Some(0.2 * size), ..DistanceOptions::default() },
        ] {
            let found = case.distance(&options);
            case.accepts(&format!("round {round}, {options:?}"), &found);
            if options.farther_than.is_none() {
                let allowed = options.tolerance.max(options.relative_tolerance * found.gap.upper);
                assert!(found.gap.upper - found.gap.lower <= allowed + 1e-12 * case.scale(), "round {round} {found:?}");
            }
        }
    }
    assert!(apart > 10 && meeting > 10, "{apart} {meeting}");
}

#[test]
fn answers_about_boxes_of_triangles_are_verified() {
    // Faces, edges and corners that touch, coincide, are coplanar, parallel, or nearly so; near and far.
    let unit = box_lists(DVec3::ZERO, DVec3::ONE);
    let steps = [0.0, 0.25, 1.0, 1.0 + 1e-15, 1.0 + 1e-9, 1.5];
    let moved = |lists: &Lists, by: DVec3| -> Lists {
        let points = lists.0.iter().map(|&p| (DVec3::from_array(p) + by).to_array()).collect();
        (points, lists.1.clone())
    };
    for make in [surface, solid] {
        let a = make(&unit);
        for (k, &x) in steps.iter().enumerate() {
            for &y in &steps[k..] {
                let at = DVec3::new(x, 0.5 * y, -y);
                // By the pose, by the points, and far from the origin.
                let pose = Pose::from_translation(at).unwrap();
                check(&pair(&a, &Pose::IDENTITY, &a, &pose), &format!("posed {at}"), &[0.0, 0.1]);
                let b = make(&moved(&unit, at));
                check(&pair(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY), &format!("made {at}"), &[0.0, 0.1]);
                let turned = Pose::from_axis_angle(DVec3::Z, 0.3, DVec3::new(1e5, -3e5, 0.0)).unwrap();
                check(&pair(&a, &turned, &b, &turned), &format!("turned {at}"), &[0.0, 0.1]);
                let shift = DVec3::new(1e7, -1e7, 5e6);
                let (far_a, far_b) = (make(&moved(&unit, shift)), make(&moved(&unit, shift + at)));
                check(&pair(&far_a, &Pose::IDENTITY, &far_b, &Pose::IDENTITY), &format!("far {at}"), &[0.0, 0.1]);
            }
        }
    }
}

/// Triangles between points of a small grid: coplanar, parallel and degenerate ones are frequent, and corners coincide.
fn grid_soup(random: &mut Random, count: u32) -> Lists {
    let mut on_grid = || random.uniform(0.0, 3.0).floor();
    let points = (0..3 * count).map(|_| [on_grid(), on_grid(), on_grid()]).collect();
    (points, (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
}

#[test]
fn answers_about_hard_meshes_are_verified() {
    let mut random = Random::new(23);
    let stretched = |lists: &Lists, by: DVec3, shift: DVec3| -> Lists {
        let points = lists.0.iter().map(|&p| (DVec3::from_array(p) * by + shift).to_array()).collect();
        (points, lists.1.clone())
    };
    for round in 0..60u32 {
        let (a, b) = (grid_soup(&mut random, 6), grid_soup(&mut random, 5));
        // Tiny and huge, needles a million times as long as wide, far from the origin.
        let (by, shift) = match round % 6 {
            0 => (DVec3::ONE, DVec3::ZERO),
            1 => (DVec3::splat(1e-59), DVec3::ZERO),
            2 => (DVec3::splat(1e50), DVec3::ZERO),
            3 => (DVec3::new(1e6, 1.0, 1.0), DVec3::ZERO),
            4 => (DVec3::new(1e-6, 1.0, 1.0), DVec3::ZERO),
            _ => (DVec3::ONE, DVec3::new(1e7, -1e7, 3e6)),
        };
        let size = by.max_element();
        // Side by side, from overlapping to far apart.
        let step = size * [0.0, 1e-16, 1e-12, 1e-8, 1e-4, 3.0, 3.0 + 1e-12, 40.0][round as usize % 8];
        let away = DVec3::new(step, 0.5 * step, -0.25 * step);
        let (at_a, at_b) = (surface(&stretched(&a, by, shift)), surface(&stretched(&b, by, shift + away)));
        let margins = [0.0, 0.2 * size];
        check(&pair(&at_a, &Pose::IDENTITY, &at_b, &Pose::IDENTITY), &format!("one frame, {round}"), &margins);
        let turned = random_pose(&mut random, size);
        check(&pair(&at_a, &turned, &at_b, &turned), &format!("one turned frame, {round}"), &margins);
        let at_b = surface(&stretched(&b, by, shift));
        let moved = Pose::from_translation(away).unwrap();
        check(&pair(&at_a, &Pose::IDENTITY, &at_b, &moved), &format!("moved, {round}"), &margins);
        // Rotated alike about the same place, rounded.
        let beside = Pose::new(turned.rotation(), turned.translation() + turned.rotation() * away).unwrap();
        check(&pair(&at_a, &turned, &at_b, &beside), &format!("turned and moved, {round}"), &margins);
        let other = random_pose(&mut random, step);
        check(&pair(&at_a, &turned, &at_b, &other), &format!("turned, {round}"), &margins);
    }
}

#[test]
fn answers_about_meshes_and_other_bodies_are_verified() {
    let mut random = Random::new(22);
    let lists = bumpy_ball(4, 1.0, DVec3::new(0.2, 0.0, 0.1), 0.2);
    let (mut apart, mut meeting) = (0, 0);
    for (make, round) in [(surface as fn(&Lists) -> Shape, 0), (solid, 1)] {
        let mesh = make(&lists);
        for (number, body) in bodies().iter().enumerate() {
            for far in [0.0, 0.6, 1.4, 2.5, 20.0] {
                let (pose_a, pose_b) = (random_pose(&mut random, 0.0), random_pose(&mut random, far));
                let case = pair(&mesh, &pose_a, body, &pose_b);
                let value = check(&case, &format!("body {} {far} {round}", number), &[0.0, 0.2]);
                (apart, meeting) = if value > 0.0 { (apart + 1, meeting) } else { (apart, meeting + 1) };
                let options = DistanceOptions { farther_than: Some(0.2), ..DistanceOptions::default() };
                case.accepts(&format!("body {} {far}, stopped", number), &case.distance(&options));
            }
        }
    }
    assert!(apart > 30 && meeting > 30, "{apart} {meeting}");
}

#[test]
fn answers_about_meshes_and_height_fields_are_verified() {
    let heights: Vec<f32> = (0..36u8).map(|k| f32::from(k % 6 * (k / 6) % 7) * 0.1).collect();
    let ground = Shape::height_field(6, 6, DVec2::splat(0.8), heights).unwrap();
    let mesh = solid(&bumpy_ball(4, 1.0, DVec3::ZERO, 0.2));
    for height in [0.5, 1.5, 2.5] {
        let pose = Pose::from_axis_angle(DVec3::ONE, 0.4, DVec3::new(2.0, 2.0, height)).unwrap();
        let case = pair(&ground, &Pose::IDENTITY, &mesh, &pose);
        case.accepts("ground", &case.distance(&DistanceOptions::default()));
        case.accepts("ground", &case.proof(0.0));
        case.accepts("ground", &contacts(&case, 0.0));
        case.accepts("ground", &contacts(&case, 0.3));
        swapped(&case).accepts("ground", &swapped(&case).proof(0.0));
        swapped(&case).accepts("ground", &swapped(&case).distance(&DistanceOptions::default()));
    }
}

#[test]
fn containment_in_a_solid_is_verified() {
    let large = solid(&bumpy_ball(6, 2.0, DVec3::new(0.2, 0.1, 0.0), 0.0));
    let pose = Pose::from_axis_angle(DVec3::new(1.0, 2.0, -1.0), 0.4, DVec3::new(0.1, 0.2, -0.1)).unwrap();
    let small = bumpy_ball(3, 0.3, DVec3::new(0.3, 0.1, 0.0), 0.1);
    let mut inside = bodies();
    inside.retain(|body| !matches!(body, Shape::HalfSpace(_)));
    inside.extend([surface(&small), solid(&small)]);
    for (number, body) in inside.iter().enumerate() {
        let case = pair(&large, &Pose::IDENTITY, body, &pose);
        assert_eq!(check(&case, &format!("body {} inside", number), &[0.0, 0.1]), 0.0);
        // The same as a surface contains nothing.
        let shell = surface(&bumpy_ball(6, 2.0, DVec3::new(0.2, 0.1, 0.0), 0.0));
        let case = pair(&shell, &Pose::IDENTITY, body, &pose);
        assert!(check(&case, &format!("body {} in a shell", number), &[0.0, 0.1]) > 0.1);
    }
}

#[test]
fn bodies_next_to_each_other_in_one_frame_are_separated() {
    let unit = |x: f64| solid(&box_lists(DVec3::new(x, 0.0, 0.0), DVec3::new(x + 1.0, 1.0, 1.0)));
    for gap in [1e-15, 1e-9, 0.5, 7.0] {
        let case = pair(&unit(0.0), &Pose::IDENTITY, &unit(1.0 + gap), &Pose::IDENTITY);
        assert_eq!(case.proof(0.0).relation, Relation::Separated);
        check(&case, "one frame", &[0.0, 1.0]);
    }
}

#[test]
fn the_nearest_contact_is_kept_where_few_are_wanted() {
    let ball = surface(&bumpy_ball(4, 1.0, DVec3::ZERO, 0.2));
    let pose = Pose::from_axis_angle(DVec3::new(0.3, 1.0, -0.2), 0.7, DVec3::new(1.9, 1.0, 0.2)).unwrap();
    let case = pair(&ball, &Pose::IDENTITY, &ball, &pose);
    let mut found = contacts(&case, 0.5);
    assert!(found.points.len() > 3, "{}", found.points.len());
    let options = ContactsOptions { margin: 0.5, most: Some(2), ..ContactsOptions::default() };
    let (mut cache, mut workspace) = (PairCache::default(), Workspace::default());
    contacts_with(&case.a, &case.pose_a, &case.b, &case.pose_b, &options, &mut cache, &mut workspace, &mut found);
    assert_eq!(found.points.len(), 2);
    case.accepts("two points", &found);
    // Without the nearest.
    let nearest = found.gap.value;
    found = contacts(&case, 0.5);
    found.points.retain(|point| point.gap.value > nearest + 1e-9);
    assert!(!found.points.is_empty());
    case.refuses("points", &found);
}

/// The rotation of a mesh normal that must be refused.
const TURN: f64 = 1e-4;

/// Features of a mesh that do not contain a point strictly inside the feature `named` of the triangle `part`, or do not
/// belong to it.
fn wrong_features(shape: &Shape, part: u32, named: Feature) -> Vec<Feature> {
    let Shape::Mesh(mesh) = shape else { return vec![Feature::Face(1000), Feature::Vertex(1000), Feature::Edge(1000)] };
    let triangles = mesh.triangles();
    let [a, b, c] = triangles[part as usize];
    let own = [
        (Feature::Vertex(a), vec![a]),
        (Feature::Vertex(b), vec![b]),
        (Feature::Vertex(c), vec![c]),
        (Feature::Edge(3 * part), vec![a, b]),
        (Feature::Edge(3 * part + 1), vec![b, c]),
        (Feature::Edge(3 * part + 2), vec![c, a]),
        (Feature::Face(part), vec![a, b, c]),
    ];
    let spanned = &own.iter().find(|(feature, _)| *feature == named).expect("a feature of the part").1;
    let wrong = own.iter().filter(|(_, corners)| !spanned.iter().all(|v| corners.contains(v)));
    let mut wrong: Vec<Feature> = wrong.map(|(feature, _)| *feature).collect();
    let count = triangles.len() as u32;
    wrong.extend((0..count).filter(|&t| t != part).step_by(5).map(Feature::Face));
    wrong.extend((0..3 * count).filter(|&e| e / 3 != part).step_by(11).map(Feature::Edge));
    wrong.extend((0..mesh.point_count() as u32).filter(|v| ![a, b, c].contains(v)).step_by(5).map(Feature::Vertex));
    wrong.push(Feature::Interior);
    for beyond in [3 * count, u32::MAX] {
        wrong.extend([Feature::Vertex(beyond), Feature::Edge(beyond), Feature::Face(beyond)]);
    }
    wrong
}

/// Methods that do not apply to these bodies, or promise a different width.
fn wrong_methods(right: Method) -> Vec<Method> {
    let mut all = vec![
        Method::Gjk,
        Method::GjkStopped(Stopped::Budget),
        Method::Epa,
        Method::Newton,
        Method::ClosedForm,
        Method::Parts,
        Method::PartsStopped(Stopped::Budget),
        Method::Mesh,
        Method::MeshStopped(Stopped::Budget),
    ];
    all.retain(|method| *method != right);
    all
}

/// For two meshes in general position every point is checked, and none is placed exactly.
fn wrong_placements(case: &Case, placement: f64) -> Vec<f64> {
    case.wrong_placements(placement, matches!((&case.a, &case.b), (Shape::Mesh(_), Shape::Mesh(_))))
}

/// Perturbs the features and parts of an answer.
fn perturb_features(case: &Case, good: Distance) {
    let Distance {
        witness:
            Witness {
                a: WitnessPoint { feature: feature_a, part: part_a, .. },
                b: WitnessPoint { feature: feature_b, part: part_b, .. },
            },
        ..
    } = good;
    for wrong in wrong_features(&case.a, part_a, feature_a) {
        case.refuses("feature_a", &Distance { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
    }
    for wrong in wrong_features(&case.b, part_b, feature_b) {
        case.refuses("feature_b", &Distance { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
    }
    for wrong in wrong_parts(&case.a, part_a, feature_a) {
        case.refuses("part_a", &Distance { witness: with_a(good.witness, |a| a.part = wrong), ..good });
    }
    for wrong in wrong_parts(&case.b, part_b, feature_b) {
        case.refuses("part_b", &Distance { witness: with_b(good.witness, |b| b.part = wrong), ..good });
    }
}

/// Perturbs how an answer was found and placed.
fn perturb_way(case: &Case, good: Distance) {
    for wrong in wrong_placements(case, good.placement) {
        case.refuses("placement", &Distance { placement: wrong, ..good });
    }
    for wrong in wrong_methods(good.method) {
        case.refuses("method", &Distance { method: wrong, ..good });
    }
}

/// Perturbs every field of the answer for bodies that are apart by far more than rounding.
fn perturb_apart(case: &Case, good: Distance) {
    perturb_gap(case, good, TURN);
    perturb_way(case, good);
    perturb_features(case, good);
}

/// Parts that do not have the feature named, and some that do not exist.
fn wrong_parts(shape: &Shape, part: u32, named: Feature) -> Vec<u32> {
    let Shape::Mesh(mesh) = shape else { return vec![1000, u32::MAX] };
    let triangles = mesh.triangles();
    let has = |t: u32| matches!(named, Feature::Vertex(v) if triangles[t as usize].contains(&v));
    let count = triangles.len() as u32;
    (0..count).filter(|&t| t != part && !has(t)).chain([count, u32::MAX]).collect()
}

/// Perturbs every field of the answer for bodies that meet, or with one inside the other.
fn perturb_meeting(case: &Case, good: Distance) {
    perturb_no_gap(case, good);
    perturb_way(case, good);
    let Distance {
        witness:
            Witness {
                a: WitnessPoint { feature: feature_a, part: part_a, .. },
                b: WitnessPoint { feature: feature_b, part: part_b, .. },
            },
        ..
    } = good;
    if (feature_a, feature_b) == (Feature::Interior, Feature::Interior) {
        for wrong in [Feature::Face(part_a), Feature::Edge(3 * part_a), Feature::Vertex(0), Feature::Vertex(u32::MAX)] {
            case.refuses("feature_a", &Distance { witness: with_a(good.witness, |a| a.feature = wrong), ..good });
        }
        for wrong in [Feature::Face(part_b), Feature::Edge(3 * part_b), Feature::Vertex(0), Feature::Face(u32::MAX)] {
            case.refuses("feature_b", &Distance { witness: with_b(good.witness, |b| b.feature = wrong), ..good });
        }
    } else {
        perturb_features(case, good);
    }
    for wrong in [1000, u32::MAX] {
        case.refuses("part_a", &Distance { witness: with_a(good.witness, |a| a.part = wrong), ..good });
        case.refuses("part_b", &Distance { witness: with_b(good.witness, |b| b.part = wrong), ..good });
    }
}

/// Perturbs every field of a proof.
fn perturb_proof(case: &Case, good: &RelationProof) {
    let RelationProof {
        relation,
        gap: Bracket { lower, upper, .. },
        placement,
        touch_band,
        normal,
        witness,
        ref evidence,
    } = *good;
    case.accepts("as given", good);
    let scale = case.scale();
    let with = |change: &dyn Fn(&mut RelationProof)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof
    };
    for wrong in [1000, u32::MAX] {
        case.refuses("part_a", &with(&|proof| proof.witness.a.part = wrong));
        case.refuses("part_b", &with(&|proof| proof.witness.b.part = wrong));
    }
    for wrong in [Relation::Separated, Relation::Touching, Relation::Overlapping] {
        if wrong != relation {
            case.refuses("relation", &with(&|proof| proof.relation = wrong));
        }
    }
    for wrong in NO_NUMBERS.into_iter().chain([upper.next_up(), upper + scale]) {
        case.refuses("lower", &with(&|proof| proof.gap.lower = wrong));
    }
    if relation == Relation::Separated {
        case.refuses("lower", &with(&|proof| proof.gap.lower = upper));
        case.refuses("lower", &with(&|proof| proof.gap.lower = touch_band));
        case.refuses("upper", &with(&|proof| proof.gap.upper = lower));
        case.refuses("touch_band", &with(&|proof| proof.touch_band = lower));
        // The sign of a gap needs no best direction, but one from A to B.
        case.refuses("normal", &with(&|proof| proof.normal = -normal));
    }
    for wrong in NO_NUMBERS.into_iter().chain([lower.next_down(), lower - scale]) {
        case.refuses("upper", &with(&|proof| proof.gap.upper = wrong));
    }
    // Deeper than any ball in one of the bodies.
    let overlapping = with(&|proof| {
        (proof.gap.lower, proof.gap.upper, proof.relation) = (-scale, -0.9 * scale, Relation::Overlapping);
    });
    case.refuses("overlap", &overlapping);
    for wrong in wrong_placements(case, placement) {
        case.refuses("placement", &with(&|proof| proof.placement = wrong));
    }
    for wrong in NO_NUMBERS.into_iter().chain([-1e-300, -1.0]) {
        case.refuses("touch_band", &with(&|proof| proof.touch_band = wrong));
    }
    for wrong in no_normals(normal) {
        case.refuses("normal", &with(&|proof| proof.normal = wrong));
    }
    case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Polytope { pairs: Vec::new() }));
    let (point_in_a, point_in_b) = (witness.a.point, witness.b.point);
    for wrong in [Feature::Vertex(0), Feature::Face(1)] {
        case.refuses("feature", &with(&|proof| proof.witness.a.feature = wrong));
        case.refuses("feature", &with(&|proof| proof.witness.b.feature = wrong));
    }
    let deep = match *evidence {
        Evidence::Points => false,
        Evidence::Deep => true,
        Evidence::Polytope { ref pairs } => {
            // The points are not told.
            case.refuses("witness", &with(&|proof| proof.witness.a.point = DVec3::X));
            case.refuses("witness", &with(&|proof| proof.witness.b.point = DVec3::X));
            // A triangle and a convex body with an interior. Three pairs or fewer span nothing.
            assert_eq!(relation, Relation::Overlapping);
            for few in 1..4 {
                let pairs = pairs[..few].to_vec();
                case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Polytope { pairs: pairs.clone() }));
            }
            return;
        }
    };
    // A triangle and a body with a radius overlap by points of their cores.
    let by_radius = !deep && upper < 0.0;
    assert_eq!(relation == Relation::Overlapping, (deep || by_radius) && upper < -touch_band);
    if by_radius {
        case.refuses("upper", &with(&|proof| proof.gap.upper = upper - 1e-9 * scale));
    } else if deep {
        case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Points));
        case.refuses("upper", &with(&|proof| proof.gap.upper = upper - 1e-9 * scale));
        case.refuses("upper", &with(&|proof| proof.gap.upper = -touch_band));
        case.refuses("touch_band", &with(&|proof| proof.touch_band = -upper));
    } else {
        case.refuses("upper", &with(&|proof| proof.gap.upper = -1e-9));
        case.refuses("evidence", &with(&|proof| proof.evidence = Evidence::Deep));
    }
    let refuses = |point_in_a, point_in_b| {
        let change = |proof: &mut RelationProof| {
            (proof.witness.a.point, proof.witness.b.point) = (point_in_a, point_in_b);
        };
        case.refuses("witness", &with(&change));
    };
    for by in [normal * scale, normal.any_orthonormal_vector() * scale] {
        refuses(moved(point_in_a, &case.pose_a, by), point_in_b);
        refuses(point_in_a, moved(point_in_b, &case.pose_b, by));
    }
    for wrong in with_no_numbers(point_in_a) {
        refuses(wrong, point_in_b);
    }
    for wrong in with_no_numbers(point_in_b) {
        refuses(point_in_a, wrong);
    }
}

/// Perturbs every field of contacts, of their points and of their crossings.
fn perturb_contacts(case: &Case, good: &Contacts) {
    let Contacts {
        normal,
        gap: Bracket { value: gap, lower, upper },
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, part: _, .. },
                b: WitnessPoint { point: point_in_b, part: _, .. },
            },
        margin,
        tilt: _,
        placement,
        method,
        ref points,
        ref crossings,
    } = *good;
    case.accepts("as given", good);
    let scale = case.scale();
    let with = |change: &dyn Fn(&mut Contacts)| {
        let mut answer = good.clone();
        change(&mut answer);
        answer
    };
    for wrong in NO_NUMBERS {
        case.refuses("gap", &with(&|answer| answer.gap.value = wrong));
        case.refuses("lower", &with(&|answer| answer.gap.lower = wrong));
        case.refuses("upper", &with(&|answer| answer.gap.upper = wrong));
        case.refuses("margin", &with(&|answer| answer.margin = wrong));
        case.refuses("tilt", &with(&|answer| answer.tilt = wrong));
    }
    case.refuses("gap", &with(&|answer| answer.gap.value = upper.next_up()));
    case.refuses("gap", &with(&|answer| answer.gap.value = lower.next_down()));
    case.refuses("gap", &with(&|answer| (answer.gap.lower, answer.gap.value) = (-scale, -1e-3 * scale)));
    case.refuses("upper", &with(&|answer| answer.gap.upper = upper + 1e-11 * scale));
    case.refuses(
        "bracket",
        &with(&|answer| (answer.gap.lower, answer.gap.value, answer.gap.upper) = (scale, scale, scale)),
    );
    case.refuses("margin", &with(&|answer| answer.margin = -1e-300));
    case.refuses("tilt", &with(&|answer| answer.tilt = 0.1));
    for wrong in [1000, u32::MAX] {
        case.refuses("part_a", &with(&|answer| answer.witness.a.part = wrong));
        case.refuses("part_b", &with(&|answer| answer.witness.b.part = wrong));
    }
    for wrong in wrong_placements(case, placement) {
        case.refuses("placement", &with(&|answer| answer.placement = wrong));
    }
    for wrong in wrong_methods(method) {
        case.refuses("method", &with(&|answer| answer.method = wrong));
    }
    for wrong in no_normals(normal) {
        case.refuses("normal", &with(&|answer| answer.normal = wrong));
    }
    for wrong in with_no_numbers(point_in_a) {
        case.refuses("point_in_a", &with(&|answer| answer.witness.a.point = wrong));
    }
    for wrong in with_no_numbers(point_in_b) {
        case.refuses("point_in_b", &with(&|answer| answer.witness.b.point = wrong));
    }
    for by in moves(normal, scale) {
        case.refuses("point_in_a", &with(&|answer| answer.witness.a.point = moved(point_in_a, &case.pose_a, by)));
        case.refuses("point_in_b", &with(&|answer| answer.witness.b.point = moved(point_in_b, &case.pose_b, by)));
    }
    if gap > 0.0 {
        assert!(lower > 0.0 && lower <= margin);
        case.refuses("margin", &with(&|answer| answer.margin = 0.5 * lower));
        case.refuses("points", &with(&|answer| answer.points.clear()));
        case.refuses("lower", &with(&|answer| (answer.gap.lower, answer.gap.value) = (upper, upper)));
        for wrong in other_normals(normal, TURN) {
            case.refuses("normal", &with(&|answer| answer.normal = wrong));
        }
    }
    for (k, point) in points.iter().enumerate().take(3) {
        case.refuses("points", &with(&|answer| answer.points.push(*point)));
        perturb_contact(case, point, &|wrong| with(&|answer| answer.points[k] = wrong));
    }
    for (k, crossing) in crossings.iter().enumerate().step_by(5) {
        case.refuses("crossings", &with(&|answer| answer.crossings.retain(|c| c != crossing)));
        case.refuses("crossings", &with(&|answer| answer.crossings.insert(k, *crossing)));
        perturb_crossing(case, crossing, &|wrong| with(&|answer| answer.crossings[k] = wrong));
    }
    if crossings.len() > 1 {
        case.refuses("crossings", &with(&|answer| answer.crossings.swap(0, 1)));
    }
    let (side_of_a, side_of_b) = (PlaneSide::Both, PlaneSide::Both);
    let none =
        Crossing { triangle_a: 0, triangle_b: 0, ends_in_a: [point_in_a; 2], normals: [None; 2], side_of_a, side_of_b };
    if crossings.iter().all(|crossing| (crossing.triangle_a, crossing.triangle_b) != (0, 0)) {
        case.refuses("crossings", &with(&|answer| answer.crossings.insert(0, none)));
    }
}

fn perturb_contact(case: &Case, good: &Contact, with: &dyn Fn(Contact) -> Contacts) {
    let Contact {
        witness:
            Witness {
                a: WitnessPoint { point: point_in_a, part: part_a, feature: feature_a },
                b: WitnessPoint { point: point_in_b, part: part_b, feature: feature_b },
            },
        normal,
        gap: Bracket { value: gap, lower, upper },
    } = *good;
    let scale = case.scale();
    let refuses = |field: &str, wrong: Contact| case.refuses(field, &with(wrong));
    for wrong in NO_NUMBERS {
        refuses("gap", Contact { gap: Bracket { value: wrong, ..good.gap }, ..*good });
        refuses("lower", Contact { gap: Bracket { lower: wrong, ..good.gap }, ..*good });
        refuses("upper", Contact { gap: Bracket { upper: wrong, ..good.gap }, ..*good });
    }
    refuses("gap", Contact { gap: Bracket { value: upper.next_up(), ..good.gap }, ..*good });
    refuses("gap", Contact { gap: Bracket { value: lower.next_down(), ..good.gap }, ..*good });
    refuses("upper", Contact { gap: Bracket { upper: upper + 1e-11 * scale, ..good.gap }, ..*good });
    for wrong in no_normals(normal) {
        refuses("normal", Contact { normal: wrong, ..*good });
    }
    for wrong in with_no_numbers(point_in_a) {
        refuses("point_in_a", Contact { witness: with_a(good.witness, |a| a.point = wrong), ..*good });
    }
    for wrong in with_no_numbers(point_in_b) {
        refuses("point_in_b", Contact { witness: with_b(good.witness, |b| b.point = wrong), ..*good });
    }
    for wrong in [1000, u32::MAX] {
        refuses("part_a", Contact { witness: with_a(good.witness, |a| a.part = wrong), ..*good });
        refuses("part_b", Contact { witness: with_b(good.witness, |b| b.part = wrong), ..*good });
    }
    for by in moves(normal, scale) {
        refuses(
            "point_in_a",
            Contact { witness: with_a(good.witness, |a| a.point = moved(point_in_a, &case.pose_a, by)), ..*good },
        );
        refuses(
            "point_in_b",
            Contact { witness: with_b(good.witness, |b| b.point = moved(point_in_b, &case.pose_b, by)), ..*good },
        );
    }
    refuses("feature_a", Contact { witness: with_a(good.witness, |a| a.feature = Feature::Vertex(u32::MAX)), ..*good });
    refuses("feature_b", Contact { witness: with_b(good.witness, |b| b.feature = Feature::Face(u32::MAX)), ..*good });
    for wrong in other_normals(normal, TURN) {
        refuses("normal", Contact { normal: wrong, ..*good });
    }
    if gap == 0.0 {
        return;
    }
    refuses("lower", Contact { gap: Bracket { lower: upper, value: upper, ..good.gap }, ..*good });
    refuses("upper", Contact { gap: Bracket { upper: lower, value: lower, ..good.gap }, ..*good });
    refuses("lower", Contact { gap: Bracket { lower: lower - 1e-11 * scale, ..good.gap }, ..*good });
    for wrong in wrong_features(&case.a, part_a, feature_a) {
        refuses("feature_a", Contact { witness: with_a(good.witness, |a| a.feature = wrong), ..*good });
    }
    for wrong in wrong_features(&case.b, part_b, feature_b) {
        refuses("feature_b", Contact { witness: with_b(good.witness, |b| b.feature = wrong), ..*good });
    }
}

fn perturb_crossing(case: &Case, good: &Crossing, with: &dyn Fn(Crossing) -> Contacts) {
    let Crossing { triangle_a, triangle_b, ends_in_a, normals, side_of_a, side_of_b } = *good;
    let scale = case.scale();
    let refuses = |field: &str, wrong: Crossing| case.refuses(field, &with(wrong));
    for wrong in [triangle_a + 1, 1000, u32::MAX] {
        refuses("triangle_a", Crossing { triangle_a: wrong, ..*good });
    }
    for wrong in [triangle_b + 1, 1000, u32::MAX] {
        refuses("triangle_b", Crossing { triangle_b: wrong, ..*good });
    }
    for wrong in [PlaneSide::In, PlaneSide::Front, PlaneSide::Back, PlaneSide::Both] {
        if wrong != side_of_a {
            refuses("side_of_a", Crossing { side_of_a: wrong, ..*good });
        }
        if wrong != side_of_b {
            refuses("side_of_b", Crossing { side_of_b: wrong, ..*good });
        }
    }
    let [p, q] = ends_in_a;
    for wrong in with_no_numbers(p) {
        refuses("ends_in_a", Crossing { ends_in_a: [wrong, q], ..*good });
        refuses("ends_in_a", Crossing { ends_in_a: [p, wrong], ..*good });
    }
    let side = (q - p).any_orthogonal_vector().normalize_or(DVec3::X) * (1e-3 * scale);
    refuses("ends_in_a", Crossing { ends_in_a: [p + side, q], ..*good });
    refuses("ends_in_a", Crossing { ends_in_a: [p, q - side], ..*good });
    let length = p.distance(q);
    if length > 1e-3 * scale {
        let along = (q - p) * 0.3;
        refuses("ends_in_a", Crossing { ends_in_a: [p + along, q], ..*good });
        refuses("ends_in_a", Crossing { ends_in_a: [p - along, q], ..*good });
        refuses("ends_in_a", Crossing { ends_in_a: [p, q - along], ..*good });
        refuses("ends_in_a", Crossing { ends_in_a: [p, p], ..*good });
    }
    for end in 0..2 {
        let set = |wrong: Option<DVec3>| {
            let mut changed = normals;
            changed[end] = wrong;
            refuses("normals", Crossing { normals: changed, ..*good });
        };
        match normals[end] {
            None => set(Some(DVec3::X)),
            Some(normal) => {
                set(None);
                set(Some(-normal));
                no_normals(normal).into_iter().chain(other_normals(normal, TURN)).for_each(|wrong| set(Some(wrong)));
            }
        }
    }
}

/// Two meshes with B at `apart` units from A; solids or surfaces.
fn two_meshes(make: fn(&Lists) -> Shape, apart: f64) -> Case {
    let a = make(&bumpy_ball(4, 1.0, DVec3::new(0.1, 0.0, 0.2), 0.2));
    let b = make(&bumpy_ball(3, 0.7, DVec3::new(0.0, 0.1, 0.0), 0.1));
    let pose_a = Pose::from_axis_angle(DVec3::new(0.3, -0.7, 0.4), 1.1, DVec3::new(0.31, -2.2, 5.7)).unwrap();
    let towards = DVec3::new(0.61, 0.47, -0.53).normalize();
    let at = pose_a.translation() + towards * apart;
    let pose_b = Pose::from_axis_angle(DVec3::new(-0.2, 0.5, 0.9), 2.3, at).unwrap();
    pair(&a, &pose_a, &b, &pose_b)
}

#[test]
fn false_claims_about_two_meshes_are_refused() {
    for make in [surface, solid] {
        for apart in [2.3, 40.0] {
            let case = two_meshes(make, apart);
            perturb_apart(&case, case.distance(&DistanceOptions::default()));
            perturb_apart(&swapped(&case), swapped(&case).distance(&DistanceOptions::default()));
            perturb_proof(&case, &case.proof(0.0));
        }
        let case = two_meshes(make, 1.2);
        let solids = matches!(&case.a, Shape::Mesh(mesh) if mesh.is_solid());
        assert_eq!(case.proof(0.0).relation, if solids { Relation::Overlapping } else { Relation::Touching });
        perturb_meeting(&case, case.distance(&DistanceOptions::default()));
        perturb_meeting(&swapped(&case), swapped(&case).distance(&DistanceOptions::default()));
        perturb_proof(&case, &case.proof(0.0));
        let found = contacts(&case, 0.0);
        assert!(found.crossings.len() > 5 && found.points.is_empty());
        assert_eq!(found.crossings.iter().any(|c| c.normals[0].is_some()), solids);
        perturb_contacts(&case, &found);
        let found = contacts(&case, 0.02);
        assert!(!found.points.is_empty());
        case.accepts("with a margin", &found);
        let case = two_meshes(make, 2.3);
        let found = contacts(&case, 1.2 * case.distance(&DistanceOptions::default()).gap.value);
        assert!(!found.points.is_empty());
        perturb_contacts(&case, &found);
    }
}

#[test]
fn false_claims_about_containment_are_refused() {
    let large = solid(&bumpy_ball(4, 3.0, DVec3::ZERO, 0.0));
    let small = surface(&bumpy_ball(3, 0.3, DVec3::new(0.3, 0.1, 0.0), 0.1));
    let pose_a = Pose::from_axis_angle(DVec3::new(0.3, -0.7, 0.4), 1.1, DVec3::new(0.31, -2.2, 5.7)).unwrap();
    let pose_b = Pose::from_axis_angle(DVec3::ONE, 0.6, pose_a.translation()).unwrap();
    for body in [small, Shape::sphere(0.3).unwrap(), Shape::cuboid(DVec3::splat(0.2)).unwrap()] {
        let case = pair(&large, &pose_a, &body, &pose_b);
        let good = case.distance(&DistanceOptions::default());
        perturb_meeting(&case, good);
        perturb_proof(&case, &case.proof(0.0));
        // A surface that is inside overlaps the solid as well.
        assert_eq!(case.proof(0.0).relation, Relation::Overlapping);
        // What is true of the surface is not true of the solid.
        let Shape::Mesh(mesh) = &large else { panic!() };
        let points: Vec<[f64; 3]> = mesh.points().map(|p| p.to_array()).collect();
        let shell = pair(&surface(&(points, mesh.triangles())), &pose_a, &body, &pose_b);
        let (apart, proof) = (shell.distance(&DistanceOptions::default()), shell.proof(0.0));
        shell.accepts("shell", &apart);
        case.refuses("distance", &apart);
        case.refuses("relation", &proof);
        shell.refuses("distance", &good);
    }
}

#[test]
fn false_claims_about_meshes_and_other_bodies_are_refused() {
    let mesh = surface(&bumpy_ball(3, 1.0, DVec3::new(0.1, 0.0, 0.2), 0.2));
    let pose_a = Pose::from_axis_angle(DVec3::new(0.3, -0.7, 0.4), 1.1, DVec3::new(0.31, -2.2, 5.7)).unwrap();
    let towards = DVec3::new(0.61, 0.47, -0.53).normalize();
    let posed = |apart: f64| {
        let at = pose_a.translation() + towards * apart;
        Pose::from_axis_angle(DVec3::new(-0.2, 0.5, 0.9), 2.3, at).unwrap()
    };
    let all = bodies();
    // A ball, a box, a rounded box, a compound.
    for body in [&all[0], &all[1], &all[6], &all[12]] {
        let case = pair(&mesh, &pose_a, body, &posed(2.6));
        let good = case.distance(&DistanceOptions::default());
        if matches!(body, Shape::Sphere(_)) {
            perturb_apart(&case, good);
        }
        perturb_proof(&case, &case.proof(0.0));
        let case = pair(&mesh, &pose_a, body, &posed(1.0));
        perturb_meeting(&case, case.distance(&DistanceOptions::default()));
        perturb_proof(&case, &case.proof(0.0));
        let mut found = contacts(&case, 0.1);
        case.accepts("contacts", &found);
        // Without those that meet.
        found.points.retain(|point| point.gap.value > 0.0);
        case.refuses("points", &found);
    }
}

#[test]
fn solids_that_touch_do_not_overlap() {
    // Boxes of triangles side by side and on top of each other, faces, edges and corners in contact, flush or not; the
    // same pushed into each other by ever less.
    let unit = box_lists(DVec3::ZERO, DVec3::ONE);
    let finer = solid(&bumpy_ball(3, 1.0, DVec3::ZERO, 0.0));
    let a = solid(&unit);
    for at in [DVec3::X, DVec3::new(1.0, 0.5, 0.25), DVec3::new(1.0, 1.0, 0.5), DVec3::ONE, DVec3::new(-1.0, 0.0, 1.0)]
    {
        let judge = |at: DVec3| {
            let case = pair(&a, &Pose::IDENTITY, &a, &Pose::from_translation(at).unwrap());
            check(&case, &format!("{at}"), &[0.0]);
            assert_eq!(case.proof(0.0).relation, swapped(&case).proof(0.0).relation);
            case.proof(0.0).relation
        };
        assert_eq!(judge(at), Relation::Touching, "{at}");
        for push in [0.5, 1e-3, 1e-9, 1e-13] {
            let pushed = at - at * push;
            assert_eq!(judge(pushed), Relation::Overlapping, "{at} {push}");
        }
    }
    // A solid in itself.
    for shape in [&a, &finer] {
        let pose = Pose::from_axis_angle(DVec3::ONE, 0.3, DVec3::X).unwrap();
        assert_eq!(pair(shape, &pose, shape, &pose).proof(0.0).relation, Relation::Overlapping);
    }
}

#[test]
fn solids_overlap_bodies_of_all_kinds() {
    let mesh = solid(&bumpy_ball(6, 2.0, DVec3::ZERO, 0.1));
    let pose = Pose::from_axis_angle(DVec3::new(0.3, -0.7, 0.4), 1.1, DVec3::new(0.31, -2.2, 5.7)).unwrap();
    for (number, body) in bodies().iter().enumerate() {
        let expected = Relation::Overlapping;
        for far in [0.0, 1.6] {
            let at = Pose::from_axis_angle(DVec3::ONE, 0.4, pose.translation() + DVec3::new(0.0, far, 0.1)).unwrap();
            let case = pair(&mesh, &pose, body, &at);
            check(&case, &format!("body {number} at {far}"), &[0.0]);
            assert_eq!(case.proof(0.0).relation, expected, "body {number} at {far}");
            assert_eq!(swapped(&case).proof(0.0).relation, expected, "body {number} at {far}");
        }
    }
}

#[test]
fn depths_of_meshes_are_refused() {
    let case = two_meshes(solid, 1.0);
    let cube = Shape::cuboid(DVec3::ONE).unwrap();
    let depth = penetration(&cube, &case.pose_a, &cube, &case.pose_b).unwrap();
    case.refuses("depth", &depth);
}
