"""Answers that are proved from what they are about: lists about meshes, and what height fields say of themselves."""

import numpy as np
import pytest

import clearance

SQUARE = clearance.Mesh([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]])
SPIKE = clearance.Mesh(
    [[0, 0, -1], [1, -0.5, 1], [0, 1.5, 1], [-1, -0.5, 1]], [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]
)
CROSSED = clearance.Mesh(
    [[-1, -1, 0], [1, -1, 0], [0, 1, 0], [0, 0, -1], [0.5, 0, 1], [-0.5, 0, 1]], [[0, 1, 2], [3, 4, 5]]
)
FIELD = clearance.HeightField(np.array([[0, 1, 0], [0.5, 2, 1]], dtype=np.float32), [1.0, 2.0])


def test_health() -> None:
    for mesh in (SQUARE, SPIKE, CROSSED):
        mesh.health().verify(mesh)
    with pytest.raises(clearance.NotProvedError, match="watertight"):
        SQUARE.health().verify(SPIKE)
    with pytest.raises(clearance.ClearanceError):
        SQUARE.health().verify(clearance.Sphere(1.0))


def test_self_intersections() -> None:
    found = clearance.self_intersections(CROSSED)
    assert len(found) == 1
    found.verify()
    clearance.self_intersections(SPIKE).verify()
    # The list of another mesh.
    with pytest.raises(clearance.NotProvedError):
        type(found)._restore(SPIKE, found.__reduce__()[1][-1]).verify()


def test_curves() -> None:
    curves = clearance.contact_curves(SQUARE, SPIKE)
    clearance.ContactCurve.verify_all(curves, SQUARE, SPIKE)
    for wrong in ([], curves * 2):
        with pytest.raises(clearance.NotProvedError):
            clearance.ContactCurve.verify_all(wrong, SQUARE, SPIKE)
    with pytest.raises(clearance.NotProvedError):
        clearance.ContactCurve.verify_all(curves, SQUARE, SPIKE, pose_b=clearance.Pose.from_translation([0.1, 0, 0]))


def test_terrain() -> None:
    sample = FIELD.height_at(0.5, 0.5)
    assert sample is not None
    sample.verify(FIELD, 0.5, 0.5)
    with pytest.raises(clearance.NotProvedError):
        sample.verify(FIELD, 0.7, 0.5)
    hit = FIELD.ray_cast([0.5, 0.5, 5], [0, 0, -1])
    assert hit is not None
    hit.verify(FIELD, [0.5, 0.5, 5], [0, 0, -1])
    with pytest.raises(clearance.NotProvedError):
        hit.verify(FIELD, [0.5, 0.5, 5], [0, 0, -1], t_to=1.0)
    for point in ([0.5, 0.5, 5], [0.7, 1.0, 0.1], [-1.0, 0.5, 0.0]):
        FIELD.closest_point(point).verify(FIELD, point)
        FIELD.signed_distance(point).verify(FIELD, point)
        with pytest.raises(clearance.NotProvedError):
            FIELD.closest_point(point).verify(FIELD, [9, 9, 9])
        with pytest.raises(clearance.NotProvedError):
            FIELD.signed_distance(point).verify(FIELD, [9, 9, 9])
    contact = FIELD.wheel_on_terrain([0.5, 0.5, 2.0], 0.25)
    assert contact is not None
    contact.verify(FIELD, [0.5, 0.5, 2.0], 0.25)
    with pytest.raises(clearance.NotProvedError):
        contact.verify(FIELD, [0.5, 0.5, 2.0], 0.5)
