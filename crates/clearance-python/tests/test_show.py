"""Pages: what they are filled with, and where they go."""

from __future__ import annotations

import html
import re
import warnings
import webbrowser
from pathlib import Path

import numpy as np
import pytest

import clearance
from bodies import cube, every_kind, moved, torus
from pages import data_of


def test_every_kind_of_body() -> None:
    page = clearance.show(*every_kind().items(), title="all <kinds>")
    data = data_of(page.html)
    assert [part["name"] for part in data["parts"]] == list(every_kind())
    assert all(part["geometry"] is not None for part in data["parts"]) and data["findings"] == []
    assert len(data["notes"]) == 2 and "facets" in data["notes"][0]
    assert data["title"] == "all <kinds>" and "<title>all &lt;kinds&gt;" in page.html
    assert page.html.startswith("<!doctype html>") and "@@" not in page.html


def test_answers_and_their_bodies() -> None:
    base, ring, there = cube(), torus(), clearance.Pose(moved(1.5, 0.25))
    things = [
        ("base", base),
        clearance.distance(base, ring, pose_b=moved(0, 0, 9)),
        clearance.penetration(base, base, pose_b=there),
        clearance.solid_depth(base, base, pose_b=there),
        clearance.depth_along(base, base, [0, 0, 1], pose_b=there),
        clearance.overlap_volume(base, base, pose_b=there),
        clearance.contacts(base, base, pose_b=there),
        clearance.contacts(
            clearance.Box(half_extents=[1, 1, 1]), clearance.Box(half_extents=[1, 1, 1]), pose_b=moved(0, 0, 2)
        ),
        clearance.relation_proof(base, base, pose_b=there),
        clearance.closest_point(base, [5, 0, 0]),
        clearance.signed_distance(base, [0.5, 0, 0]),
        clearance.ray_cast(base, [-5, 0, 0], [1, 0, 0]),
        clearance.ray_cast(base, [-5, 9, 0], [1, 0, 0]),
        clearance.time_of_impact(base, base, None, clearance.Motion(moved(5), [6, 0, 0])),
        clearance.time_of_impact(base, base, None, clearance.Motion(moved(5), [-6, 0, 0])),
        clearance.rigid_impact(base, base, None, clearance.RigidMotion(moved(5), [-8, 0, 0], [1, 0, 0], 0.1)),
        reach := clearance.local_depth(base, base, pose_b=there),
        clearance.local_depth(base, base, pose_b=moved(5)),
    ]
    data = data_of(clearance.show(*things, unit="mm", up="y").html)
    said = [(finding["id"], finding["kind"], finding["sentence"]) for finding in data["findings"]]
    for (identity, kind, sentence), (name, expected, words) in zip(
        said,
        [
            ("distance-1", "measured", r"7\.522 mm apart, proved to within "),
            ("depth-2", "hard", r"0\.5 mm deep, proved "),
            ("depth-3", "hard", r"0\.5 mm deep, proved "),
            ("depth-along-4", "hard", r"2 mm deep, proved "),
            ("volume-5", "hard", r"1\.75 mm³ in common, proved "),
            ("contacts-6", "measured", r"they meet; \d+ pairs of triangles"),
            ("contacts-7", "touching", r"touching; 4 points of contact"),
            ("relation-8", "hard", r"overlapping: the gap is proved "),
            ("closest-point-9", "measured", r"4 mm away, proved "),
            ("signed-distance-10", "measured", r"inside, 0\.5 mm from the surface, proved "),
            ("ray-11", "measured", r"the ray crosses at t = 4, proved "),
            ("impact-12", "touching", r"first contact at t = 0\.5, proved "),
            ("impact-13", "touching", r"first contact at t = 0\.375, proved "),
            ("local-depth-14", "hard", r"the surface of [AB] reaches 0\.5 mm into [AB], proved "),
            ("local-depth-15", "measured", r"neither surface reaches more than 0 mm into the other"),
        ],
        strict=True,
    ):
        assert identity == name and kind == expected, (identity, kind)
        assert re.search(words, sentence), sentence
    by_id = {finding["id"]: finding for finding in data["findings"]}
    # The base is one part in all answers; a moving body is a part of its own.
    assert [by_id[name]["a"] for name in ("distance-1", "depth-2", "volume-5", "ray-11")] == [0] * 4
    assert by_id["depth-2"]["b"] == by_id["volume-5"]["b"] == by_id["relation-8"]["b"]
    assert data["parts"][0]["name"] == "base" and data["unit"] == "mm" and data["up"] == 1
    np.testing.assert_allclose(by_id["depth-2"]["way_out"], [0.5, 0, 0], atol=1e-12)
    assert reach.witness is not None and by_id["local-depth-14"]["points"] == reach.witness.tolist()
    np.testing.assert_allclose(by_id["depth-along-4"]["way_out"], [0, 0, 2], atol=1e-12)
    assert by_id["volume-5"]["overlap"] is not None and by_id["volume-5"]["volume"]["lower"] <= 1.75
    assert by_id["contacts-6"]["loops"] and by_id["contacts-7"]["loops"][0]["closed"]
    np.testing.assert_allclose(by_id["closest-point-9"]["points"], [[1, 0, 0], [5, 0, 0]])
    np.testing.assert_allclose(by_id["ray-11"]["points"], [[-1, 0, 0]] * 2)
    times = data["timeline"]["times"]
    assert sorted(times) == times and abs(times[by_id["impact-12"]["frame"]] - 0.5) < 1e-9


