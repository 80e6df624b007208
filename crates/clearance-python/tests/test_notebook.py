"""A page in a notebook: what `_repr_html_` gives, in Chromium, where that, Node.js and `viewer/` are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import clearance
from bodies import cube, moved, torus

VIEWER = Path(__file__).parents[3] / "viewer"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser() -> str | None:
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.mark.skipif(browser() is None or shutil.which("node") is None, reason="no Chromium, or no Node.js")
@pytest.mark.skipif(not (VIEWER / "node_modules/playwright-core").is_dir(), reason="`cargo xtask setup` was not run")
def test_a_frame_of_a_notebook_is_drawn_and_used(tmp_path: Path) -> None:
    deep = clearance.penetration(cube(), cube(), pose_b=moved(1.5, 0.25))
    gap = clearance.distance(cube(), torus(), pose_b=moved(0, 0, 9))
    shown = clearance.show(deep, gap, unit="mm", height=450)
    document = tmp_path / "notebook.html"
    document.write_text(
        f"<!doctype html><meta charset=utf-8><body><h1>A notebook</h1>{shown._repr_html_()}", encoding="utf-8"
    )
    command = ["node", "test/notebook.mjs", str(browser()), str(document)]
    done = subprocess.run(command, cwd=VIEWER, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    # Scripts run, and have no part in what the notebook holds.
    assert seen["sandbox"] == "allow-scripts allow-popups" and seen["origin"] == "null"
    assert seen["rows"] == 2 and seen["chosenBefore"] == 0 and seen["chosen"] == 1
    assert seen["card"].startswith("0.5 mm deep, proved ") and seen["height"] == 450
    assert min(seen["colours"]) > 20 and not seen["problem"], seen
    assert seen["faults"] == []
