"""Bodies that turn on their way: motions, first contacts, least clearances."""

from __future__ import annotations

import pickle
import struct
from typing import Any

import numpy as np
import pytest

import clearance
from bodies import check, cube, moved, random_poses, torus
from clearance import NoImpact, RigidMotion

BAR = clearance.Box(half_extents=[2, 0.1, 0.1])
BALL = clearance.Sphere(0.5)
SPINNING = RigidMotion(axis=[0, 0, 3], angle=np.pi / 2)
SLOW = RigidMotion(axis=[0, 0, 1], angle=1.0)
TRUTH = 1 - np.arcsin(0.4) / (np.pi / 2)
"""When the bar, which is 0.1 off its middle, meets a ball of radius 0.5 at 1.5 above it."""


def test_motions() -> None:
    start, end = random_poses(2, 3.0)
    motions = [
        RigidMotion(start, [1, 2, 3], [0, 1, 0], 7.0, [0.5, 0, 0]),
        RigidMotion(start),
        RigidMotion.between(start, end),
        RigidMotion.between(start, end, [1, 0, 0]),
        RigidMotion.screw(start, [1, 0, 0], [0, 0, 1], 5.0, 2.0),
        RigidMotion.screw_between(start, end),
        RigidMotion.screw_of_velocities(start, [1, 0, 0], [0, 0, 2]),
        RigidMotion.polynomial(start, [[3, 0, 4], [0, 0, -5]], [1, 0, 0], [1.0, -2.0]),
    ]
    for index, motion in enumerate(motions):
        assert np.allclose(motion.at(0).matrix, start, atol=1e-14)
        again = pickle.loads(pickle.dumps(motion))
        assert again == motion and np.array_equal(again.at(0.3).matrix, motion.at(0.3).matrix)
        assert all((motion == other) == (index == place) for place, other in enumerate(motions))
    for motion in (motions[2], motions[3], motions[5]):
        assert np.allclose(motion.at(1).matrix, end, atol=1e-12)
    assert np.allclose(motions[7].at(1).translation - start[:3, 3], [3, 0, -1])
    assert motions[0] != "a motion" and repr(motions[1]).startswith("RigidMotion(from Pose(")


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: RigidMotion(angle=1.0), "axis"),
        (lambda: RigidMotion(axis=[0, 0, 0], angle=1.0), "displacement, axis, angle, centre"),
        (lambda: RigidMotion(np.diag([2.0, 1, 1, 1])), "start"),
        (lambda: RigidMotion(displacement=[1, 2]), "displacement"),
        (lambda: RigidMotion.screw(None, [0, 0, np.nan], [0, 0, 1], 1.0), "point, axis, angle, advance"),
        (lambda: RigidMotion.polynomial(None, [[1, 0, 0]], [0, 0, 1], [[1.0]]), "angle"),
        (lambda: clearance.rigid_impact(BAR, BAR, motion_b=np.eye(3)), "motion_b"),
        (lambda: clearance.rigid_impact(BAR, BAR, resolution=float("nan")), "resolution"),
        (lambda: clearance.rigid_impact(BAR, BAR, algorithm="fast"), "algorithm"),
        (lambda: clearance.rigid_impact_batch(BAR, BAR, [SPINNING, "none"]), "motions[1]"),
        (lambda: clearance.rigid_impact_batch(BAR, BAR, 3), "motions"),
        (lambda: clearance.least_clearance(BAR, BAR, tolerance=-1.0), "tolerance"),
        (lambda: clearance.first_impact([BAR], []), "motions"),
        (lambda: clearance.first_impact([BAR, BAR], [None, None], [[0, 2]]), "pairs[0]"),
        (lambda: clearance.first_impact([BAR, BAR], [None, None], [[1, 1]]), "pairs[0]"),
        (lambda: clearance.first_impact([BAR], [None], resolution=0.0), "resolution"),
        (lambda: NoImpact.of_bodies([BAR], []), "motions"),
        (lambda: NoImpact.of_bodies([BAR, "none"], [None, None]), "shapes[1]"),
        (lambda: NoImpact.of_bodies([BAR, BAR], [None, None], [[0, 2]]), "pairs[0]"),
        (lambda: NoImpact(BAR, BAR, "none"), "motion_a"),
        (lambda: NoImpact(BAR, "none"), "b"),
        (lambda: SPINNING.point_bounds([0, 0]), "point"),
        (lambda: SPINNING.point_bounds([0, 0, 0], 0.5, 0.25), "t_from, t_to"),
    ],
)
def test_what_is_refused_is_named(make: Any, argument: str) -> None:
    with pytest.raises(clearance.ClearanceError) as caught:
        make()
    assert caught.value.argument == argument