def test_bodies_that_turn_have_a_slider() -> None:
    turning = clearance.RigidMotion(moved(5), [-8, 0, 0], [1, 0, 0], 3.0)
    data = data_of(clearance.show(clearance.rigid_impact(cube(), cube(), None, turning)).html)
    (finding,), timeline = data["findings"], data["timeline"]
    assert abs(timeline["times"][finding["frame"]] - 0.375) < 1e-9 and len(timeline["tracks"]) == 2


def test_the_first_impact_and_the_least_clearance() -> None:
    base, box, there = cube(), clearance.Box(half_extents=[0.1, 0.1, 0.1]), clearance.Pose(moved(0, 0, 20))
    turning = clearance.RigidMotion(moved(5), [-8, 0, 0], [1, 0, 0], 3.0)
    passing = clearance.RigidMotion(moved(5, 0, 3), [-10, 0, 0], [1, 0, 0], np.pi)
    first = clearance.first_impact([base, box, base], [None, there, turning])
    least = clearance.least_clearance(base, base, None, passing)
    assert first
    data = data_of(clearance.show(first, least, unit="mm").html)
    impact, near = data["findings"]
    assert impact["id"] == "impact-1" and impact["sentence"].startswith("first contact at t = 0.375, proved ")
    assert near["id"] == "least-clearance-2" and near["kind"] == "measured"
    assert re.match(rf"nearest at t = 0\.\d+: {least.upper:.4g} mm apart, proved ", near["sentence"]), near["sentence"]
    assert near["gap"]["lower"] == least.lower and near["gap"]["upper"] == least.upper
    np.testing.assert_allclose(near["points"], least.witness)
    # One slider for both, with a frame at the very time of each.
    times = data["timeline"]["times"]
    assert times == sorted(set(times)) and times[0] == 0 and times[-1] == 1 and len(data["timeline"]["tracks"]) == 4
    assert times[impact["frame"]] == first.impact.value and times[near["frame"]] == least.t
    assert data["verdict"] == "2 answers"
    # Where no gap is proved, none is shown.
    verdict = data_of(clearance.show(clearance.least_clearance(base, base)).html)["verdict"]
    assert verdict.startswith("they come within ") and verdict.endswith(", and may touch")
    # A page of many motions has the way of some.
    many = clearance.least_clearance_batch(base, base, [passing] * 30)
    data = data_of(clearance.show(many).html)
    assert len(data["findings"]) == 30 and len(data["timeline"]["tracks"]) == 40
    assert data["findings"][19]["frame"] is not None and data["findings"][20]["frame"] is None


