"""The package itself: one description in two places, one wheel for all versions, arrays read where they are."""

from __future__ import annotations

import importlib.metadata
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clearance

ROOT = Path(__file__).parents[3]


def test_the_root_describes_the_same_package() -> None:
    tomllib = pytest.importorskip("tomllib")
    root, crate = (
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
        for folder in (ROOT, ROOT / "crates/clearance-python")
    )
    assert root["project"] == crate["project"] and root["build-system"] == crate["build-system"]
    settings = root["tool"]["maturin"]
    assert settings["module-name"] == crate["tool"]["maturin"]["module-name"]
    assert (ROOT / settings["manifest-path"]).is_file()
    assert (ROOT / settings["python-source"] / "clearance/__init__.py").is_file()


def test_one_wheel_serves_all_versions() -> None:
    wheel = importlib.metadata.distribution("clearance").read_text("WHEEL")
    assert wheel is not None
    (tag,) = (line.split(": ")[1] for line in wheel.splitlines() if line.startswith("Tag: "))
    assert tag.startswith("cp310-abi3-")


def allocated(call: Callable[[], Any]) -> int:
    """What Python and numpy took at most during a call: copies of arrays count, and nothing that Rust takes."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        call()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def sheet(size: int) -> tuple[Any, Any]:
    """A sheet of triangles, as the engine has them: doubles, and 32 bits without a sign."""
    x, y = np.meshgrid(np.arange(size, dtype=np.float64), np.arange(size, dtype=np.float64))
    corner = (np.arange(size - 1)[:, None] * size + np.arange(size - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + size], axis=1)
    upper = np.stack([corner + 1, corner + size + 1, corner + size], axis=1)
    points = np.ascontiguousarray(np.stack([x.ravel(), y.ravel(), np.sin(x + y).ravel()], axis=1))
    return points, np.vstack([lower, upper]).astype(np.uint32)


def test_large_arrays_are_not_copied_on_the_way_in() -> None:
    ball = clearance.Sphere(1.0)
    points = np.random.default_rng(1).uniform(-2, 2, (200_000, 3))
    ways = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    poses = np.tile(np.eye(4), (20_000, 1, 1))
    vertices, faces = sheet(150)
    calls: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "Mesh": (clearance.Mesh, (vertices, faces)),
        "Mesh.moved": (clearance.Mesh(vertices, faces).moved, (vertices,)),
        "DeformingMesh": (clearance.DeformingMesh, (vertices, faces, vertices)),
        "contains_batch": (lambda them: clearance.contains_batch(ball, them), (points,)),
        "closest_point_batch": (lambda them: clearance.closest_point_batch(ball, them), (points,)),
        "ray_cast_batch": (lambda *them: clearance.ray_cast_batch(ball, *them), (points, ways)),
        "relation_batch": (lambda them: clearance.relation_batch(ball, ball, them), (poses,)),
    }
    small = 64 * 1024
    for name, (call, arrays) in calls.items():
        call(*arrays)  # What is made once is made.
        for array in arrays:
            array.setflags(write=False)
        assert allocated(lambda call=call, arrays=arrays: call(*arrays)) < small, name  # type: ignore[misc]
        # That a copy would be seen: of another kind of number, and of every other row.
        others = tuple(array.astype(np.float32) if array.dtype == np.float64 else array for array in arrays)
        least = sum(array.nbytes for array in arrays if array.dtype == np.float64)
        taken = allocated(lambda call=call, others=others: call(*others))  # type: ignore[misc]
        assert taken > 0.9 * least > small, name
        strided = tuple(np.repeat(array, 2, axis=0)[::2] for array in arrays)
        assert not any(array.flags.c_contiguous for array in strided)
        assert allocated(lambda call=call, strided=strided: call(*strided)) > 0.9 * least, name  # type: ignore[misc]