def test_first_contact() -> None:
    for algorithm in ("advancement", "hierarchies"):
        impact = clearance.rigid_impact(BAR, BALL, SPINNING, moved(0, 1.5), algorithm=algorithm)
        assert impact and impact.touches and impact.algorithm == algorithm
        assert impact.lower <= TRUTH <= impact.upper and impact.upper - impact.lower < 1e-9
        assert np.allclose(impact.witness[0], impact.witness[1], atol=1e-9) and impact.deep.tolist() == [0, 0]
        assert impact.pose_a == SPINNING.at(impact.value) and impact.motion_a == SPINNING
        check(impact)
    assert not clearance.rigid_impact(BAR, BALL, SLOW, moved(0, 1.5))
    near = clearance.rigid_impact(BAR, BALL, SPINNING, moved(0, 1.5), margin=0.1)
    assert near and near.upper < impact.lower
    check(near)
    straight = clearance.Motion(moved(-10, 0.5, 0.25), [16, 0, 0])
    both = (
        clearance.rigid_impact(cube(), BALL, None, straight),
        clearance.time_of_impact(cube(), BALL, None, straight),
    )
    assert both[0] and both[1] and both[0].lower <= both[1].upper + 1e-12
    assert both[1].motion_b == straight and both[0].motion_b == RigidMotion(straight.start, straight.displacement)


def test_many_motions() -> None:
    starts = random_poses(12, 1.5) + moved(5) - np.eye(4)
    motions = [RigidMotion(start, [-6, 0, 0], [1, 2, 3], 5.0) for start in starts]
    for a, b in ((BAR, clearance.Cone(half_length=1, radius=0.5)), (torus(), cube(0.4))):
        many = clearance.rigid_impact_batch(a, b, motions, SPINNING)
        assert len(many) == 12 and many.hit.any() and many.pose_b.shape == (12, 4, 4) and many.deep.shape == (12, 2)
        for index, motion in enumerate(motions):
            assert many[index] == clearance.rigid_impact(a, b, SPINNING, motion)
            assert many.hit[index] == bool(many[index]) == np.isfinite(many.value[index])
            assert many.hit[index] or many[index] == NoImpact(a, b, SPINNING, motion)
        check(many)
        least = clearance.least_clearance_batch(a, b, motions, SPINNING, relative_tolerance=0.05)
        assert ((least.lower > 0) <= ~many.hit).all() and (least.value == least.upper).all()
        for index, motion in enumerate(motions):
            assert least[index] == clearance.least_clearance(a, b, SPINNING, motion, relative_tolerance=0.05)
        check(least)


def test_least_clearance() -> None:
    passing = RigidMotion(moved(-9, 3), [20, 0, 0], [0, 0, 1], 7.0)
    least = clearance.least_clearance(BALL, BALL, passing)
    assert least.lower <= 2 <= least.upper and least.upper - least.lower < 4e-3 and abs(least.t - 0.45) < 0.01
    assert abs(np.linalg.norm(least.witness[0] - least.witness[1]) - least.value) < 1e-9
    check(least)
    with pytest.raises(clearance.ClearanceError):
        clearance.least_clearance(clearance.HalfSpace([0, 0, 1], 0), clearance.HalfSpace([0, 0, 1], 0))


