"""Loads files with trimesh and says how long each took: trimesh_peer.py

Reads the name of a file from each line of its input and answers with a line: the nanoseconds that trimesh took to load it
as it stands, without joining points, and how many triangles it has, each instance counted; or `!` and what went wrong. The
first line it writes is the version of trimesh.
"""

import sys
import time

import trimesh


def triangles(loaded):
    if isinstance(loaded, trimesh.Scene):
        shown = (loaded.geometry[loaded.graph[node][1]] for node in loaded.graph.nodes_geometry)
        return sum(len(geometry.faces) for geometry in shown if hasattr(geometry, "faces"))
    return len(loaded.faces) if hasattr(loaded, "faces") else 0


def answer(path):
    begun = time.perf_counter_ns()
    loaded = trimesh.load(path, process=False)
    spent = time.perf_counter_ns() - begun
    return f"{spent} {triangles(loaded)}"


def main():
    print(trimesh.__version__, flush=True)
    for line in sys.stdin:
        try:
            said = answer(line.rstrip("\n"))
        except Exception as problem:
            said = "! " + " ".join(repr(problem).split())
        print(said, flush=True)


if __name__ == "__main__":
    main()
