"""What is in a page."""

from __future__ import annotations

import json
import re
from typing import Any


def data_of(page: str) -> Any:
    """What the page was filled with, but for the geometry."""
    found = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))
