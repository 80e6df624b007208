"""Meshes repaired within a tolerance: a solid again, and a report of what was done."""

from __future__ import annotations

import numpy as np
import pytest

import clearance

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def _split(jitter: float = 0.0) -> clearance.Mesh:
    """A tetrahedron whose faces each have points of their own."""
    random = np.random.default_rng(5)
    points = CORNERS[FACES.ravel()] + random.uniform(-jitter, jitter, (12, 3))
    return clearance.Mesh(points, np.arange(12).reshape(4, 3))


def test_split_points_are_joined() -> None:
    given = _split()
    with pytest.raises(clearance.NotSolidError):
        given.solid()
    repaired = given.repaired(0.0)
    assert repaired.mesh.is_solid and repaired.report.is_solid
    assert repaired.report.distance == 0.0 and repaired.report.moved == 0.0
    assert repaired.report.joined.shape == (8, 2)
    assert repaired.mesh.health().volume == pytest.approx(1 / 6)
    repaired.verify()
    repaired.verify(given)
    assert repr(repaired) == "Repaired(is_solid=True, distance=0.0)"


def test_a_crack_moves_points_by_no_more_than_the_tolerance() -> None:
    given = _split(1e-5)
    repaired = given.repaired(1e-4)
    report = repaired.report
    assert report.is_solid and 0 < report.moved <= 1e-4
    assert report.moved <= report.distance <= 2e-4
    assert report.distance == max(report.given_to_used, report.used_to_given)
    assert report.tolerance == 1e-4 and report.origin.tolist() == [0, 1, 2, 3]
    repaired.verify(given)
    with pytest.raises(clearance.NotProvedError):
        repaired.verify(_split(1e-3))
    assert not given.repaired(1e-7).report.is_solid


def test_what_is_left_open_is_named() -> None:
    given = clearance.Mesh(CORNERS, np.vstack([FACES[:3], [[0, 0, 1]], FACES[:1]]))
    report = given.repaired(1e-6).report
    assert not report.is_solid and not report.is_unchanged
    assert report.zero_area.tolist() == [3] and report.duplicates.tolist() == [[0, 4]]
    (rim,) = report.holes
    assert sorted(rim.points.tolist()) == [0, 2, 3] and rim.is_closed
    assert rim.length == pytest.approx(2 + np.sqrt(2))
    assert report.filled == [] and report.split.size == 0 and report.flipped.size == 0
    assert report.collapsed.size == 0 and report.stray.size == 0 and report.added_points.shape == (0, 2)
    assert report.parted_edges.shape == (0, 2) and report.non_manifold_edges.shape == (0, 2)


def test_bad_tolerances_are_refused() -> None:
    for tolerance in (float("nan"), float("inf"), -1.0):
        with pytest.raises(ValueError, match="tolerance"):
            _split().repaired(tolerance)
