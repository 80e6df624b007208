"""Every query: known answers, their proofs and pickles, and batches that are the single answers to the bit."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import clearance
from bodies import check, cube, cube_arrays, every_kind, moved, random_poses, torus
from clearance import Relation

BOX = clearance.Box(half_extents=[1, 1, 1])
BALL = clearance.Sphere(1.0)


def test_distance() -> None:
    gap = clearance.distance(BOX, BALL, pose_b=moved(5))
    assert gap.value == 3 and gap.lower <= 3 <= gap.upper and gap.upper - gap.lower < 1e-12
    assert gap.normal is not None and gap.normal.tolist() == [1, 0, 0]
    assert gap.witness.tolist() == [[1, 0, 0], [4, 0, 0]] and gap.point_in_b.tolist() == [-1, 0, 0]
    assert gap.feature_a == clearance.Feature(clearance.FeatureKind.FACE, 1)
    assert gap.a == BOX and gap.b == BALL and gap.pose_b == clearance.Pose(moved(5))
    check(gap)
    far = clearance.distance(BOX, BALL, pose_b=moved(50), farther_than=2)
    assert far.lower > 2
    meet = clearance.distance(BOX, BALL)
    assert meet.value == 0 and meet.normal is None
    check(meet)


def test_a_wide_bracket_says_why() -> None:
    turned = clearance.Pose.from_axis_angle([1, 1, 1], 1.0, [9, 2, 1])
    assert clearance.distance(BOX, BOX, pose_b=turned).stopped is None
    far = clearance.distance(BOX, BOX, pose_b=turned, farther_than=1)
    assert far.method == "gjk_stopped" and far.stopped == ("farther_than", 1.0)
    check(far)
    corner = clearance.Tetrahedron([[0.5, -0.8, 0.4], [-1, 0.7, -0.3], [0.2, 0.3, -0.7], [0.8, 0.1, -0.5]])
    tiny = clearance.Box(half_extents=[0.001, 0.001, 0.001])
    touch = clearance.penetration(corner, tiny, pose_b=moved(-1.001, 0.699, -0.299))
    assert touch.value < 1e-12 and touch.upper < 1e-12 and touch.stopped is None
    check(touch)
    found = clearance.contacts(corner, tiny, pose_b=moved(-1.001, 0.699, -0.299))
    assert abs(found.value) < 1e-12 and found.stopped is None


@pytest.mark.parametrize("kind", every_kind())
def test_every_kind_against_a_ball_and_a_mesh(kind: str) -> None:
    body, poses = every_kind()[kind], random_poses(6, 1.5)
    for other in (clearance.Sphere(0.25), torus()):
        check(clearance.distance_batch(body, other, poses))
        relations = clearance.relation_batch(body, other, poses)
        meet = clearance.intersects_batch(body, other, poses)
        assert ((relations == Relation.SEPARATED) <= ~meet).all() and (
            (relations == Relation.OVERLAPPING) <= meet
        ).all()
        for pose, relation in zip(poses, relations, strict=True):
            proof = clearance.relation_proof(body, other, pose_b=pose)
            assert proof.relation == relation == clearance.relation(body, other, None, pose)
            check(proof)
            check(clearance.contacts(body, other, pose_b=pose, margin=0.1))


def test_relation() -> None:
    poses = [moved(x) for x in (1.0, 2.0, 3.0)]
    assert clearance.relation_batch(BOX, BOX, np.stack(poses)).tolist() == [-1, 0, 1]
    assert clearance.relation(BOX, BOX, pose_b=poses[1]) is Relation.TOUCHING
    assert clearance.relation(BOX, BOX, pose_b=poses[2], touch_band=1.5) is Relation.TOUCHING
    apart = clearance.relation_proof(BOX, BOX, pose_b=poses[2])
    assert apart.evidence == "points" and apart.pairs is None and (apart.part_a, apart.part_b) == (0, 0)
    assert apart.point_in_a is not None and apart.point_in_b is not None and apart.witness is not None
    assert np.array_equal(apart.witness, [apart.point_in_a, apart.point_in_b + [3, 0, 0]])
    assert np.linalg.norm(apart.witness[1] - apart.witness[0]) <= apart.upper
    deep = clearance.relation_proof(BOX, BOX, pose_b=moved(0.5, 0.25, 0.125))
    assert deep.evidence == "polytope" and deep.pairs is not None and deep.pairs.shape[1] == 2
    assert deep.point_in_a is None and deep.point_in_b is None and deep.witness is None
    curved = clearance.relation_proof(clearance.Cone(half_length=1, radius=1), clearance.Ellipsoid([1, 2, 3]))
    assert curved.evidence == "deep" and curved.pairs is None and curved.witness is not None
    check(curved)
    both = clearance.relation_proof_batch(BOX, BOX, np.stack([moved(0.5, 0.25, 0.125), poses[2]]))
    assert both.evidence == ["polytope", "points"] and both.witness.shape == (2, 2, 3)
    assert np.array_equal(both.witness[1], apart.witness) and not both.witness[0].any()
    assert np.array_equal(both.point_in_a, [[0, 0, 0], apart.point_in_a])
    assert np.array_equal(both.point_in_b, [[0, 0, 0], apart.point_in_b])


def test_a_surface_in_a_solid() -> None:
    corners = [[-1, -1, 0.5], [1, -1, 0.5], [1, 1, 0.5], [-1, 1, 0.5]]
    sheet = clearance.Mesh(corners, [[0, 1, 2], [0, 2, 3]])
    up = [moved(0, 0, z) for z in (0, 0.5, 1)]
    for body in (cube(), BOX, clearance.Hull(cube_arrays()[0])):
        proof = clearance.relation_proof(body, sheet)
        assert proof.relation == Relation.OVERLAPPING and proof.lower <= -0.5 <= proof.upper < 0
        check(proof)
        relations = clearance.relation_batch(body, sheet, np.array(up))
        assert relations.tolist() == [Relation.OVERLAPPING, Relation.TOUCHING, Relation.SEPARATED]


def test_penetration() -> None:
    deep = clearance.penetration(BOX, BOX, pose_b=moved(1.75, 0.25))
    assert abs(deep.value - 0.25) < 1e-14 and deep.normal.tolist() == [1, 0, 0]
    check(deep)
    many = clearance.penetration_batch(BOX, clearance.Capsule(half_length=1, radius=0.5), random_poses(20, 1.0))
    assert (many.value > 0).any() and many.normal.shape == (20, 3) and many.witness.shape == (20, 2, 3)
    check(many)
    with pytest.raises(clearance.NotSolidError) as caught:
        points, faces = cube_arrays()
        clearance.penetration(BOX, clearance.Mesh(points, faces[1:]), pose_b=moved(0.5))
    assert caught.value.argument == "b" and caught.value.edges.shape == (3, 2)


def test_solid_depth() -> None:
    reported: list[tuple[float, float]] = []
    deep = clearance.solid_depth(
        cube(), cube(), pose_b=moved(1.75, 0.25), progress=lambda low, high: reported.append((low, high))
    )
    assert abs(deep.value - 0.25) < 1e-9 and deep.lower > 0.23 and deep.label == "global" and not deep.interrupted
    assert reported and deep.proof_cubes > 0 and deep.work > 0
    check(deep)
    ring = clearance.solid_depth(torus(), BOX, pose_b=moved(2), relative_tolerance=0.5, search="levels")
    assert ring.value > 0 and ring.levels and ring.levels[0].level == 0
    check(ring)
    stopped = clearance.solid_depth(torus(), cube(), pose_b=moved(2), relative_tolerance=0, progress=lambda *_: False)
    assert stopped.interrupted

    def fail(*_: float) -> bool:
        raise KeyError("reported")

    with pytest.raises(KeyError, match="reported"):
        clearance.solid_depth(torus(), cube(), pose_b=moved(2), progress=fail)
    many = clearance.solid_depth_batch(cube(), cube(), np.stack([moved(1.75), moved(1.5)]))
    assert [round(it.value, 6) for it in many] == [0.25, 0.5]
    near = clearance.solid_depth(cube(), cube(), pose_b=moved(1.5), near=deep.value * deep.normal)
    assert near.label == "local"
    with pytest.raises(clearance.ClearanceError, match="neither 'directions' nor 'levels'"):
        clearance.solid_depth(cube(), cube(), search="everywhere")


def test_depth_along() -> None:
    up = clearance.depth_along(BOX, BOX, [0, 2, 0], pose_b=moved(1.75, 0.25))
    assert abs(up.value - 1.75) < 1e-9 and up.direction.tolist() == [0, 1, 0]
    assert pickle.loads(pickle.dumps(up)) == up
    with pytest.raises(clearance.ClearanceError) as caught:
        clearance.depth_along(BOX, BOX, [0, 0, 0])
    assert caught.value.argument == "direction"


def test_clearance_along() -> None:
    path = np.stack([moved(x) for x in (3.5, 2.5, 1.5)])
    gaps = clearance.clearance_along(BOX, BOX, path)
    assert np.allclose(gaps.value, [1.5, 0.5, -0.5]) and len(gaps) == 3
    assert isinstance(gaps[0], clearance.Distance) and isinstance(gaps[-1], clearance.SolidDepth)
    check(gaps)


def test_overlap_volume() -> None:
    common = clearance.overlap_volume(BOX, cube(), pose_b=moved(1.5, 0, 1))
    assert (
        abs(common.value - 1) < 1e-12
        and isinstance(common.area, clearance.Bracket)
        and abs(common.area.value - 7) < 1e-12
    )
    assert common.centroid is not None and np.allclose(common.centroid, [0.75, 0, 0.5])
    check(common)
    many = clearance.overlap_volume_batch(BOX, cube(), np.stack([moved(1.5), moved(5)]))
    assert np.allclose(many.value, [2, 0]) and many.area.shape == (2, 3)
    check(many)
    with pytest.raises(clearance.ClearanceError, match="closed mesh"):
        clearance.overlap_volume(BOX, clearance.Cone(half_length=1, radius=1))


def test_contacts() -> None:
    found = clearance.contacts(BOX, BOX, pose_b=moved(0.5, 0.5, 2))
    assert len(found) == 4 and found.normal.tolist() == [0, 0, 1] and found.gaps.shape == (4,)
    assert (found.gaps_lower <= found.gaps).all() and (found.gaps <= found.gaps_upper).all()
    assert found.points.shape == (4, 2, 3) and np.allclose(found.points[:, :, 2], 1)
    assert found.features_a.shape == (4, 2) and found.parts.tolist() == [[0, 0]] * 4
    check(found)
    assert len(clearance.contacts(BOX, BOX, pose_b=moved(0.5, 0.5, 2), most=1)) == 1
    crossed = clearance.contacts(torus(), cube(), pose_b=moved(2, 0.1, 0.2))
    assert len(crossed.triangles) > 0 and crossed.segments.shape == (len(crossed.triangles), 2, 3)
    assert set(crossed.sides.ravel()) <= set(clearance.PlaneSide)
    check(crossed)
    assert clearance.contacts_batch(torus(), cube(), np.stack([moved(2, 0.1, 0.2)])) == [crossed]


def test_many_poses_with_proofs_and_along_a_direction() -> None:
    poses, first = random_poses(40, 2.5), random_poses(40, 0.5, seed=2)
    for a, b in ((torus(), cube()), (BOX, BALL)):
        for pose_a in (None, first):
            proofs = clearance.relation_proof_batch(a, b, poses, pose_a, touch_band=0.01)
            assert np.array_equal(proofs.relation, clearance.relation_batch(a, b, poses, pose_a, touch_band=0.01))
            assert len(proofs) == 40 and proofs.lower.shape == (40,) and proofs.normal.shape == (40, 3)
            assert {1, -1} <= set(proofs.relation.tolist())
            for index, proof in enumerate(proofs):
                at = None if pose_a is None else pose_a[index]
                assert proof == clearance.relation_proof(a, b, at, poses[index], touch_band=0.01)
                assert (proof.lower, proof.upper) == (proofs.lower[index], proofs.upper[index])
                assert (proof.part_a, proof.part_b) == (proofs.part_a[index], proofs.part_b[index])
            check(proofs)
    small = cube(0.7)
    along = clearance.depth_along_batch(torus(), small, [0, 0, 2], poses, first)
    assert along == [
        clearance.depth_along(torus(), small, [0, 0, 2], at, there) for at, there in zip(first, poses, strict=True)
    ]
    assert any(it.value > 0 for it in along) and any(it.value == 0 for it in along)
    assert clearance.depth_along_batch(torus(), small, [0, 0, 1], np.empty((0, 4, 4))) == []
    with pytest.raises(clearance.NotSolidError):
        clearance.depth_along_batch(BOX, clearance.Mesh(small.vertices, small.faces[1:]), [0, 0, 1], poses)
    with pytest.raises(clearance.ClearanceError) as caught:
        clearance.depth_along_batch(torus(), small, [0, 0, 0], poses)
    assert caught.value.argument == "direction"
    with pytest.raises(clearance.ClearanceError, match="2 poses for 40"):
        clearance.relation_proof_batch(BOX, BALL, poses, first[:2])


def test_contact_curves() -> None:
    curves = clearance.contact_curves(torus(), cube(0.7), pose_b=moved(2, 0.01, 0.02))
    assert curves and all(curve.closed for curve in curves)
    assert all(curve.points.shape[1] == 3 and len(curve.triangles) == len(curve.points) for curve in curves)
    assert pickle.loads(pickle.dumps(curves)) == curves
    with pytest.raises(clearance.ClearanceError) as caught:
        clearance.contact_curves(torus(), BALL)
    assert caught.value.argument == "b"


def test_time_of_impact() -> None:
    flying = clearance.Motion(moved(-10, 0.5, 0.25), [16, 0, 0])
    impact = clearance.time_of_impact(BOX, BOX, flying)
    assert impact and abs(impact.value - 0.5) < 1e-13 and impact.touches and impact.evidence.shape[1] == 2
    assert impact.motion_a == flying and impact.motion_b == clearance.Motion()
    assert np.allclose(impact.witness[0], impact.witness[1], atol=1e-9)
    check(impact)
    assert clearance.sweeps_meet(BOX, BOX, flying) and not clearance.sweeps_meet(BOX, BOX, flying, moved(0, 9))
    none = clearance.time_of_impact(BOX, BOX, flying, moved(0, 9), margin=0.5)
    assert isinstance(none, clearance.NoImpact) and not none and (none.margin, none.until) == (0.5, 1.0)
    assert none == clearance.NoImpact(BOX, BOX, flying, moved(0, 9), margin=0.5) and none.motion_a == (
        clearance.RigidMotion(flying.start, flying.displacement)
    )
    none.verify()
    with pytest.raises(clearance.NotProvedError):
        clearance.NoImpact(BOX, BOX, flying, moved(0, 9), margin=7.0).verify()
    starts, ways = np.stack([moved(9), moved(9, 9), moved(0.5)]), np.array([[-8.0, 0, 0]] * 3)
    for body in (BALL, clearance.Cone(half_length=1, radius=1), cube()):
        many = clearance.time_of_impact_batch(BOX, body, starts, ways)
        assert many.hit.tolist() == [True, False, True] and many.value[1] == np.inf and many.value[2] == 0
        for index in (0, 1):
            assert many[index] == clearance.time_of_impact(
                BOX, body, None, clearance.Motion(starts[index], ways[index])
            )
        assert many[0] and isinstance(many[1], clearance.NoImpact)
        many.verify(absences=False)
        assert clearance.sweeps_meet_batch(BOX, body, starts, ways).tolist() == many.hit.tolist()
        check(many)
    with pytest.raises(clearance.ClearanceError, match="expected one of 'conservative'"):
        clearance.time_of_impact(BOX, BOX, algorithm="fast")


def test_points() -> None:
    points = np.random.default_rng(5).uniform(-3, 3, (200, 3))
    pose = random_poses(1, 1.0)[0]
    for body in (torus(), BOX, clearance.Compound([(BALL, None), (BOX, moved(2))])):
        near, signed = (
            clearance.closest_point_batch(body, points, pose),
            clearance.signed_distance_batch(body, points, pose),
        )
        inside = clearance.contains_batch(body, points, pose)
        check(near)
        check(signed)
        assert np.array_equal(near.value == 0, inside) and (signed.value[inside] <= 0).all()
        assert np.allclose(np.linalg.norm(near.witness - points, axis=1), near.value)
        for index in (0, 17, 199):
            assert near[index] == clearance.closest_point(body, points[index], pose)
            assert signed[index] == clearance.signed_distance(body, points[index], pose)
            assert inside[index] == clearance.contains(body, points[index], pose)
            check(near[index])
            check(signed[index])
    one = clearance.closest_point(BOX, [3, 0.5, 0])
    assert one.value == 2 and one.witness.tolist() == [1, 0.5, 0] and one.point.tolist() == [3, 0.5, 0]


def test_rays() -> None:
    hit = clearance.ray_cast(BOX, [-5, 0.5, 0], [2, 0, 0])
    assert hit and hit.value == 2 and hit.entering and hit.normal.tolist() == [-1, 0, 0]
    assert hit.witness.tolist() == [-1, 0.5, 0]
    check(hit)
    none = clearance.ray_cast(BOX, [-5, 0.5, 0], [2, 0, 0], t_to=1)
    assert isinstance(none, clearance.NoHit) and not none and (none.t_from, none.t_to) == (0, 1)
    assert none == clearance.NoHit(BOX, [-5, 0.5, 0], [2, 0, 0], t_to=1) and repr(none) == "NoHit(t_from=0.0, t_to=1.0)"
    assert none != clearance.NoHit(BALL, [-5, 0.5, 0], [2, 0, 0], t_to=1) and none.shapes == [BOX]
    check(none)
    with pytest.raises(clearance.NotProvedError):
        clearance.NoHit(BOX, [-5, 0.5, 0], [2, 0, 0], t_to=2).verify()
    assert [it.value for it in clearance.ray_cast_all(BOX, [-5, 0.5, 0], [2, 0, 0])] == [2, 3]
    random = np.random.default_rng(7)
    origins, directions = random.uniform(-4, 4, (200, 3)), random.normal(size=(200, 3))
    pose = random_poses(1, 1.0)[0]
    for body in (torus(), BALL):
        hits = clearance.ray_cast_batch(body, origins, directions, pose)
        assert 0 < hits.hit.sum() < 200 and (hits.value[~hits.hit] == np.inf).all()
        check(hits)
        for index in range(0, 200, 13):
            assert hits[index] == clearance.ray_cast(body, origins[index], directions[index], pose)
    moving = clearance.ray_cast_moving(BALL, clearance.Motion(moved(4), [2, 0, 0]), [0, 0, 0], [8, 0, 0])
    assert moving and moving.value == 0.5 and moving.witness.tolist() == [4, 0, 0]
    check(moving)
    late = clearance.ray_cast_moving(BALL, clearance.Motion(moved(4), [2, 0, 0]), [0, 0, 0], [4, 0, 0])
    assert isinstance(late, clearance.NoHit)
    check(late)
    with pytest.raises(clearance.ClearanceError) as caught:
        clearance.ray_cast_batch(BALL, [[0, 0, 0]] * 2, [[1, 0, 0], [0, 0, 0]])
    assert caught.value.argument == "origins[1], directions[1]"


def test_batches_are_the_single_answers() -> None:
    poses, first = random_poses(40, 2.5), random_poses(40, 0.5, seed=2)
    for a, b in ((torus(), cube()), (BOX, clearance.Cone(half_length=1, radius=0.5))):
        gaps = clearance.distance_batch(a, b, poses, first)
        meet = clearance.intersects_batch(a, b, poses, first)
        assert meet.any() and not meet.all()
        for index in range(40):
            assert gaps[index] == clearance.distance(a, b, first[index], poses[index])
            assert meet[index] == clearance.intersects(a, b, first[index], poses[index])
    with pytest.raises(IndexError):
        gaps[40]
    assert [it.value for it in gaps] == gaps.value.tolist()


def test_pairs_of_many_bodies() -> None:
    shapes = [torus(), cube(), BOX, BALL]
    poses = random_poses(4, 2.0)
    pairs = np.array([[i, j] for i in range(4) for j in range(i)])
    gaps = clearance.distance_pair_batch(shapes, pairs, poses)
    check(gaps)
    for (i, j), gap in zip(pairs, gaps, strict=True):
        assert gap == clearance.distance(shapes[i], shapes[j], poses[i], poses[j])
    assert np.array_equal(gaps.value == 0, clearance.intersects_pair_batch(shapes, pairs, poses))
    assert np.array_equal(clearance.relation_pair_batch(shapes, pairs, poses) == 1, gaps.value > 0)
    check(clearance.penetration_pair_batch(shapes[2:], [[0, 1]], poses[2:]))
    assert clearance.overlap_volume_pair_batch(shapes, [[1, 2]])[0].value > 0
    with pytest.raises(clearance.ClearanceError) as caught:
        clearance.distance_pair_batch(shapes, [[0, 1], [2, 4]], poses)
    assert caught.value.argument == "pairs[1]"


def test_a_changed_answer_is_refused() -> None:
    gap = clearance.distance_batch(BOX, BALL, np.stack([moved(5), moved(6)]))
    question, _ = gap.__reduce__()[1]
    state = bytearray(gap._state())
    place = bytes(state).index(np.float64(4.0).tobytes())
    state[place : place + 8] = np.float64(4.5).tobytes()
    changed = clearance.Distances._restore(question, [bytes(state)])
    with pytest.raises(clearance.NotProvedError) as caught:
        changed.verify()
    assert caught.value.index == 1
    with pytest.raises(RuntimeError, match="damaged"):
        clearance.Distances._restore(question, [bytes(state[:-1])])
    with pytest.raises(RuntimeError, match="damaged"):
        clearance.Distances._restore(question, [])


def test_other_threads_run_meanwhile() -> None:
    started, counted = threading.Event(), 0
    poses = random_poses(400, 2.0)

    def ask() -> None:
        started.set()
        clearance.distance_batch(torus(), torus(), poses)

    thread = threading.Thread(target=ask)
    thread.start()
    started.wait()
    while thread.is_alive():
        counted += 1
    assert counted > 100


THREADS = """
import sys
sys.path.insert(0, sys.argv[1])
import hashlib
from bodies import random_poses, torus
import clearance
gaps = clearance.distance_batch(torus(), torus(), random_poses(100, 4.0))
print(hashlib.sha256(gaps._state()).hexdigest())
"""


def test_the_same_bits_at_any_number_of_threads() -> None:
    seen = set()
    for threads in ("1", "5"):
        environment = {**os.environ, "RAYON_NUM_THREADS": threads}
        arguments = [sys.executable, "-c", THREADS, os.path.dirname(__file__)]
        seen.add(subprocess.run(arguments, env=environment, check=True, capture_output=True).stdout)
    assert len(seen) == 1
