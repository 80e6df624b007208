"""Robots: known answers of a small crane, batches against single queries, proofs, and invalid input."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clearance
from bodies import check, cube_arrays, moved, ring_robot
from clearance import Robot

# A trolley that slides along x a metre above its base, and an arm of a metre that turns about y below it.
CRANE = """<robot name="crane">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="trolley"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision></link>
  <link name="hook"/>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="trolley"/><origin xyz="0 0 1"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="3"/></joint>
  <joint name="turn" type="continuous"><parent link="trolley"/><child link="arm"/><axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><parent link="arm"/><child link="hook"/><origin xyz="1 0 0"/></joint>
</robot>
"""
WALL = ("wall", clearance.Box(half_extents=[0.0625, 1, 1]), moved(1.5625, 0, 1))
DOWN = np.pi / 2


@pytest.fixture
def crane(tmp_path: Path) -> Path:
    path = tmp_path / "crane.urdf"
    path.write_text(CRANE)
    return path


def drawn(robot: Robot, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    lower, upper = robot.limits.T
    return np.random.default_rng(1).uniform(lower, upper, (count, len(lower)))


def test_what_a_robot_is(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    assert robot.name == "crane" and robot.variables == ["slide", "turn"]
    assert robot.limits.tolist() == [[-2, 3], [-np.pi, np.pi]]
    assert robot.links == ["base", "trolley", "arm", "hook"] and robot.notes == [] and robot.always == []
    assert set(robot.pairs) == {("base", "arm"), ("base", "wall"), ("trolley", "wall"), ("arm", "wall")}
    assert repr(robot) == "Robot('crane', 4 links, 2 variables, 4 pairs)"


def test_forward(crane: Path) -> None:
    robot = Robot(str(crane))
    poses = robot.forward([0.5, DOWN])
    assert poses.shape == (4, 4, 4) and (poses[:, 3] == [0, 0, 0, 1]).all()
    assert (poses[0] == np.eye(4)).all() and (poses[1] == moved(0.5, 0, 1)).all()
    assert np.allclose(poses[3, :3, 3], [0.5, 0, 0], atol=1e-15)
    q = drawn(robot, 200)
    many = robot.forward_batch(q)
    assert many.shape == (200, 4, 4, 4)
    assert all((robot.forward(one) == found).all() for one, found in zip(q, many, strict=True))
    tip = np.stack([q[:, 0] + np.cos(q[:, 1]), np.zeros(200), 1 - np.sin(q[:, 1])], axis=1)
    assert np.allclose(many[:, 3, :3, 3], tip, atol=1e-14)


def test_checks(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    free, hit = robot.check([0, 0]), robot.check([0, DOWN])
    assert not free and free.free and free.pair is None and repr(free) == "RobotCheck(pair=None)"
    assert hit and not hit.free and pickle.loads(pickle.dumps(hit)) == hit != free
    assert hit.pair == ("base", "arm") and robot.check([1, 0]).pair == ("arm", "wall")
    # The end of the arm touches the wall, which is meeting it.
    assert robot.check([0.5, 0]).pair == ("arm", "wall")
    found = robot.check_batch([[0, 0], [0, DOWN], [1, 0]])
    assert found.free.tolist() == [True, False, False] and found.pair[0] == -1
    assert [robot.pairs[pair] for pair in found.pair[1:]] == [("base", "arm"), ("arm", "wall")]
    q = drawn(robot, 300)
    free, pair = robot.check_batch(q)
    assert free.any() and not free.all() and ((pair == -1) == free).all()
    for one, is_free, number in zip(q, free, pair, strict=True):
        assert robot.check(one).pair == (None if is_free else robot.pairs[number])
    # Free is what is at a distance.
    assert ((robot.distances_batch(q).value > 0).all(axis=1) == free).all()


def test_distances(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    known = {("base", "arm"): 0.89, ("base", "wall"): 1.4, ("trolley", "wall"): 1.4, ("arm", "wall"): 0.5}
    found = robot.distances([0, 0])
    assert len(found) == 4 and isinstance(found, clearance.Distances)
    for pair, distance in zip(robot.pairs, found, strict=True):
        assert distance is not None and abs(distance.value - known[pair]) < 1e-14
        assert distance.lower <= known[pair] <= distance.upper and distance.upper - distance.lower < 1e-12
    check(found)
    of_arm, of_wall = (robot.pairs.index(pair) for pair in (("base", "arm"), ("arm", "wall")))
    one = found[of_wall]
    assert one is not None and one.a == clearance.Box(half_extents=[0.5, 0.01, 0.01]) and one.b == WALL[1]
    # A body of several pairs is one object.
    other = found[of_arm]
    assert other is not None and other.b is one.a
    q = drawn(robot, 150)
    many = robot.distances_batch(q)
    assert many.value.shape == many.lower.shape == many.upper.shape == (150, 4) and len(many) == 150
    assert (many.lower <= many.value).all() and (many.value <= many.upper).all()
    many.verify()
    for index in (0, 70, -1):
        single = robot.distances(q[index])
        assert (many[index].value == many.value[index]).all()
        assert (many[index].lower <= single.upper).all() and (single.lower <= many[index].upper).all()
        check(many[index])
    assert many == robot.distances_batch(q) and many != robot.distances_batch(q[1:])
    assert [len(one) for one in robot.distances_batch(q[:3])] == [4, 4, 4]
    assert repr(many) == "RobotDistances(150 configurations, 4 pairs)"
    with pytest.raises(IndexError):
        many[150]


def test_motions(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    found = robot.sweep([0, 0], [1, 0])
    found.verify()
    assert not found.free and found.met and found.pair == ("arm", "wall") and found.clearance is None
    assert found.lower is not None and found.upper is not None and found.point is not None and found.q is not None
    assert found.lower <= 0.5 <= found.upper and found.upper - found.lower < 2e-5 and found.stretches > 0
    assert abs(found.point[0] - 1.5) < 1e-4 and abs(found.q[0] - 0.5) < 1e-4
    assert repr(found).startswith("RobotSweep('arm' and 'wall', lower=0.")
    free = robot.sweep([0, 0], [0.25, 0], clearance=1e-4)
    free.verify()
    assert free.free and (free.lower, free.upper, free.pair, free.point, free.q) == (None,) * 5 and not free.met
    assert free.clearance is not None and free.clearance.lower <= 0.25 <= free.clearance.upper
    assert free.clearance.upper - free.clearance.lower <= 1e-4
    assert free.nearest == ("arm", "wall") and free.nearest_at is not None and free.nearest_at > 0.99
    assert repr(free) == "RobotSweep(free)" and free != found and free == robot.sweep([0, 0], [0.25, 0], clearance=1e-4)
    unasked = robot.sweep([0, 0], [0.25, 0])
    assert unasked.clearance is None and unasked.nearest is None and unasked.nearest_at is None


def test_many_motions(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    found = robot.sweep_batch([[0, 0], [0, 0]], [[1, 0], [0.25, 0]], clearance=1e-4)
    found.verify()
    assert found.free.tolist() == [False, True] and found.met.tolist() == [True, False]
    assert found.lower[0] <= 0.5 <= found.upper[0] and found.lower[1] == found.upper[1] == np.inf
    assert robot.pairs[found.pair[0]] == ("arm", "wall") and found.pair[1] == -1
    assert abs(found.point[0, 0] - 1.5) < 1e-4 and found.point[1].tolist() == [0, 0, 0]
    assert found.clearance[0].tolist() == [np.inf] * 3 and found.nearest[0] == -1 and found.nearest_at[0] == np.inf
    assert found.clearance[1, 1] <= 0.25 <= found.clearance[1, 2] and robot.pairs[found.nearest[1]] == ("arm", "wall")
    assert repr(found) == "RobotSweeps(2 motions, 1 free)" and (found.stretches > 0).all()
    start, end = drawn(robot, 60)[:30], drawn(robot, 60)[30:]
    many = robot.sweep_batch(start, end)
    assert [one for one in many] == [robot.sweep(*ends) for ends in zip(start, end, strict=True)]
    assert many == robot.sweep_batch(start, end) and many != found and many[-1] == many[29]
    # What is free in motion is free at every sample of it.
    for one, begin, finish in zip(many, start, end, strict=True):
        times = np.linspace(0, 1, 40)
        before = times[:, None] if one.lower is None else times[times < one.lower, None]
        assert robot.check_batch(begin + before * (finish - begin)).free.all()


def test_samples_miss_what_a_motion_does_not(crane: Path) -> None:
    rod = (
        "rod",
        clearance.Capsule(half_length=0.2, radius=0.001),
        clearance.Pose.from_axis_angle([1, 0, 0], DOWN, [0.8, 0, 1.003]),
    )
    robot = Robot(crane, world=[rod])
    start, end = np.array([0, -1.0]), np.array([0, 1.1])
    samples = start + np.linspace(0, 1, 10)[:, None] * (end - start)
    assert robot.check_batch(samples).free.all()
    found = robot.sweep(start, end)
    assert found.pair == ("arm", "rod") and found.met


def test_padding_is_of_checks_and_not_of_distances(crane: Path) -> None:
    thick = Robot(crane, world=[WALL], padding=0.3)
    assert not Robot(crane, world=[WALL]).check([0.3, 0]) and thick.check([0.3, 0]).pair == ("arm", "wall")
    assert not thick.check([0.15, 0])
    of_wall = thick.pairs.index(("arm", "wall"))
    assert abs(thick.distances([0.15, 0]).value[of_wall] - 0.35) < 1e-12
    found = thick.sweep([0, 0], [1, 0])
    assert found.lower is not None and found.upper is not None and found.lower <= 0.2 <= found.upper


def test_padding_of_single_links(crane: Path) -> None:
    # Half a metre from the wall the arm; its end is as far from it as it is thick.
    thick = Robot(crane, world=[WALL], padding={"arm": 0.3})
    assert thick.check([0.3, 0]).pair == ("arm", "wall") and not thick.check([0.15, 0])
    other = Robot(crane, world=[WALL], padding={"trolley": 0.3, "base": 0.1})
    assert not other.check([0.3, 0]) and other.check([1.25, np.pi]).pair == ("trolley", "wall")
    assert not Robot(crane, world=[WALL], padding={}).check([0.3, 0])


def test_what_links_carry(crane: Path) -> None:
    # A bar that goes on where the arm ends, for another quarter of a metre; and a bead beside it.
    bar = ("bar", clearance.Box(half_extents=[0.125, 0.01, 0.01]), moved(1.125), "arm")
    bead = ("bead", clearance.Sphere(0.02), moved(0.1, 0, 0.05), "hook", ["arm", "trolley"])
    robot = Robot(crane, world=[WALL], attached=[bar, bead])
    assert ("bar", "wall") in robot.pairs and ("base", "bar") in robot.pairs and ("trolley", "bar") in robot.pairs
    assert ("arm", "bar") not in robot.pairs and ("trolley", "bead") not in robot.pairs
    # Of two links, though they do not move against each other: these are tested.
    assert ("bar", "bead") in robot.pairs and robot.always == []
    assert not robot.check([0, 0]) and robot.check([0.3, 0]).pair == ("bar", "wall")
    of_wall = robot.pairs.index(("bar", "wall"))
    found = robot.distances([0, 0])[of_wall]
    assert found is not None and abs(found.value - 0.25) < 1e-14 and found.a == bar[1] and found.b == WALL[1]
    check(robot.distances([0, 0]))
    swept = robot.sweep([0, 0], [1, 0])
    swept.verify()
    assert swept.pair == ("bar", "wall") and swept.lower is not None and swept.upper is not None
    assert swept.lower <= 0.25 <= swept.upper
    # Thickened as the link is.
    thick = Robot(crane, world=[WALL], attached=[bar], padding={"arm": 0.1})
    assert thick.check([0.2, 0]).pair == ("bar", "wall") and not thick.check([0.1, 0])
    # Of one link what is carried may touch.
    both = Robot(crane, attached=[bar, (*bar[:3], "arm", ())])
    assert ("bar", "bar") not in both.pairs


def test_contacts(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    assert robot.contacts([0, 0]) == []
    (found,) = robot.contacts([0.75, 0])
    assert isinstance(found, clearance.RobotContact) and found.pair == ("arm", "wall")
    assert found.normal is not None and np.allclose(found.normal, [1, 0, 0], atol=1e-12)
    assert abs(found.point[0] - 1.625) < 1e-12 and found.point.shape == (3,)
    # Halfway between the nearest points where only the padding meets.
    (near,) = Robot(crane, world=[WALL], padding={"arm": 0.3}).contacts([0.3, 0])
    assert abs(near.point[0] - 1.4) < 1e-12 and near.normal is not None and near.normal[0] > 0.999
    assert {contact.pair for contact in robot.contacts([1, DOWN])} <= set(robot.pairs)
    for q in drawn(robot, 100):
        assert bool(robot.contacts(q)) == bool(robot.check(q))


def test_trajectories(crane: Path) -> None:
    robot = Robot(crane, world=[WALL])
    points = [[-1, 0], [0, 0], [1, 0]]
    found = robot.sweep_path(points, [2, 4, 14])
    found.verify()
    assert found.pair == ("arm", "wall") and found.met and found.lower is not None and found.upper is not None
    assert found.lower <= 9 <= found.upper and found.upper - found.lower < 2e-4
    assert found.q is not None and abs(found.q[0] - 0.5) < 1e-4
    plain = robot.sweep_path(points)
    assert plain.lower is not None and plain.upper is not None and plain.lower <= 1.5 <= plain.upper and plain != found
    assert found == robot.sweep_path(points, [2, 4, 14]) and found != robot.sweep([-1, 0], [1, 0])
    free = robot.sweep_path([*points[:2], [0.25, 0]], [0, 1, 3], clearance=1e-4)
    free.verify()
    assert free.free and free.clearance is not None and free.clearance.lower <= 0.25 <= free.clearance.upper
    assert free.nearest == ("arm", "wall") and free.nearest_at is not None and free.nearest_at > 2.9


def test_pairs_that_may_meet(crane: Path) -> None:
    srdf = crane.with_suffix(".srdf")
    srdf.write_text('<robot name="crane"><disable_collisions link1="arm" link2="base" reason="User"/></robot>')
    robot = Robot(crane, srdf)
    # Only the file allows collisions: links that a joint connects are checked, unless it says otherwise.
    assert set(robot.pairs) == {("base", "trolley"), ("trolley", "arm")}
    assert robot.check([0, 0]).pair == ("trolley", "arm")
    floor = Robot(crane, world=[("floor", clearance.HalfSpace([0, 0, 1], 0), None)])
    assert floor.always == [("base", "floor")] and floor.check([0, 0]).pair == ("base", "floor")
    swept = floor.sweep([0, 0], [1, 0])
    assert (swept.lower, swept.upper, swept.pair) == (0, 0, ("base", "floor"))


def test_meshes_of_packages(tmp_path: Path) -> None:
    points, faces = cube_arrays(0.5)
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    shut = lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "cube.obj").write_text("\n".join(shut) + "\n")
    (tmp_path / "elsewhere" / "open.obj").write_text("\n".join(shut[:-1]) + "\n")
    mesh = '<collision><geometry><mesh filename="package://parts/{}.obj"/></geometry></collision>'
    path = tmp_path / "robots" / "two.urdf"
    path.parent.mkdir()
    path.write_text(
        f'<robot name="two"><link name="a">{mesh.format("cube")}</link><link name="between"/>'
        f'<link name="b">{mesh.format("open")}</link>'
        '<joint name="x" type="prismatic"><parent link="a"/><child link="between"/><limit lower="0" upper="9"/></joint>'
        '<joint name="y" type="floating"><parent link="between"/><child link="b"/></joint></robot>'
    )
    with pytest.raises(clearance.ClearanceError, match=r"cube\.obj` was not found.*(?s:.*)packages=") as caught:
        Robot(path)
    assert caught.value.argument == "packages"
    allow_none = tmp_path / "two.srdf"
    allow_none.write_text('<robot name="two"/>')
    robot = Robot(path, allow_none, packages={"parts": tmp_path / "elsewhere"})
    assert len(robot.variables) == 8 and robot.variables[-1] == "y/rot_w" and len(robot.notes) == 1
    still = [0, 0, 0, 0, 0, 0, 1]
    found = robot.distances([3, *still])
    assert abs(found.value[0] - 2) < 1e-15
    one = found[0]
    assert one is not None and isinstance(one.a, clearance.Mesh) and isinstance(one.b, clearance.Mesh)
    check(found)
    # A quaternion that passes zero on its way is not a motion.
    with pytest.raises(clearance.ClearanceError) as caught:
        robot.sweep_batch([[3, *still]] * 2, [[3, *still], [3, 0, 0, 0, 0, 0, 0, -1]])
    assert caught.value.argument == "start[1], end[1]"


def test_a_robot_that_cannot_move(tmp_path: Path) -> None:
    path = tmp_path / "post.urdf"
    sphere = "<collision><geometry><sphere radius='1'/></geometry></collision>"
    path.write_text(f"<robot name='post'><link name='post'>{sphere}</link></robot>")
    robot = Robot(path, world=[("ball", clearance.Sphere(1.0), moved(5))])
    none: list[float] = []
    assert robot.limits.shape == (0, 2) and not robot.check(none) and robot.distances(none).value.tolist() == [3]
    assert robot.check_batch(np.zeros((3, 0))).free.tolist() == [True] * 3
    assert robot.distances_batch(np.zeros((3, 0))).value.tolist() == [[3]] * 3
    swept = robot.sweep(none, none, clearance=0.0)
    assert swept.free and swept.clearance is not None and swept.clearance.lower <= 3 <= swept.clearance.upper
    alone = Robot(path)
    assert alone.pairs == [] and alone.distances_batch(np.zeros((2, 0))).value.shape == (2, 0)
    assert len(alone.distances(none)) == 0 and alone.sweep(none, none, clearance=0.0).clearance is None


def test_empty_batches(crane: Path) -> None:
    robot, none = Robot(crane), np.zeros((0, 2))
    assert robot.forward_batch(none).shape == (0, 4, 4, 4) and robot.check_batch(none).free.shape == (0,)
    assert robot.distances_batch(none).lower.shape == (0, 1) and robot.sweep_batch(none, none).clearance.shape == (0, 3)
    robot.distances_batch(none).verify()


def test_unknown_links_of_an_srdf_are_noted(crane: Path, tmp_path: Path) -> None:
    srdf = tmp_path / "other.srdf"
    srdf.write_text('<robot name="crane"><disable_collisions link1="arm" link2="leg" reason="User"/></robot>')
    assert any("leg" in note for note in Robot(crane, srdf).notes)
    assert not any("leg" in note for note in Robot(crane).notes)


def test_what_is_refused(crane: Path, tmp_path: Path) -> None:
    robot = Robot(crane)
    broken = tmp_path / "broken.urdf"
    broken.write_text(CRANE.replace("0.2 0.2 0.2", "0.2 x 0.2"))
    two = [[0.0, 0.0], [0.0, 0.0]]
    refusals: list[tuple[str, Any]] = [
        ("path", lambda: Robot(tmp_path / "nowhere.urdf")),
        ("path", lambda: Robot(broken)),
        ("srdf", lambda: Robot(crane, crane)),
        ("srdf", lambda: Robot(crane, tmp_path / "nowhere.srdf")),
        ("padding", lambda: Robot(crane, padding=-0.1)),
        ("padding", lambda: Robot(crane, padding=np.nan)),
        ("padding", lambda: Robot(crane, padding={"leg": 0.1})),
        ("padding", lambda: Robot(crane, padding={"arm": -0.1})),
        ("attached[0]", lambda: Robot(crane, attached=[WALL])),  # type: ignore[list-item]
        ("attached[0]", lambda: Robot(crane, attached=[(*WALL, "leg")])),
        ("attached[1]", lambda: Robot(crane, attached=[(*WALL, "arm"), (*WALL, "arm", ["leg"])])),
        ("attached[0]", lambda: Robot(crane, attached=[(*WALL, "arm", "base")])),
        ("attached[0]", lambda: Robot(crane, attached=[("floor", clearance.HalfSpace([0, 0, 1], 0), None, "arm")])),
        ("world[1]", lambda: Robot(crane, world=[WALL, WALL[1]])),  # type: ignore[list-item]
        ("world[0]", lambda: Robot(crane, world=[("wall", 3, None)])),  # type: ignore[list-item]
        ("world[0]", lambda: Robot(crane, world=[("wall", WALL[1], np.eye(3))])),
        ("q", lambda: robot.check([0, 0, 0])),
        ("q", lambda: robot.check(two)),
        ("q", lambda: robot.check([0, np.nan])),
        ("q", lambda: robot.check(["a", "b"])),
        ("q", lambda: robot.forward([1e16, 0])),
        ("q", lambda: robot.check_batch([0, 0])),
        ("q[1]", lambda: robot.check_batch([[0, 0], [np.inf, 0]])),
        ("q[1]", lambda: robot.forward_batch([[0, 0], [0, np.nan]])),
        ("q[0]", lambda: robot.distances_batch([[0, np.nan]])),
        ("q", lambda: robot.distances([np.nan, 0])),
        ("start", lambda: robot.sweep([0], [0, 0])),
        ("end", lambda: robot.sweep([0, 0], [0, np.nan])),
        ("end[1]", lambda: robot.sweep_batch(two, [[0, 0], [0, np.nan]])),
        ("end", lambda: robot.sweep_batch(two, two[:1])),
        ("q", lambda: robot.contacts([0, np.nan])),
        ("points", lambda: robot.sweep_path([[0, 0]])),
        ("points[1]", lambda: robot.sweep_path([[0, 0], [0, np.nan]])),
        ("times", lambda: robot.sweep_path(two, [0])),
        ("times", lambda: robot.sweep_path(two, [1, 1])),
        ("times", lambda: robot.sweep_path(two, [0, np.nan])),
        ("resolution", lambda: robot.sweep_path(two, resolution=0)),
        ("resolution", lambda: robot.sweep([0, 0], [1, 0], resolution=0)),
        ("resolution", lambda: robot.sweep_batch(two, two, resolution=np.nan)),
        ("clearance", lambda: robot.sweep([0, 0], [1, 0], clearance=-1.0)),
        ("trials", lambda: robot.collision_matrix(trials=-1)),
        ("seed", lambda: robot.collision_matrix(seed=2**64)),
        ("budget", lambda: robot.collision_matrix(budget=-1)),
        ("min_collision_fraction", lambda: robot.collision_matrix(min_collision_fraction=1.5)),
        ("min_collision_fraction", lambda: robot.collision_matrix(min_collision_fraction=np.nan)),
        ("keep", lambda: robot.collision_matrix(keep=True)),
    ]
    for argument, ask in refusals:
        with pytest.raises(clearance.ClearanceError) as caught:
            ask()
        assert caught.value.argument == argument, (argument, caught.value)
    with pytest.raises(clearance.ClearanceError, match=r"\(3,\), not \(2,\), for \[slide, turn\]"):
        robot.check([0, 0, 0])
    with pytest.raises(clearance.FileError, match="line 2") as file:
        Robot(broken)
    assert file.value.path == str(broken) and file.value.place == "line 2"


ELSEWHERE = """
import pickle, sys
robot, q, start, end = pickle.load(sys.stdin.buffer)
found = robot.check_batch(q), robot.distances_batch(q), robot.sweep_batch(start, end, clearance=1e-3)
kept = robot.pairs, robot.limits, robot.notes, robot.always, robot.forward_batch(q)
pickle.dump((robot, found, kept), sys.stdout.buffer)
"""


def test_a_robot_comes_back_without_its_files(tmp_path: Path) -> None:
    ring = clearance.Mesh(*cube_arrays(0.02)).solid()
    (tmp_path / "here").mkdir()
    path = ring_robot(tmp_path / "here")
    srdf = path.with_suffix(".srdf")
    srdf.write_text(
        '<robot name="rings"><disable_collisions link1="base" link2="one" reason="Adjacent"/>'
        '<disable_collisions link1="one" link2="two"/><disable_collisions link1="two" link2="three"/></robot>'
    )
    robot = Robot(
        path,
        srdf,
        world=[("block", ring, moved(0.5, 0.3)), ("ball", clearance.Sphere(0.1), clearance.Pose(moved(0, 0.5)))],
        attached=[
            ("load", ring, moved(0.3), "three", ["two"]),
            ("rod", clearance.Capsule(half_length=0.1, radius=0.01), None, "one"),
        ],
        padding={"three": 0.01},
    )
    assert len(robot.notes) == 1 and "open.obj" in robot.notes[0]
    q = drawn(robot, 200)
    start, end = q[:40], q[40:80]
    checks, gaps, swept = robot.check_batch(q), robot.distances_batch(q), robot.sweep_batch(start, end, clearance=1e-3)
    assert checks.free.any() and not checks.free.all() and swept.free.any() and not swept.free.all()
    state = pickle.dumps((robot, q, start, end))
    shutil.rmtree(tmp_path / "here")
    with pytest.raises(clearance.FileError):
        Robot(path)
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], input=state, capture_output=True, check=True, cwd=tmp_path)
    again, found, kept = pickle.loads(done.stdout)
    assert type(again) is Robot and again == robot and again != Robot._restore(*robot.__reduce__()[1][:-1], (0.0, []))
    assert all(np.array_equal(ours, theirs) for ours, theirs in zip(checks, found[0], strict=True))
    assert found[1] == gaps and found[2] == swept and repr(again) == repr(robot)
    assert (gaps.value.tobytes(), gaps.lower.tobytes()) == (found[1].value.tobytes(), found[1].lower.tobytes())
    pairs, limits, notes, always, poses = kept
    assert (pairs, notes, always) == (robot.pairs, robot.notes, robot.always) and (limits == robot.limits).all()
    assert poses.tobytes() == robot.forward_batch(q).tobytes()
    found[1].verify()
    assert found[2][0] == robot.sweep(start[0], end[0], clearance=1e-3) and again.contacts(q[0]) is not None
    # What comes back can be sent on.
    assert pickle.dumps(again) == pickle.dumps(pickle.loads(pickle.dumps(again)))


def test_answers_are_pickled_with_their_robot(tmp_path: Path) -> None:
    robot = Robot(ring_robot(tmp_path))
    q = drawn(robot, 30)
    swept = robot.sweep_path(q[:3], [0, 1, 3], clearance=1e-3)
    answers: list[Any] = [robot.distances_batch(q), robot.sweep_batch(q[:15], q[15:]), swept]
    answers += [answers[1][0], robot.distances_batch(q[:0]), robot.sweep_batch(q[:0], q[:0]), robot.distances(q[0])]
    alone = len(pickle.dumps(robot))
    # A robot and a mesh are stored once, however many answers are about them.
    assert len(pickle.dumps([robot, *answers])) < 1.5 * alone
    again = pickle.loads(pickle.dumps(answers))
    assert again == answers
    for one in again:
        one.verify()
    assert again[0][3] == answers[0][3] and again[1][3] == answers[1][3] and again[2].pair == swept.pair
    # Two names of one file are one mesh.
    bodies = {id(one.a) for one in again[0][0]} | {id(one.b) for one in again[0][0]}
    assert len(bodies) == 3
    damaged = [
        lambda: type(answers[0])._restore(robot, q, [answers[0]._state()[:-1]]),
        lambda: type(answers[0])._restore(robot, q[1:], [answers[0]._state()]),
        lambda: type(answers[1])._restore(robot, q[:14], q[15:29], [answers[1]._state()]),
        lambda: type(swept)._restore(robot, *swept.__reduce__()[1][1:][::-1]),
    ]
    for restore in damaged:
        with pytest.raises(RuntimeError, match="damaged"):
            restore()


# Beside the crane a post that it never reaches, and two lamps on its base that always meet.
LAMPS = CRANE.replace(
    "</robot>",
    """<link name="post"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="far" type="fixed"><parent link="base"/><child link="post"/><origin xyz="5 0 1"/></joint>
  <link name="left"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="l" type="fixed"><parent link="base"/><child link="left"/><origin xyz="0 3 0.05"/></joint>
  <link name="right"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="r" type="fixed"><parent link="base"/><child link="right"/><origin xyz="0 3 -0.05"/></joint>