def test_first_of_many_bodies() -> None:
    bars = [
        RigidMotion(moved(-4.5), [0.2, 0, 0], [0, 0, 1], 6.0),
        moved(0),
        RigidMotion(moved(4.5), [-9, 0, 0], [0, 0, 1], 3.0),
    ]
    first = clearance.first_impact([BAR] * 3, bars)
    assert first and (first.a, first.b) == (1, 2) and first.poses.shape == (3, 4, 4)
    assert np.array_equal(first.poses[2], bars[2].at(first.impact.value).matrix)
    first.impact.verify()
    again = pickle.loads(pickle.dumps(first))
    assert again == first and again.impact == first.impact
    first.verify()
    again.verify()
    other = clearance.first_impact([BAR] * 3, bars, [[2, 0]])
    assert isinstance(other, NoImpact) or (other.a, other.b) == (0, 2)
    assert clearance.first_impact([BAR] * 3, bars, np.empty((0, 2), int)) == NoImpact.of_bodies(
        [BAR] * 3, bars, np.empty((0, 2), int)
    )
    assert clearance.first_impact([], []) == NoImpact.of_bodies([], [])


def test_no_contact_is_verified() -> None:
    none = clearance.rigid_impact(BAR, BALL, SLOW, moved(0, 1.5))
    assert isinstance(none, NoImpact) and none == NoImpact(BAR, BALL, SLOW, moved(0, 1.5))
    none.verify()
    with pytest.raises(clearance.NotProvedError):
        NoImpact(BAR, BALL, SPINNING, moved(0, 1.5)).verify()
    NoImpact(BAR, BALL, SPINNING, moved(0, 1.5), until=TRUTH - 1e-3).verify()
    with pytest.raises(clearance.NotProvedError):
        NoImpact(BAR, BALL, SLOW, moved(0, 1.5), margin=2.0).verify()
    for claim in ({"margin": np.nan}, {"until": np.nan}, {"margin": np.inf}):
        with pytest.raises(clearance.NotProvedError):
            NoImpact(BAR, BALL, SLOW, moved(0, 1.5), **claim).verify()
    bodies = [BAR, BALL, BALL], [SLOW, moved(0, 1.5), moved(0, -1.5)]
    none = clearance.first_impact(*bodies)
    assert isinstance(none, NoImpact) and none == NoImpact.of_bodies(*bodies)
    none.verify()
    with pytest.raises(clearance.NotProvedError):
        NoImpact.of_bodies(*bodies, margin=2.0).verify()
    # The balls are as far apart as that throughout; the bar is not tested.
    NoImpact.of_bodies(*bodies, [[1, 2]], margin=1.0).verify()
    near = clearance.first_impact(*bodies, margin=0.5)
    assert near and near.impact.margin == 0.5
    near.verify()


