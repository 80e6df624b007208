"""Hostile input and conditions: arrays of no numbers, more than there is memory for, forks, Ctrl-C, forged bytes."""

import multiprocessing
import os
import pathlib
import pickle
import signal
import struct
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest

import clearance

TRIANGLE = [[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]
URDF = """<robot name='arm'>
  <link name='base'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>
  <link name='a'><collision><origin xyz='0 0 0.5'/>
    <geometry><cylinder radius='0.05' length='1'/></geometry></collision></link>
  <link name='b'><collision><origin xyz='0 0 0.5'/>
    <geometry><cylinder radius='0.05' length='1'/></geometry></collision></link>
  <joint name='one' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/>
    <limit lower='-3' upper='3' effort='1' velocity='1'/></joint>
  <joint name='two' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0 0 1'/><axis xyz='0 1 0'/>
    <limit lower='-3' upper='3' effort='1' velocity='1'/></joint>
</robot>"""


def torus(n):
    """A closed surface of 2 n² triangles."""
    turn = np.arange(n) * (2 * np.pi / n)
    i, j = np.meshgrid(turn, turn, indexing="ij")
    thick = 1 + 0.1 * np.sin(5 * i)
    out = 3 + thick * np.cos(j)
    points = np.stack([out * np.cos(i), out * np.sin(i), thick * np.sin(j)], axis=-1).reshape(-1, 3)
    k = np.arange(n * n).reshape(n, n)
    a, b, c, d = k, np.roll(k, -1, 0), np.roll(np.roll(k, -1, 0), -1, 1), np.roll(k, -1, 1)
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return points, faces.astype(np.uint32)


# Arrays of no numbers.

NO_NUMBERS = {
    "complex": (np.complex128, "complex128"),
    "text": (np.str_, "<U"),
    "bytes": (np.bytes_, "|S"),
    "objects": (object, "object"),
    "dates": ("datetime64[D]", "datetime64"),
    "times": ("timedelta64[s]", "timedelta64"),
    "records": ([("x", "f8")], "('x', '<f8')"),
}


def of_kind(array, kind):
    array = np.asarray(array)
    if kind in ("dates", "times", "records"):
        array = array.astype(np.int64)
    return array.astype(NO_NUMBERS[kind][0])


PLACES = {
    "vertices": lambda bad: clearance.Mesh(bad(TRIANGLE), [[0, 1, 2]]),
    "faces": lambda bad: clearance.Mesh(TRIANGLE, bad([[0, 1, 2]])),
    "points": lambda bad: clearance.Hull(bad(TRIANGLE), flat=True),
    "half_extents": lambda bad: clearance.Box(half_extents=bad([1, 1, 1])),
    "heights": lambda bad: clearance.HeightField(bad([[0, 0], [0, 1]]), [1, 1]),
    "spacing": lambda bad: clearance.HeightField([[0, 0], [0, 1]], bad([1, 1])),
    "matrix": lambda bad: clearance.Pose(bad(np.eye(4))),
    "translation": lambda bad: clearance.Pose.from_translation(bad([1, 2, 3])),
    "xyzw": lambda bad: clearance.Pose.from_quaternion(xyzw=bad([0, 0, 0, 1])),
    "wxyz": lambda bad: clearance.Pose.from_quaternion(wxyz=bad([1, 0, 0, 0])),
    "pose_b": lambda bad: clearance.distance(*[clearance.Sphere(1.0)] * 2, pose_b=bad(np.eye(4))),
    "poses": lambda bad: clearance.distance_batch(*[clearance.Sphere(1.0)] * 2, bad(np.eye(4)[None])),
    "pairs": lambda bad: clearance.distance_pair_batch([clearance.Sphere(1.0)] * 2, bad([[0, 1]])),
    "point": lambda bad: clearance.contains(clearance.Sphere(1.0), bad([0, 0, 0])),
    "origins": lambda bad: clearance.ray_cast_batch(clearance.Sphere(1.0), bad(TRIANGLE), TRIANGLE),
    "displacement": lambda bad: clearance.Motion(None, bad([0, 0, 1])),
    "start": lambda bad: clearance.elementary_impact_batch("edge_edge", bad(np.zeros((1, 4, 3))), np.zeros((1, 4, 3))),
    "end": lambda bad: clearance.DeformingMesh(TRIANGLE, [[0, 1, 2]], bad(TRIANGLE)),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_arrays_of_no_numbers_are_refused(place, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(clearance.ClearanceError) as refused:
            PLACES[place](lambda numbers: of_kind(numbers, kind))
    assert NO_NUMBERS[kind][1] in str(refused.value)
    assert refused.value.argument == place


def test_all_kinds_of_real_numbers_are_taken():
    points, face = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
    expected = clearance.Mesh(np.array(points, float), np.array(face, np.uint32))
    for kind in (bool, np.int8, np.uint16, np.int64, np.float16, np.float32, np.longdouble, ">f8"):
        assert clearance.Mesh(np.array(points).astype(kind), face) == expected
    for kind in (np.int8, np.uint8, np.int32, np.uint64, ">i4"):
        assert clearance.Mesh(points, np.array(face).astype(kind)) == expected
    assert clearance.Mesh(np.asfortranarray(points, float), np.asfortranarray(face)) == expected
    assert clearance.Mesh(np.array(points).view(np.recarray), np.ma.masked_array(face)) == expected


def test_masked_numbers_and_wrong_places_are_named():
    masked = np.ma.masked_array(TRIANGLE, mask=np.eye(3, dtype=bool))
    with pytest.raises(clearance.ClearanceError, match="3 of its numbers are masked"):
        clearance.Mesh(masked, [[0, 1, 2]])
    wrong = {"faces.0, 1.: -1 is negative": [0, -1, 2], "faces.0, 2.: 4294967296 exceeds 32 bits": [0, 1, 2**32]}
    for problem, face in wrong.items():
        with pytest.raises(clearance.ClearanceError, match=problem):
            clearance.Mesh(TRIANGLE, [face])
    with pytest.raises(clearance.ClearanceError, match="whole numbers are needed, not bool"):
        clearance.Mesh(TRIANGLE, np.ones((1, 3), bool))
    with pytest.raises(clearance.ClearanceError, match="whole numbers are needed, not float64"):
        clearance.Mesh(TRIANGLE, [[0.0, 1.0, 2.0]])


# More than there is memory for.

MANY = 300_000_000
HUGE = {
    "faces": "clearance.Mesh(points, many([0, 1, 2], np.uint32))",
    "faces, converted": "clearance.Mesh(points, many([0, 1, 2], np.int64))",
    "faces that are there": "clearance.Mesh(points, np.zeros((MANY, 3), np.uint32))",
    "vertices": "clearance.Mesh(many([0, 1, 2], float), [[0, 1, 2]])",
    "faces of a deforming mesh": "clearance.DeformingMesh(points, many([0, 1, 2], np.uint32))",
    "points of a hull": "clearance.Hull(many([0, 1, 2], float))",
    "heights": "clearance.HeightField(np.broadcast_to(np.float32(1), (MANY, 10)), [1, 1])",
    "poses": "clearance.distance_batch(ball, ball, np.broadcast_to(np.eye(4), (MANY, 4, 4)))",
    "pairs": "clearance.intersects_pair_batch([ball, ball], many([0, 1], np.uint32))",
    "points": "clearance.closest_point_batch(ball, many([0, 1, 2], float))",
    "rays": "clearance.ray_cast_batch(ball, many([0, 1, 2], float), many([0, 1, 2], float))",
    "places": "clearance.HeightField([[0, 0], [0, 0]], [1, 1]).height_at_batch(many([0, 1], float))",
    "corners": "clearance.elementary_impact_batch('edge_edge', *[np.broadcast_to(np.eye(4, 3), (MANY, 4, 3))] * 2)",
    "displacements": "clearance.time_of_impact_batch(ball, ball, np.eye(4)[None], many([0, 1, 2], float))",
    "moved points": "clearance.Mesh(points, [[0, 1, 2]]).moved(many([0, 1, 2], float))",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux")
def test_more_than_there_is_memory_for_is_an_error():
    calls = "\n".join(f"refused({name!r}, lambda: {call})" for name, call in HUGE.items())
    program = f"""
        import resource
        import numpy as np
        import clearance
        MANY = {MANY}
        points, ball = np.eye(3), clearance.Sphere(1.0)
        clearance.distance_batch(ball, ball, np.eye(4)[None].repeat(100, 0))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

        def many(row, kind):
            return np.broadcast_to(np.array(row, kind), (MANY, len(row)))

        def refused(name, call):
            try:
                call()
            except MemoryError as error:
                print(name, "|", error)
            else:
                raise AssertionError(name)
    """
    done = run(textwrap.dedent(program) + calls)
    assert done.returncode == 0, done.stderr
    reported = dict(line.split(" | ", 1) for line in done.stdout.splitlines())
    assert reported.keys() == HUGE.keys()
    assert reported["faces"].startswith("faces: 300000000 triangles of a mesh would take up to 38.4 GB of memory")


def test_memory_errors_are_errors_of_the_package():
    with pytest.raises(MemoryError) as refused:
        clearance.Mesh(np.eye(3), np.broadcast_to(np.uint32(0), (10**13, 3)))
    assert isinstance(refused.value, clearance.OutOfMemoryError) and isinstance(refused.value, clearance.ClearanceError)
    assert refused.value.argument == "faces"
    assert pickle.loads(pickle.dumps(refused.value)).argument == "faces"


# Forks.


def run(program, timeout=300):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=timeout, check=False)


def answers():
    """Something of everything that uses all cores."""
    ball, box, solid = clearance.Sphere(1.0), clearance.Box(half_extents=[1, 1, 1]), clearance.Mesh(*torus(16)).solid()
    poses = np.eye(4)[None].repeat(80, 0)
    poses[:, 0, 3] = np.linspace(0, 5, 80)
    world = clearance.World()
    for k in range(50):
        world.insert(ball, clearance.Pose.from_translation([1.5 * k, 0, 0]))
    found = clearance.distance_batch(solid, ball, poses)
    found.verify()
    moved = clearance.DeformingMesh(*torus(20))
    return [
        found.value.tolist(),
        clearance.relation_batch(solid, ball, poses).tolist(),
        clearance.penetration_batch(solid, box, poses[20:24]).value.tolist(),
        clearance.overlap_volume(solid, solid, pose_b=poses[20]).value,
        clearance.solid_depth(solid, box, pose_b=poses[20], work=100).value,
        clearance.local_depth(solid, box, pose_b=poses[20], work=100).value,
        clearance.clearance_along(solid, box, poses[20:23], work=100).value.tolist(),
        clearance.closest_point_batch(solid, poses[:, :3, 3]).value.tolist(),
        clearance.ray_cast_batch(solid, poses[:, :3, 3], poses[:, :3, 0]).value.tolist(),
        len(clearance.self_intersections(solid)),
        len(clearance.self_collisions(moved)),
        len(world.step()),
        clearance.least_clearance(solid, ball, motion_b=poses[79]).value,
    ]


def robots(path):
    robot = clearance.Robot(path)
    q = np.random.default_rng(1).uniform(-3, 3, (500, 2))
    matrix = robot.collision_matrix(trials=200, budget=100)
    return [robot.check_batch(q).free.tolist(), robot.sweep_batch(q[:50], q[50:100]).pair.tolist(), matrix.srdf]


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_works(tmp_path):
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(URDF)
    expected = pickle.dumps((answers(), robots(urdf)))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(240)
            # And the child of a child.
            again = os.fork()
            if again != 0:
                os._exit(os.waitstatus_to_exitcode(os.waitpid(again, 0)[1]))
            same = pickle.dumps((answers(), robots(urdf))) == expected
            os.write(write, b"same" if same else b"different")
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as reported:
        assert reported.read() == b"same"
    assert os.waitpid(child, 0)[1] == 0
    assert pickle.dumps((answers(), robots(urdf))) == expected


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_workers_of_multiprocessing_work():
    expected = answers()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        jobs = [pool.apply_async(answers) for _ in range(2)]
        assert [job.get(timeout=240) for job in jobs] == [expected, expected]


# Ctrl-C.

LONG = {
    "a large mesh": ("clearance.Mesh(*large)", "large = torus(1700)"),
    "a batch": (
        "clearance.distance_batch(solid, solid, poses)",
        "solid = clearance.Mesh(*torus(150)); poses = np.eye(4)[None].repeat(300000, 0); poses[:, 2, 3] = 3",
    ),
    "a depth": (
        "clearance.solid_depth(solid, solid, pose_b=pose, relative_tolerance=0, work=2**60)",
        "solid = clearance.Mesh(*torus(40)).solid(); pose = clearance.Pose.from_translation([0.5, 0.2, 0.1])",
    ),
    "a depth that is watched": (
        "clearance.solid_depth(solid, solid, pose_b=pose, relative_tolerance=0, work=2**60, progress=lambda *_: None)",
        "solid = clearance.Mesh(*torus(40)).solid(); pose = clearance.Pose.from_translation([0.5, 0.2, 0.1])",
    ),
    # What is called for the progress runs no Python, so it hears no signal itself.
    "a depth that is watched by a built-in": (
        "clearance.solid_depth(solid, solid, pose_b=pose, relative_tolerance=0, work=2**60, progress=max)",
        "solid = clearance.Mesh(*torus(40)).solid(); pose = clearance.Pose.from_translation([0.5, 0.2, 0.1])",
    ),
    "depths": (
        "clearance.solid_depth_batch(solid, solid, poses, relative_tolerance=0, work=2**60)",
        "solid = clearance.Mesh(*torus(40)).solid(); poses = np.eye(4)[None].repeat(9, 0); poses[:, 0, 3] = 0.5",
    ),
    "local depths": (
        "clearance.local_depth_batch(solid, solid, poses, relative_tolerance=0.001)",
        "solid = clearance.Mesh(*torus(40)).solid(); poses = np.eye(4)[None].repeat(90000, 0); poses[:, 0, 3] = 0.5",
    ),
    "volumes": (
        "clearance.overlap_volume_batch(solid, solid, poses)",
        "solid = clearance.Mesh(*torus(60)).solid(); poses = np.eye(4)[None].repeat(90000, 0); poses[:, 0, 3] = 0.5",
    ),
    "motions of a robot": (
        "robot.sweep_batch(q, -q, resolution=1e-12, clearance=0.0)",
        "robot = clearance.Robot(sys.argv[1]); q = np.random.default_rng(1).uniform(-3, 3, (100000, 2))",
    ),
    "checks of a robot": (
        "[robot.check_batch(q) for _ in range(10**6)]",
        "robot = clearance.Robot(sys.argv[1]); q = np.random.default_rng(1).uniform(-3, 3, (1000000, 2))",
    ),
    "a matrix": ("robot.collision_matrix(trials=10**12)", "robot = clearance.Robot(sys.argv[1])"),
}


def let_work(process, seconds):
    """Waits until a process has worked for so long, by the clock of its processor where the system tells: on a busy
    machine time may pass before it does anything."""
    stat = pathlib.Path(f"/proc/{process}/stat")

    def worked():
        return sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    if not stat.exists():
        time.sleep(seconds)
        return
    begun = worked()
    while worked() < begun + seconds:
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not those of Windows")
@pytest.mark.parametrize("call", LONG)
def test_ctrl_c_is_heard(call, tmp_path):
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(URDF)
    long, setup = LONG[call]
    # A shell that starts tests in the background has them ignore the signal, and Python heeds that.
    program = f"""
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {os.path.dirname(__file__)!r})
import numpy as np
import clearance
from test_hostile import torus
{setup}
try:
    print("ready", flush=True)
    {long}
except KeyboardInterrupt:
    print("heard", flush=True)
else:
    print("done", flush=True)
# All of it works as before.
assert clearance.distance_batch(*[clearance.Sphere(1.0)] * 2, np.eye(4)[None].repeat(100, 0)).value.max() == 0
"""
    child = subprocess.Popen([sys.executable, "-c", program, urdf], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        let_work(child.pid, 0.4)
        child.send_signal(signal.SIGINT)
        sent = time.monotonic()
        assert child.stdout.readline() == "heard\n"
        # Far less than the work takes, however busy the machine is.
        assert time.monotonic() - sent < 20
        assert child.wait(60) == 0
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_another_handler_is_called_and_the_work_goes_on():
    program = """
import os, signal, threading
import numpy as np
import clearance
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append(1))
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
ball = clearance.Sphere(1.0)
count = 0
while not heard:
    count += len(clearance.distance_batch(ball, ball, np.eye(4)[None].repeat(10000, 0)))
assert count > 0
"""
    if sys.platform != "win32":
        done = run(program)
        assert done.returncode == 0, done.stderr


# Forged bytes.


def checksum(data):
    total = 0xCBF29CE484222325
    for k in range(0, len(data), 8):
        total = ((total ^ int.from_bytes(data[k : k + 8], "little")) * 0x100000001B3) % 2**64
        total = (total << 23 | total >> 41) % 2**64
    return struct.pack("<Q", total)


def test_forged_bytes_are_no_solid():
    points, faces = torus(8)
    solid = clearance.Mesh(points, faces).solid()
    data = solid.to_bytes()
    assert checksum(data[:-8]) == data[-8:]
    opened = clearance.Mesh(points, faces[1:]).to_bytes()
    forged = opened[:20] + b"\1" + opened[21:-8]
    with pytest.raises(clearance.NotSolidError):
        clearance.Mesh.from_bytes(forged + checksum(forged))
    flipped = clearance.Mesh(points, faces[:, ::-1]).to_bytes()
    forged = flipped[:20] + b"\1" + flipped[21:-8]
    with pytest.raises(clearance.NotSolidError):
        clearance.Mesh.from_bytes(forged + checksum(forged))
    # And in a pickle.
    honest = clearance.Mesh(points, faces[1:])
    restore, (_, notes) = honest.__reduce__()
    with pytest.raises(clearance.NotSolidError):
        restore(forged + checksum(forged), notes)
