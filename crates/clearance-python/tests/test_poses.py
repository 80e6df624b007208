"""Poses and motions, and everything accepted for them."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import clearance
from bodies import moved, random_poses

BALL = clearance.Sphere(1.0)


def gap(pose: object) -> float:
    return clearance.distance(BALL, BALL, pose_b=pose).value


def test_all_forms_of_a_pose_are_the_same() -> None:
    matrix = random_poses(1, 4.0)[0]
    pose = clearance.Pose(matrix)
    forms = [
        matrix,
        matrix[:3],
        matrix.tolist(),
        (matrix[:3, :3], matrix[:3, 3]),
        [matrix[:3, :3], matrix[:3, 3]],
        pose,
    ]
    forms += [np.asfortranarray(matrix), clearance.Pose((matrix[:3, :3].tolist(), matrix[:3, 3].tolist()))]
    assert {gap(form) for form in forms} == {gap(pose)}
    assert all(clearance.Pose(form) == pose for form in forms)
    assert np.array_equal(pose.matrix, matrix) and np.array_equal(pose.rotation, matrix[:3, :3])
    assert clearance.Pose() == clearance.Pose(np.eye(4)) and gap(None) == 0
    many = random_poses(3, 4.0)
    lists = [clearance.Pose(it) for it in many]
    one, two, three = (clearance.distance_batch(BALL, BALL, it) for it in (many, many[:, :3], lists))
    assert one == two == three
    assert clearance.distance_batch(BALL, BALL, [(it[:3, :3], it[:3, 3]) for it in many]) == one


def unaligned(array: np.ndarray) -> np.ndarray:
    """The same numbers at an odd address, as they come out of messages of other processes."""
    buffer = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:]
    made = buffer.view(array.dtype).reshape(array.shape)
    assert not made.flags.aligned
    return made


def test_numbers_that_lie_elsewhere_in_memory() -> None:
    poses = random_poses(7, 4.0)
    expected = clearance.distance_batch(BALL, BALL, poses)
    wide = np.zeros((7, 4, 8))
    wide[:, :, ::2] = poses
    for form in (
        unaligned(poses),
        poses.astype(">f8"),
        np.asfortranarray(poses),
        wide[:, :, ::2],
        poses.astype(np.longdouble),
    ):
        assert clearance.distance_batch(BALL, BALL, form) == expected
    points, faces = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]], np.uint32)
    mesh = clearance.Mesh(points, faces)
    assert clearance.Mesh(unaligned(points), unaligned(faces)) == mesh
    assert clearance.Mesh(points, unaligned(faces.astype(np.int64))) == mesh
    field = np.array([[0, 1, 0], [1, 0, 1]], np.float32)
    assert clearance.HeightField(unaligned(field), [1, 1]) == clearance.HeightField(field, [1, 1])


def test_pose() -> None:
    quarter = clearance.Pose.from_axis_angle([0, 0, 2], np.pi / 2, [1, 2, 3])
    assert np.allclose(quarter.transform([[1, 0, 0]]), [[1, 3, 3]])
    assert np.allclose(quarter.inverse_transform([[1, 3, 3]]), [[1, 0, 0]])
    turned = clearance.Pose.from_quaternion(xyzw=[0, 0, 0.6, 0.8], translation=[1, 2, 3])
    assert turned == clearance.Pose.from_quaternion(wxyz=[0.8, 0, 0, 0.6], translation=[1, 2, 3])
    expected = clearance.Pose.from_axis_angle([0, 0, 1], 2 * np.arctan2(0.6, 0.8), [1, 2, 3])
    assert np.allclose(turned.matrix, expected.matrix, rtol=0, atol=1e-15)
    half = clearance.Pose().interpolate(quarter, 0.5)
    assert np.allclose(half.rotation[0, 0], np.sqrt(0.5)) and half.defect < 1e-15
    assert pickle.loads(pickle.dumps(quarter)) == quarter != half
    assert repr(clearance.Pose()).startswith("Pose([[1.0, 0.0")
    motion = clearance.Motion(quarter, [1, 0, 0])
    assert pickle.loads(pickle.dumps(motion)) == motion != clearance.Motion(quarter)
    assert motion.at(0.5).translation.tolist() == [1.5, 2, 3] and motion.start == quarter


def test_products_and_inverses() -> None:
    a, b = (clearance.Pose(pose) for pose in random_poses(2, 3.0, 5))
    points = np.random.default_rng(1).normal(size=(5, 3))
    assert np.allclose((a @ b).transform(points), a.transform(b.transform(points)), rtol=0, atol=1e-14)
    assert np.allclose((a @ b).matrix, a.matrix @ b.matrix, rtol=0, atol=1e-14) and a @ b != b @ a
    # Matrices, from either side, in any form that a pose has.
    for product in (a @ b.matrix, a.matrix @ b, a @ b.matrix[:3], a @ (b.rotation, b.translation)):
        assert isinstance(product, clearance.Pose) and product == a @ b
    assert a @ clearance.Pose() == a == clearance.Pose() @ a
    for identity in (a @ a.inverse(), a.inverse() @ a):
        assert np.allclose(identity.matrix, np.eye(4), rtol=0, atol=1e-14)
    assert np.allclose(a.inverse().matrix, np.linalg.inv(a.matrix), rtol=0, atol=1e-14)
    assert clearance.Pose().inverse() == clearance.Pose() and a.inverse().inverse().defect < 1e-14
    for bad in (None, "home", points):
        with pytest.raises(clearance.ClearanceError) as caught:
            a @ bad
        assert caught.value.argument == "other"


def test_a_pose_is_an_array() -> None:
    pose = clearance.Pose(random_poses(1, 3.0)[0])
    assert np.array_equal(np.asarray(pose), pose.matrix) and np.asarray(pose).shape == (4, 4)
    assert np.asarray(pose, dtype=np.float32).dtype == np.float32
    assert np.stack([pose, pose]).shape == (2, 4, 4)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="copy=False"):
            np.array(pose, copy=False)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: clearance.Pose.from_quaternion([0, 0, 0, 1]), r"from_quaternion\(xyzw=\[x, y, z, w\]\)"),
        (lambda: clearance.Pose.from_quaternion(), "wxyz="),
        (lambda: clearance.Pose.from_quaternion(xyzw=[0, 0, 0, 1], wxyz=[1, 0, 0, 0]), "wxyz="),
        (lambda: clearance.Box([1, 1, 1]), r"write Box\(half_extents=\[x, y, z\]\), half the side lengths"),
        (lambda: clearance.Box(), "half_extents="),
        (lambda: clearance.Cylinder(1, 2), r"write Cylinder\(radius=r, half_length=h\), half the height"),
        (lambda: clearance.Cylinder(radius=1), "half_length="),
        (lambda: clearance.Capsule(1, 2), "radius="),
        (lambda: clearance.Cone(1, 2), "radius="),
    ],
)
def test_what_other_libraries_order_otherwise_is_named(call: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


@pytest.mark.parametrize(
    ("pose", "words"),
    [
        (np.eye(3), r"the shape is \(3, 3\)"),
        (2 * np.eye(4), "the last row"),
        (np.diag([2.0, 1, 1, 1]), "not a rotation"),
        (np.diag([-1.0, 1, 1, 1]), "not a rotation"),
        (np.full((4, 4), np.nan), "the last row"),
        (np.full((3, 4), np.nan), "not finite"),
        ((np.eye(2), [0, 0, 0]), r"the shape of the rotation is \(2, 2\)"),
        ((np.eye(3), [0, 0]), r"the shape is \(2,\)"),
        ("home", "not an array of numbers"),
        (moved(1e61), "magnitudes above"),
    ],
)
def test_invalid_poses(pose: object, words: str) -> None:
    with pytest.raises(clearance.ClearanceError, match=words) as caught:
        gap(pose)
    assert caught.value.argument == "pose_b"


def test_batches_name_the_pose_at_fault() -> None:
    poses = random_poses(5, 1.0)
    poses[3, 0, 0] += 0.1
    with pytest.raises(clearance.ClearanceError) as caught:
        clearance.intersects_batch(BALL, BALL, poses)
    assert caught.value.argument == "poses[3]"
    with pytest.raises(clearance.ClearanceError, match=r"not \(N, 4, 4\)"):
        clearance.intersects_batch(BALL, BALL, np.eye(4))
    assert len(clearance.distance_batch(BALL, BALL, np.empty((0, 4, 4)))) == 0
    with pytest.raises(clearance.ClearanceError, match="3 poses for 5 of b"):
        clearance.distance_batch(BALL, BALL, random_poses(5, 1.0), random_poses(3, 1.0))