def test_no_contact_is_an_answer() -> None:
    none = clearance.rigid_impact(BAR, BALL, SLOW, moved(0, 1.5), margin=0.01)
    assert not none and bool(none) is False and bool(clearance.rigid_impact(BAR, BALL, SPINNING, moved(0, 1.5))) is True
    assert (none.margin, none.until) == (0.01, 1.0) and repr(none) == "NoImpact(margin=0.01, until=1.0)"
    assert none.a == BAR and none.b == BALL and none.motion_a == SLOW and none.motion_b == RigidMotion(moved(0, 1.5))
    assert none.shapes == [BAR, BALL] and none.motions == [none.motion_a, none.motion_b] and none.pairs is None
    again = pickle.loads(pickle.dumps(none))
    assert again == none and type(again) is NoImpact
    again.verify()
    others = (
        NoImpact(BALL, BAR, SLOW, moved(0, 1.5), margin=0.01),
        NoImpact(BAR, BALL, SPINNING, moved(0, 1.5), margin=0.01),
        NoImpact(BAR, BALL, SLOW, moved(0, 1.5), margin=0.02),
        NoImpact(BAR, BALL, SLOW, moved(0, 1.5), margin=0.01, until=0.5),
        NoImpact.of_bodies([BAR, BALL], [SLOW, moved(0, 1.5)], [[0, 1]], margin=0.01),
        None,
        False,
    )
    assert all(none != other for other in others)
    # A query about two bodies is one about many.
    assert none == clearance.first_impact([BAR, BALL], [SLOW, moved(0, 1.5)], margin=0.01)
    three = NoImpact.of_bodies([BAR] * 3, [None] * 3, [[2, 0], [0, 1]])
    assert three.a is None and three.b is None and three.motion_a is None and three.motion_b is None
    assert len(three.shapes) == 3 and three.pairs is not None and three.pairs.tolist() == [[0, 1], [0, 2]]
    assert pickle.loads(pickle.dumps(three)) == three
    with pytest.raises(TypeError):
        hash(none)
    with pytest.raises(AttributeError):
        none.margin = 0.0  # type: ignore[misc]


def test_no_contact_in_a_batch() -> None:
    motions = [SPINNING, SLOW]
    many = clearance.rigid_impact_batch(BALL, BAR, motions, moved(0, 1.5))
    contact, none = many
    assert many.hit.tolist() == [True, False] and contact and not none
    assert (
        none
        == many[-1]
        == NoImpact(BALL, BAR, moved(0, 1.5), SLOW)
        == clearance.rigid_impact(BALL, BAR, moved(0, 1.5), SLOW)
    )
    none.verify()
    check(many)
    # A claim of a batch that does not hold: that the second pair stays far apart.
    _, (asked, (state,)) = many.__reduce__()
    margin, until = struct.pack("<d", 0.0), struct.pack("<d", 1.0)
    assert state.endswith(margin + until)
    false = type(many)._restore(asked, [state[:-16] + struct.pack("<d", 2.0) + until])
    assert false[1].margin == 2.0 and false != many
    false.verify(absences=False)
    with pytest.raises(clearance.NotProvedError) as caught:
        false.verify()
    assert caught.value.index == 1


def test_first_of_a_part_is_refused_as_first_of_all() -> None:
    """What was found among some of the pairs does not hold for all: the pairs are part of what is proved."""
    late, soon = RigidMotion(moved(9), [-9, 0, 0]), RigidMotion(moved(-3), [3, 0, 0])
    bodies = [BALL, BALL, BALL], [None, late, soon]
    part, whole = clearance.first_impact(*bodies, [[0, 1]]), clearance.first_impact(*bodies)
    assert part and whole and part != whole
    part.verify()
    whole.verify()
    restore, (shapes, motions, pairs, *found) = part.__reduce__()
    assert pairs.tolist() == [[0, 1]]
    with pytest.raises(clearance.NotProvedError):
        restore(shapes, motions, None, *found).verify()


def test_where_a_point_goes() -> None:
    bounds = RigidMotion(axis=[0, 0, 1], angle=100.0).point_bounds([2, 0, 0])
    assert bounds.shape == (2, 3) and (bounds[0] <= [-2, -2, 0]).all() and (bounds[1] >= [2, 2, 0]).all()
    assert np.ptp(bounds[:, 0]) < 4.24
    path = RigidMotion(moved(1, 2, 3), [4, 0, -1], [1, 2, 3], 3.0)
    for t_from, t_to in ((0.0, 1.0), (0.25, 0.3), (0.5, 0.5)):
        least, greatest = path.point_bounds([0.5, 1, -2], t_from, t_to)
        for t in np.linspace(t_from, t_to, 50):
            there = path.at(t).matrix @ [0.5, 1, -2, 1]
            assert (there[:3] >= least - 1e-12).all() and (there[:3] <= greatest + 1e-12).all()
