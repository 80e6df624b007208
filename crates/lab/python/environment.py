"""A virtual environment for a script of this folder, in `target/lab`: pinned packages, and `clearance` built from here.

Used by whatever Python starts the script; it needs nothing but the standard library and a Rust toolchain.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGE = ROOT / "crates" / "clearance-python"
TRIES = 3


def say(words):
    print(f"lab: {words}", file=sys.stderr, flush=True)


def install(python, *what):
    """Installs packages, with as many tries as it takes up to three; what went wrong, or None."""
    problem = None
    for _ in range(TRIES):
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
        problem = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
    return problem


def set_up(name, lock):
    """Makes the environment of this name; its Python, and the lines of the lock that are missing, with the reason.

    A line of the lock is a name and the packages that belong to it; those of "base" must be there.
    """
    folder = ROOT / "target" / "lab" / name
    python = folder / "bin" / "python"
    if not python.exists():
        say(f"making a virtual environment in {folder.relative_to(ROOT)}")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdout=sys.stderr)
    missing = {}
    for line in (HERE / lock).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        peer, packages = line.split(":")
        problem = install(python, *packages.split())
        if problem is not None and peer == "base":
            sys.exit(f"lab: {packages.strip()} cannot be installed: {problem}")
        if problem is not None:
            say(f"{peer} cannot be installed: {problem}")
            missing[peer] = problem
    say("building clearance")
    problem = install(python, str(PACKAGE))
    if problem is not None:
        sys.exit(f"lab: clearance cannot be built (is there a Rust toolchain?): {problem}")
    return python, missing


def provenance():
    """The commit and the processor, for figures that are published."""

    def git(*arguments):
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    names = pathlib.Path("/proc/cpuinfo")
    lines = names.read_text().splitlines() if names.exists() else []
    cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
    changed = "+changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    return {"commit": (git("rev-parse", "--short", "HEAD") or "unknown") + changed, "cpu": cpu}