def test_steps_of_deforming_meshes() -> None:
    floor = clearance.DeformingMesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]])
    leaf = np.array([[1.0, 1, 1], [2, 1, 1], [1, 2, 2]])
    falling = clearance.DeformingMesh(leaf, [[0, 1, 2]]).moved_to(leaf - [0, 0, 4])
    found = clearance.step_collisions(falling, floor)
    data = data_of(clearance.show(found).html)
    assert data["verdict"] == "3 impacts, the first at t = 0.25"
    assert [part["name"] for part in data["parts"]] == ["DeformingMesh 1", "DeformingMesh 2"]
    assert [deformation["part"] for deformation in data["deformations"]] == [0, 1]
    times = data["timeline"]["times"]
    assert times == sorted(set(times)) and data["timeline"]["tracks"] == []
    assert [times[finding["frame"]] for finding in data["findings"]] == found.value.tolist()
    assert [finding["points"][0] for finding in data["findings"]] == found.points.tolist()
    assert data["findings"][0]["sentence"] == "vertex 0 touches face 0 at t = 0.25"
    # With others: a mesh that is there is not there twice, and parts and frames are those of the whole.
    again = clearance.step_collisions(falling, floor, wanted="first")
    impact = clearance.time_of_impact(cube(), cube(), None, clearance.Motion(moved(5), [-7, 0, 0]))
    data = data_of(clearance.show(("base", cube(), moved(0, 0, 20)), impact, found, again).html)
    assert [part["name"] for part in data["parts"]][3:] == ["DeformingMesh 4", "DeformingMesh 5"]
    assert [(it["a"], it["b"]) for it in data["findings"]] == [(1, 2)] + 4 * [(3, 4)]
    assert len(data["deformations"]) == 2 and len(data["timeline"]["tracks"]) == 2
    assert len({it["id"] for it in data["findings"]}) == 5 and data["verdict"] == "3 answers"
    times = data["timeline"]["times"]
    at = [times[it["frame"]] for it in data["findings"]]
    np.testing.assert_allclose(at, [3 / 7, 0.25, 0.25, 0.5, 0.25])
    # A mesh against itself, with nothing found, and triangles that meet at the start.
    alone = clearance.self_collisions(falling)
    data = data_of(clearance.show(alone).html)
    assert data["verdict"] == "0 impacts" and data["findings"] == [] and len(data["parts"]) == 1
    crossed = clearance.DeformingMesh([[1, 1, -1], [2, 1, 1], [1, 2, 1]], [[0, 1, 2]])
    data = data_of(clearance.show(clearance.step_collisions(crossed, floor)).html)
    assert data["findings"][0]["kind"] == "hard" and data["findings"][0]["frame"] == 0


def test_batches_parts_and_other_libraries() -> None:
    ball = clearance.Sphere(1.0)
    poses = np.stack([moved(3), moved(4), moved(5)])
    data = data_of(clearance.show(clearance.distance_batch(ball, ball, poses)).html)
    assert len(data["findings"]) == 3 and len(data["parts"]) == 4 and len(data["geometries"]) == 1
    rays = clearance.ray_cast_batch(ball, [[-3, 0, 0], [-3, 2, 0]], [[1, 0, 0], [1, 0, 0]])
    assert len(data_of(clearance.show(rays).html)["findings"]) == 1

    class Foreign:
        vertices, faces = cube().vertices, cube().faces

    part = clearance.Part("wheel", torus(), clearance.Pose(moved(1)))
    assembly = clearance.Assembly([part], "mm", ())
    data = data_of(clearance.show(Foreign(), (Foreign(), moved(2)), ("third", Foreign(), moved(4)), assembly).html)
    assert [part["name"] for part in data["parts"]] == ["Mesh 1", "Mesh 2", "third", "wheel"]


