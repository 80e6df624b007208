"""The small examples run, and what they assert holds."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


def test_all_eight_are_there() -> None:
    assert [path.stem for path in EXAMPLES] == [
        "contacts",
        "deforming",
        "mesh_distance",
        "penetration",
        "ray",
        "robot",
        "time_of_impact",
        "world",
    ]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path))
    assert capsys.readouterr().out
