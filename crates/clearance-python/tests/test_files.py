"""Files: parts, welding, what was left out."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import clearance
from bodies import cube_arrays

TWO = "o left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no right\nv 0 0 2\nv 1 0 2\nv 0 1 2\nf 4 5 6\n"
EXAMPLES = Path(__file__).parents[3] / "examples"


def test_parts(tmp_path: Path) -> None:
    path = tmp_path / "two.obj"
    path.write_text(TWO)
    assembly = clearance.load(path)
    assert [part.name for part in assembly.parts] == ["left", "right"] and assembly.unit is None and len(assembly) == 2
    left, right = assembly.parts
    assert clearance.distance(left.mesh, right.mesh, left.pose, right.pose).value == 2
    assert pickle.loads(pickle.dumps(assembly)) == assembly
    whole = clearance.Mesh.load(str(path))
    assert whole.faces.tolist() == [[0, 1, 2], [3, 4, 5]] and whole.bounds.tolist() == [[0, 0, 0], [1, 1, 2]]


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    path = tmp_path / "lines.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\nl 1 2\nl 2 3\n")
    with pytest.warns(clearance.FileWarning, match="line 6: dropped: 2 statements `l`"):
        mesh = clearance.Mesh.load(path)
    (dropped,) = (note for note in mesh.notes if note.kind == "dropped")
    assert (dropped.times, dropped.place) == (2, "line 6") and str(dropped).endswith(
        "dropped: 2 statements `l` (lines)"
    )
    assert pickle.loads(pickle.dumps(mesh)).notes == mesh.notes and mesh.notes
    path.write_text(TWO)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clearance.load(path)


def test_weld(tmp_path: Path) -> None:
    points, faces = cube_arrays()
    path = tmp_path / "cube.stl"
    triangles = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in points[face])
        + "endloop\nendfacet\n"
        for face in faces
    )
    path.write_text(f"solid cube\n{triangles}endsolid cube\n")
    loose = clearance.Mesh.load(path)
    assert len(loose.vertices) == 36
    with pytest.raises(clearance.NotSolidError) as caught:
        loose.solid()
    assert len(caught.value.edges) == 36
    welded = clearance.Mesh.load(path, weld=0.0)
    assert len(welded.vertices) == 8 and abs(welded.solid().volume - 8) < 1e-12
    assert any(note.kind == "welded" and note.times == 28 for note in welded.notes)


@pytest.mark.parametrize(
    ("name", "text", "place", "words"),
    [
        ("a.obj", "v 0 0 0\nv 1 nought 0\n", "line 2", "`nought` is not a number"),
        ("a.xyz", "hello", None, "unknown format"),
        ("a.obj", "v 0 0 0\n", None, "no triangles"),
        ("missing.stl", None, None, "missing.stl"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, text: str | None, place: str | None, words: str) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    for read in (clearance.load, clearance.Mesh.load):
        with pytest.raises(clearance.FileError, match=words) as caught:
            read(path)
        assert caught.value.path == str(path) and caught.value.place == place
        assert pickle.loads(pickle.dumps(caught.value)).path == str(path)


def test_the_gearbox_of_the_examples() -> None:
    path = EXAMPLES / "gearbox.glb"
    if not path.exists():
        pytest.fail(f"{path} is missing")
    assembly = clearance.load(path, weld=0.0)
    shapes, poses = [part.mesh for part in assembly.parts], [part.pose for part in assembly.parts]
    count = len(shapes)
    pairs = np.stack(np.triu_indices(count, 1), axis=1)
    met = clearance.intersects_pair_batch(shapes, pairs, poses)
    assert count > 5 and met.any() and not met.all()
