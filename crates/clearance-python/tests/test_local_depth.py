"""How far the surface of one body reaches inside the other: known answers, proofs, limits, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import clearance
from bodies import check, cube, cube_arrays, every_kind, moved, random_poses, torus, torus_arrays

SLAB, PEG = clearance.Box(half_extents=[5, 5, 1]), clearance.Box(half_extents=[0.5, 0.5, 3])
CORNERS = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
SHEET = clearance.Mesh(CORNERS, [[0, 1, 2], [0, 2, 3]])
TURNED = clearance.Pose.from_axis_angle([0.3, 1, 0.2], 1.0, [1.6, 0.3, 0.2])


def holds(found: clearance.LocalDepth, depth: float) -> None:
    """The bracket holds a depth, is as narrow as is asked by default, and is proved."""
    assert found.lower - 1e-12 <= depth <= found.upper + 1e-12 and found.lower <= found.value <= found.upper
    assert found.upper - found.lower <= 0.05 * found.upper + 1e-12 and found.ended == "tolerance"
    assert found.undecided_faces.tolist() == [0, 0] and found.undecided_faces.dtype == np.uint32
    check(found)


def test_boxes() -> None:
    deep = clearance.local_depth(SLAB, PEG, pose_b=moved(0, 0, 3.25))
    holds(deep, 0.75)
    assert deep.direction == "b_in_a" and deep.work > 0
    assert deep.point_in_a is not None and deep.point_in_b is not None and deep.witness is not None
    # The foot of the peg, and the top of the slab above it.
    assert deep.point_in_b[2] == -3 and abs(deep.point_in_a[2] - 1) < 1e-12
    assert np.allclose(deep.witness, [deep.point_in_a, deep.point_in_b + [0, 0, 3.25]])
    assert deep.lower <= np.linalg.norm(deep.witness[1] - deep.witness[0]) + 1e-12
    assert (deep.part_a, deep.part_b) == (0, 0) and isinstance(deep.feature_a, clearance.Feature)
    assert deep.a == SLAB and deep.b == PEG and deep.pose_b == clearance.Pose(moved(0, 0, 3.25))
    assert repr(deep) == f"LocalDepth(value={deep.value!r}, lower={deep.lower!r}, upper={deep.upper!r})"
    swapped = clearance.local_depth(PEG, SLAB, moved(0, 0, 3.25))
    assert swapped.direction == "a_in_b" and swapped.value == deep.value and swapped != deep
    # The same as meshes, by a corner, and against a hull.
    for body in (cube(), clearance.Box(half_extents=[1, 1, 1]), clearance.Hull(cube_arrays()[0])):
        holds(clearance.local_depth(cube(), body, pose_b=moved(1.75, 1.75, 1.75)), 0.25)
    named = clearance.local_depth(cube(), cube(), pose_b=moved(1.75, 0.5))
    assert named.part_a is not None and named.part_b is not None and max(named.part_a, named.part_b) < 12


def test_one_inside_the_other() -> None:
    # Each face is 2 from a side of the large box, and its middle no nearer to the others.
    large, small = clearance.Box(half_extents=[2.5, 2.5, 2.5]), clearance.Box(half_extents=[0.5, 0.5, 0.5])
    inside = clearance.local_depth(large, small)
    holds(inside, 2.0)
    assert inside.direction == "b_in_a"
    holds(clearance.local_depth(cube(0.5), cube(2.5)), 2.0)


def test_what_touches_or_is_apart_has_none() -> None:
    touching = clearance.local_depth(cube(), cube(), pose_b=moved(2, 0.5))
    assert touching.lower == 0 and touching.upper < 1e-11
    apart = clearance.local_depth(cube(), cube(), pose_b=moved(2.5))
    assert (apart.lower, apart.value, apart.upper) == (0, 0, 0)
    for none in (touching, apart):
        check(none)
        assert none.ended == "tolerance" and none.undecided_faces.tolist() == [0, 0]
        assert none.direction is none.witness is none.point_in_a is none.point_in_b is None
        assert none.part_a is none.part_b is none.feature_a is none.feature_b is None


def test_a_sheet_in_a_solid_and_two_sheets() -> None:
    sheet = clearance.local_depth(clearance.Box(half_extents=[2, 2, 2]), SHEET, pose_b=moved(0, 0, 0.5))
    holds(sheet, 1.5)
    assert sheet.direction == "b_in_a"
    with pytest.raises(clearance.ClearanceError, match="two surfaces") as caught:
        clearance.local_depth(SHEET, SHEET)
    assert caught.value.argument == "a, b"
    with pytest.raises(clearance.ClearanceError, match="two surfaces"):
        clearance.local_depth(SHEET, SHEET, progress=lambda *_: None)
    with pytest.raises(clearance.ClearanceError, match="two surfaces"):
        clearance.local_depth_batch(SHEET, SHEET, np.stack([moved(0), moved(1)]))


@pytest.mark.parametrize("kind", every_kind())
def test_kinds_that_have_one_and_others(kind: str) -> None:
    if kind in ("Box", "Hull", "Tetrahedron", "Mesh"):
        check(clearance.local_depth(every_kind()[kind], cube(), pose_b=moved(0.75, 0.5)))
    else:
        with pytest.raises(clearance.ClearanceError) as caught:
            clearance.local_depth(every_kind()[kind], cube(), pose_b=moved(0.75, 0.5))
        assert caught.value.argument == "a, b"


def test_limits_and_budget() -> None:
    def ask(**limits: float) -> clearance.LocalDepth:
        narrow = {"relative_tolerance": 1e-3, **limits}
        return clearance.local_depth(torus(), cube(), pose_b=TURNED, **narrow)  # type: ignore[arg-type]

    full = ask()
    assert full.ended == "tolerance" and full.value > 0
    more = ask(at_least=0.1 * full.lower)
    assert more.ended == "at_least" and more.lower > 0.1 * full.lower and more.work <= full.work
    less = ask(at_most=10 * full.upper)
    assert less.ended == "at_most" and less.upper <= 10 * full.upper and less.work <= full.work
    none = ask(work=0)
    assert none.ended == "interrupted" and none.upper >= full.lower
    assert full.upper - full.lower <= 1e-3 * full.upper
    wide = ask(relative_tolerance=0, tolerance=0.1)
    assert wide.ended == "tolerance" and wide.upper - wide.lower <= 0.1 and wide.work <= full.work
    for found in (full, more, less, none, wide):
        check(found)


def test_progress() -> None:
    # Progress is reported every 256 pieces or so.
    ring = clearance.Mesh(*torus_arrays(around=60, across=30)).solid()

    def ask(progress: Callable[[float, float], bool | None] | None) -> clearance.LocalDepth:
        return clearance.local_depth(ring, ring, pose_b=TURNED, relative_tolerance=1e-3, progress=progress)

    reported: list[tuple[float, float]] = []
    assert ask(lambda low, high: reported.append((low, high))) == ask(None)
    assert reported and all(low <= high for low, high in reported)
    stopped = ask(lambda *_: False)
    assert stopped.ended == "interrupted"
    check(stopped)

    def fail(*_: float) -> bool:
        raise KeyError("reported")

    with pytest.raises(KeyError, match="reported"):
        ask(fail)


def test_batches_are_the_single_queries() -> None:
    poses = random_poses(12, 2.0)
    for body in (cube(), clearance.Box(half_extents=[1, 1, 1])):
        many = clearance.local_depth_batch(torus(), body, poses, moved(0.25), at_most=0.125)
        assert many == [clearance.local_depth(torus(), body, moved(0.25), pose, at_most=0.125) for pose in poses]
        assert any(found.lower > 0 for found in many) and len(many) == 12
        assert many == pickle.loads(pickle.dumps(many))
    assert clearance.local_depth_batch(cube(), cube(), np.empty((0, 4, 4))) == []


def test_what_is_not_so_is_not_proved() -> None:
    deep = clearance.local_depth(cube(), cube(), pose_b=moved(1.75, 0.25))
    restore, (question, state) = deep.__reduce__()  # type: ignore[misc]
    # The version, then the lower end, the value and the upper end.
    numbers = np.frombuffer(state[1:25], dtype="<f8")
    assert numbers.tolist() == [deep.lower, deep.value, deep.upper]
    assert restore(question, state) == deep
    for factor in (0.5, 2.0):
        with pytest.raises(clearance.NotProvedError):
            restore(question, state[:1] + (factor * numbers).tobytes() + state[25:]).verify()
    with pytest.raises(RuntimeError, match="damaged"):
        restore(question, state[:-1])


def test_estimates() -> None:
    points, triangles = cube_arrays()
    closed = clearance.local_depth(cube(), cube(), pose_b=moved(1.75, 0.5))
    about = clearance.local_depth_estimate(cube(), cube(), pose_b=moved(1.75, 0.5))
    assert 0 < about.value <= closed.upper + 1e-12 and about.inside.sum() > 0
    assert about.direction in ("a_in_b", "b_in_a") and about.witness is not None
    assert abs(np.linalg.norm(about.witness[1] - about.witness[0]) - about.value) < 1e-12
    assert about.part_a is not None and about.part_b is not None
    assert about.point_in_a is not None and about.point_in_b is not None
    assert about.pose_b == clearance.Pose(moved(1.75, 0.5)) and about.a == cube() == about.b
    assert repr(about).startswith("LocalDepthEstimate(value=0.25, inside=[")
    # Without a side it is still about as deep; `local_depth` needs a solid.
    shell = clearance.Mesh(points, triangles[2:])
    open_one = clearance.local_depth_estimate(shell, shell, pose_b=moved(1.75, 0.5))
    assert abs(open_one.value - 0.25) < 0.05 and pickle.loads(pickle.dumps(open_one)) == open_one
    with pytest.raises(clearance.ClearanceError, match="two surfaces"):
        clearance.local_depth(shell, shell, pose_b=moved(1.75, 0.5))
    sheets = clearance.local_depth_estimate(SHEET, SHEET, pose_b=TURNED)
    assert (sheets.value, sheets.direction, sheets.witness) == (0.0, None, None) and not sheets.inside.any()
    with pytest.raises(clearance.ClearanceError):
        clearance.local_depth_estimate(cube(), clearance.Sphere(1.0))
