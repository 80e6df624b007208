"""One name for one thing: what Python and Rust both have is called the same in both."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import clearance

ROOT = Path(__file__).parents[3]

ONLY_RUST = {
    "cancel": "a module; Ctrl-C and `progress` in Python",
    "convex_hull": "`Hull` in Python",
    "elementary_impact": "only as a batch in Python",
    "frame_self_intersections": "not in Python yet",
    "glam": "a crate",
    "safe_displacements": "not in Python yet",
    "safe_displacements_between": "not in Python yet",
    "tet_depths": "not in Python yet",
    "tet_pairs": "not in Python yet",
    "tet_region": "not in Python yet",
    "tet_self_pairs": "not in Python yet",
    "topology": "a module; `Mesh.health` in Python",
    "triangle_impacts": "not in Python yet",
    "triangle_tet_batch": "not in Python yet",
}
ONLY_PYTHON = {
    "distance_pair_batch": "`PairBatch` in Rust",
    "intersects_pair_batch": "`PairBatch` in Rust",
    "load": "of another crate, `clearance_files::read`",
    "overlap_volume_pair_batch": "`PairBatch` in Rust",
    "penetration_pair_batch": "`PairBatch` in Rust",
    "relation_pair_batch": "`PairBatch` in Rust",
    "relation_proof": "`relation_with` in Rust",
    "relation_proof_batch": "`relation_with` in Rust",
    "show": "of another crate, `clearance_view`",
}
OTHERWISE = {"Box": "Cuboid", "Hull": "ConvexHull"}
"""Classes that have another name in Rust, where `Shape` has a constructor."""
PLURALS = {"ies": "y", "s": ""}
"""A class of many answers is the plural of the class of one."""
PYTHON_CLASSES = {
    "CollisionMatrix",
    "FeatureKind",
    "NearPairs",
    "Page",
    "RobotCheck",
    "RobotContact",
    "RobotDistances",
    "RobotSweep",
    "SelfIntersections",
    "Clearances",
}
"""Classes that Rust has not: of arrays, enums that have data there, and of robots."""


def exported() -> set[str]:
    """The names that modules of the engine, and the crates of files and robots, export."""
    rooms = ["lib.rs", *(f"{room}/mod.rs" for room in ("query", "answer", "shape", "world", "motion", "deform"))]
    files = [ROOT / "crates/clearance/src" / room for room in rooms]
    files += [ROOT / f"crates/clearance-{crate}/src/lib.rs" for crate in ("files", "robot")]
    names: set[str] = set()
    for file in files:
        for used in re.findall(r"^ *pub use ([^;]*);", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            names |= set(re.findall(r"\b(\w+)\b(?!::)(?=\s*[,}]|\s*$)", used))
    assert {"distance", "distance_batch", "World", "Robot", "Assembly"} <= names
    return names


def test_functions() -> None:
    files = {"glb_bytes", "obj_bytes", "ply_bytes", "stl_bytes", "threemf_bytes", "utf8", "weld", "write"}
    rust = {name for name in exported() if name[0].islower() and not name.endswith("_with")}
    rust = {name for name in rust if name not in files and not name.startswith("read")}
    python = {name for name in clearance.__all__ if name[0].islower()}
    assert rust - python == set(ONLY_RUST)
    assert python - rust == set(ONLY_PYTHON)


def test_classes() -> None:
    rust = exported()
    for name in clearance.__all__:
        value = getattr(clearance, name)
        if not inspect.isclass(value) or issubclass(value, (Exception, Warning)):
            continue
        singular = next((name.removesuffix(end) + to for end, to in PLURALS.items() if name.endswith(end)), name)
        known = {name, singular, OTHERWISE.get(name)} & rust or {singular} & PYTHON_CLASSES
        assert known or name in PYTHON_CLASSES, f"{name}: Rust has another name, or none"
    assert not PYTHON_CLASSES & rust and not set(OTHERWISE) & rust and set(OTHERWISE.values()) <= rust


def test_methods_of_a_world() -> None:
    source = (ROOT / "crates/clearance/src/world").glob("*.rs")
    rust = {name for file in source for name in re.findall(r"^    pub fn (\w+)", file.read_text("utf-8"), re.MULTILINE)}
    python = {name for name in vars(clearance.World) if not name.startswith("_")}
    # A batch takes arrays; the schedule is a type of its own in Rust.
    assert python - rust == {"bodies", "disturb", "move_batch", "next_contacts", "ray_cast_batch"} - rust


def test_version() -> None:
    cargo = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "([^"]+)"', cargo, re.MULTILINE)
    assert found is not None and clearance.__version__ == found[1]
