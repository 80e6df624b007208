"""Bodies and poses that the tests share, and what they ask of every answer."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import clearance

Floats = NDArray[np.float64]


def check(answer: Any) -> None:
    """Proved again, ordered, and the same after a pickle."""
    answer.verify()
    # An absence has no number.
    if not isinstance(answer, (clearance.NoElementaryImpact, clearance.NoHit)):
        assert (np.asarray(answer.lower) <= answer.upper).all()
    again = pickle.loads(pickle.dumps(answer))
    assert again == answer and type(again) is type(answer)
    again.verify()


def cube_arrays(half: float = 1.0) -> tuple[Floats, NDArray[np.int64]]:
    corners = np.array([[x, y, z] for z in (-half, half) for y in (-half, half) for x in (-half, half)])
    sides = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]]
    more = [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
    return corners, np.array(sides + more)


def cube(half: float = 1.0) -> clearance.Mesh:
    return clearance.Mesh(*cube_arrays(half)).solid()


def torus_arrays(
    major: float = 2.0, minor: float = 0.5, around: int = 24, across: int = 12
) -> tuple[Floats, NDArray[np.int64]]:
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    radius = major + minor * np.cos(b)
    points = np.stack([radius * np.cos(a), radius * np.sin(a), minor * np.sin(b)], axis=-1).reshape(-1, 3)
    here, next_u = u * across + v, ((u + 1) % around) * across + v
    next_v, both = u * across + (v + 1) % across, ((u + 1) % around) * across + (v + 1) % across
    faces = np.stack([np.stack([here, next_u, both], -1), np.stack([here, both, next_v], -1)], axis=2)
    return points, faces.reshape(-1, 3)


def torus() -> clearance.Mesh:
    return clearance.Mesh(*torus_arrays()).solid()


def moved(x: float, y: float = 0.0, z: float = 0.0) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def random_poses(count: int, reach: float, seed: int = 1) -> Floats:
    """Rotations by random quaternions, translations in a cube."""
    random = np.random.default_rng(seed)
    w, x, y, z = (q := random.normal(size=(count, 4))).T / np.linalg.norm(q, axis=1)
    rotation = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = np.moveaxis(rotation, -1, 0)
    poses[:, :3, 3] = random.uniform(-reach, reach, (count, 3))
    return poses


def every_kind() -> dict[str, clearance.Shape]:
    """One body of each kind, all of a size of about one."""
    box = clearance.Box(half_extents=[0.5, 0.4, 0.3])
    return {
        "Sphere": clearance.Sphere(0.5),
        "Box": box,
        "Capsule": clearance.Capsule(half_length=0.5, radius=0.2),
        "Cylinder": clearance.Cylinder(half_length=0.5, radius=0.3),
        "Cone": clearance.Cone(half_length=0.5, radius=0.4),
        "Ellipsoid": clearance.Ellipsoid([0.5, 0.3, 0.2]),
        "HalfSpace": clearance.HalfSpace([0.0, 0.3, 2.0], 0.1),
        "Segment": clearance.Segment([[0, 0, 0], [1, 0, 0.5]]),
        "Triangle": clearance.Triangle([[0, 0, 0], [1, 0, 0], [0, 1, 0.3]]),
        "Tetrahedron": clearance.Tetrahedron([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        "Hull": clearance.Hull(np.random.default_rng(3).normal(size=(30, 3))),
        "Rounded": clearance.Rounded(box, 0.1),
        "Compound": clearance.Compound([(box, moved(0.4)), (clearance.Sphere(0.3), None)]),
        "HeightField": clearance.HeightField(np.array([[0, 0.5, 0], [0.2, 0.4, 0.1]], np.float32), [1.0, 2.0]),
        "Mesh": torus(),
    }


def ring_robot(folder: Path) -> Path:
    """An arm of four rings in a folder, with the files of their meshes: the first two are one file by two names, the
    third is mirrored, the last has a hole. Returns the URDF."""
    points, faces = torus_arrays()
    lines = [f"v {x} {y} {z}" for x, y, z in points.tolist()] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (folder / "ring.obj").write_text("\n".join(lines) + "\n")
    (folder / "open.obj").write_text("\n".join(lines[:-1]) + "\n")
    names = {"base": "ring.obj", "one": "./ring.obj", "two": "ring.obj", "three": "open.obj"}
    scales = {"base": "0.1 0.1 0.1", "one": "0.1 0.1 0.1", "two": "0.1 -0.1 0.2", "three": "0.1 0.1 0.1"}
    links = [
        f'<link name="{link}"><collision><origin rpy="0.1 0 0.3"/><geometry>'
        f'<mesh filename="{names[link]}" scale="{scales[link]}"/></geometry></collision></link>'
        for link in names
    ]
    joints = [
        f'<joint name="{parent}_{child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.3 0 0.1"/><axis xyz="{axis}"/><limit lower="-3" upper="3"/></joint>'
        for parent, child, axis in (("base", "one", "0 1 0"), ("one", "two", "1 0 1"), ("two", "three", "0 1 0"))
    ]
    path = folder / "rings.urdf"
    path.write_text(f'<robot name="rings">{"".join(links + joints)}</robot>')
    return path
