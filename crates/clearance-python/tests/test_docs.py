"""The examples of the chapter and of the package run."""

from __future__ import annotations

import doctest
from pathlib import Path

import clearance

CHAPTER = Path(__file__).parents[3] / "docs" / "python.md"


def test_the_chapter(tmp_path: Path, monkeypatch: object) -> None:
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    monkeypatch.chdir(tmp_path)
    parser = doctest.DocTestParser()
    examples = parser.get_doctest(CHAPTER.read_text(), {}, "docs/python.md", str(CHAPTER), 0)
    assert len(examples.examples) > 30
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failed, _ = runner.run(examples)
    assert failed == 0


def test_the_package() -> None:
    failed, ran = doctest.testmod(clearance)
    assert failed == 0 and ran > 3


def test_everything_is_documented() -> None:
    for name in clearance.__all__:
        thing = getattr(clearance, name)
        assert thing.__doc__, f"clearance.{name} has no documentation"
        assert f"`{name}`" in CHAPTER.read_text() or f"{name}(" in CHAPTER.read_text(), (
            f"docs/python.md does not name {name}"
        )