def test_where_pages_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    ball = clearance.Sphere(1.0)
    page = clearance.show(ball, height=400)
    assert isinstance(page, clearance.Page) and not opened
    frame = page._repr_html_()
    document = re.search(r'srcdoc="([^"]*)"', frame)
    assert document is not None and html.unescape(document.group(1)) == page.html and "height: 400px" in frame
    written = clearance.show(ball, path=tmp_path / "page.html")
    assert written == tmp_path / "page.html" and written.read_text(encoding="utf-8") == page.html and not opened
    clearance.show(ball, path=written, open=True)
    assert opened == [written.resolve().as_uri()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        there = page.open()
    assert there.read_text(encoding="utf-8") == page.html and opened[-1] == there.as_uri()
    there.unlink()
    there.parent.rmdir()


def test_robots_on_their_way(tmp_path: Path) -> None:
    urdf = tmp_path / "slide.urdf"
    ball = '<collision><geometry><sphere radius="0.5"/></geometry></collision>'
    urdf.write_text(
        f"""<robot name="slide"><link name="base">{ball}</link><link name="hand">{ball}</link>
        <joint name="x" type="prismatic"><parent link="base"/><child link="hand"/><origin xyz="0 0 3"/>
        <axis xyz="1 0 0"/><limit lower="-9" upper="9"/></joint></robot>"""
    )
    robot = clearance.Robot(urdf, world=[("wall", clearance.Box(half_extents=[0.5, 1, 9]), moved(5))])
    hits, free = robot.sweep([0], [8]), robot.sweep([0], [3], clearance=1e-6)
    data = data_of(clearance.show(hits).html)
    assert [part["name"] for part in data["parts"]] == ["base", "hand", "wall"]
    (finding,), timeline = data["findings"], data["timeline"]
    # The hand goes 8 in the step and meets the wall after 4; it alone moves.
    assert (finding["a"], finding["b"], finding["kind"]) == (1, 2, "hard")
    assert abs(timeline["times"][finding["frame"]] - 0.5) < 1e-5 and len(timeline["tracks"]) == 1
    assert finding["sentence"].startswith("first impact at t = 0.5, proved ")
    assert data["verdict"] == "hand and wall meet first, at t = 0.5" and data["unit"] == "m"
    assert "nothing was checked" in " ".join(data["notes"])
    # Beside another answer, all on one slider.
    flying = clearance.time_of_impact(cube(), cube(), None, clearance.Motion(moved(5), [-6, 0, 0]))
    data = data_of(clearance.show(flying, free).html)
    impact, least = data["findings"]
    assert data["timeline"]["times"][least["frame"]] == free.nearest_at and least["id"] == "least-2"
    assert data["parts"][least["a"]]["name"] == "hand" and len(data["timeline"]["tracks"]) == 3
    assert free.clearance is not None and least["gap"]["lower"] == free.clearance.lower and impact["frame"] is not None
    # A path has the times that it was given; free without a clearance there is nothing to find.
    path = robot.sweep_path([[0], [1], [3]], [10, 20, 30])
    data = data_of(clearance.show(path).html)
    times = data["timeline"]["times"]
    assert (times[0], times[-1], data["findings"]) == (10, 30, []) and data["verdict"] == "free, proved for all times"


def test_where_a_mesh_meets_itself() -> None:
    corners = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [0.5, 0.5, 1], [3, 3, 0]]
    found = clearance.self_intersections(clearance.Mesh(corners, [[0, 1, 2], [3, 4, 5]]))
    assert len(found) == 1 and found.mesh.faces.shape == (2, 3)  # type: ignore[attr-defined]
    data = data_of(clearance.show(found).html)
    (finding,) = data["findings"]
    assert (finding["a"], finding["b"], finding["kind"]) == (0, 0, "hard") and len(data["parts"]) == 1
    assert finding["sentence"] == "the mesh runs through itself: 1 pair of triangles cross or overlap"
    assert len(finding["loops"]) == 1 and not finding["loops"][0]["closed"]
    assert finding["points"] == [found.segments[0, 0].tolist()] * 2
    whole = data_of(clearance.show(clearance.self_intersections(cube())).html)["findings"][0]
    assert whole["sentence"] == "the mesh does not meet itself" and whole["loops"] == []


def test_events_of_a_world_are_their_findings() -> None:
    world = clearance.World("distance", 2.0)
    world.insert(clearance.Sphere(1.0))
    right = world.insert(clearance.Sphere(1.0), moved(3))
    began = world.step()
    data = data_of(clearance.show(began).html)
    assert [finding["id"] for finding in data["findings"]] == ["distance-1"] and len(data["parts"]) == 2
    # What ended has nothing to show, and stands beside others.
    world.remove(right)
    (ended,) = world.step()
    assert ended.finding is None and len(data_of(clearance.show(began, ended).html)["findings"]) == 1


def test_what_cannot_be_shown() -> None:
    for things in ([], [[]], [3.0], ["name"], [{"a": 1}], [object()]):
        with pytest.raises(clearance.ClearanceError) as caught:
            clearance.show(*things)
        assert caught.value.argument == "things"
    # Kinds of answers that have no picture.
    curve = clearance.contact_curves(cube(), cube(), pose_b=moved(1.5, 0.25))[0]
    with pytest.raises(clearance.ClearanceError, match="a ContactCurve cannot be shown"):
        clearance.show(curve)
    with pytest.raises(clearance.ClearanceError, match="'x', 'y' or 'z'"):
        clearance.show(clearance.Sphere(1.0), up="w")  # type: ignore[call-overload]
