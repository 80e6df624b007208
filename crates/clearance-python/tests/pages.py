"""Whether the package was built with the page, and what is in one."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

import clearance


@functools.cache
def has_viewer() -> bool:
    try:
        clearance.show(clearance.Sphere(1.0))
    except clearance.ClearanceError as error:
        assert "`cargo xtask viewer`" in str(error), error
        return False
    return True


def data_of(page: str) -> Any:
    """What the page was filled with, but for the geometry."""
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))