</robot>""",
)


def test_the_collision_matrix_of_a_robot_whose_truth_is_known(tmp_path: Path) -> None:
    path = tmp_path / "lamps.urdf"
    path.write_text(LAMPS)
    # What stands about, what is carried and padding are none of its business.
    robot = Robot(path, world=[WALL], attached=[("bar", WALL[1], moved(2), "arm")], padding=10.0)
    made = robot.collision_matrix(trials=2000)
    assert made == robot.collision_matrix(trials=2000) and (made.trials, made.seed) == (2000, 1)
    known = {pair.links: pair for pair in made.pairs}
    with_geometry = ["base", "trolley", "arm", "post", "left", "right"]
    assert list(known) == [(a, b) for i, a in enumerate(with_geometry) for b in with_geometry[i + 1 :]]
    joined = {("base", other) for other in ("trolley", "post", "left", "right")} | {("trolley", "arm")}
    assert {links for links, pair in known.items() if pair.reason == "Adjacent"} == joined
    # They meet in some configurations, and in all.
    assert known["base", "arm"].reason == "" and 0 < known["base", "arm"].met < 2000
    assert known["left", "right"].reason == "" and known["left", "right"].met == 2000
    for links, pair in known.items():
        if links not in joined | {("base", "arm"), ("left", "right")}:
            assert (pair.reason, pair.proof, pair.met) == ("Never", "proved", 0)
            # What does not move takes no box.
            assert (pair.boxes > 0) == ("arm" in links or "trolley" in links)
            assert pair.smallest_distance is not None and pair.smallest_distance > 0 and pair.meets_at is None
    # From 3, where the arm ends at 4 and the post begins at 4.9.
    far = known["arm", "post"].smallest_distance
    assert far is not None and 0.89 <= far < 2
    always = {pair.links: pair.reason for pair in robot.collision_matrix(trials=100, always=True).pairs}
    both = {pair.links: pair for pair in robot.collision_matrix(trials=0, always=True, default=True).pairs}
    assert always["left", "right"] == "Always" and both["left", "right"].reason == "Default"
    # Without a single sample what is proved is known all the same, and what is refuted is met.
    assert both["arm", "post"].reason == "Never" and both["base", "arm"].proof == "refuted"
    assert both["base", "arm"].reason == "" and both["base", "arm"].meets_at is not None
    alone = Robot(path)
    assert alone.check(both["base", "arm"].meets_at)
    assert alone.distances(both["base", "arm"].meets_at).value[alone.pairs.index(("base", "arm"))] == 0
    samples = robot.collision_matrix(trials=100, budget=0)
    assert {pair.proof for pair in samples.pairs} == {"none"} and samples.pairs != made.pairs


def test_the_collision_matrix_as_srdf(tmp_path: Path) -> None:
    path, first, second = tmp_path / "lamps.urdf", tmp_path / "first.srdf", tmp_path / "second.srdf"
    path.write_text(LAMPS)
    made = Robot(path).collision_matrix(trials=200, always=True)
    assert made.srdf.count("<disable_collisions") == len([pair for pair in made.pairs if pair.reason]) == 14
    first.write_text(made.srdf)
    robot = Robot(path, first)
    assert robot.pairs == [("base", "arm")]
    # Of an SRDF everything else is kept, and its pairs if asked.
    second.write_text(
        '<robot name="crane"><group name="all"/><disable_collisions link1="base" link2="arm" reason="User"/></robot>'
    )
    other = Robot(path, second)
    replaced, kept = (other.collision_matrix(trials=200, always=True, keep=keep).srdf for keep in (False, True))
    assert '<group name="all"/>' in replaced and '<group name="all"/>' in kept
    assert 'reason="User"' in kept and 'reason="User"' not in replaced
    assert kept.count("<disable_collisions") == 15 and replaced.count("<disable_collisions") == 14
