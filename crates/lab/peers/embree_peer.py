"""Has embree find the first hits of rays and writes them with the times: embree_peer.py JOB ANSWERS

embree computes in single precision; points and rays are rounded to it. Everything runs on one processor, the building
of the tree too, which the wrapper starts at the first ray. The wrapper takes time of its own for each ray, so the same
calls are also timed on a scene with nothing but one triangle far away.
"""

import importlib.metadata
import os
import sys

# Before embree counts the processors.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy  # noqa: E402
import wire  # noqa: E402
from embreex import rtcore_scene  # noqa: E402
from embreex.mesh_construction import TriangleMesh  # noqa: E402

# How many rays are handed over one by one.
SINGLES = 2000


def scene_of(points, triangles, robust):
    """The scene, and the nanoseconds that its tree took."""
    scene = rtcore_scene.EmbreeScene(robust=robust)
    TriangleMesh(scene, points, triangles)
    ray = numpy.zeros((1, 3), dtype=numpy.float32), numpy.array([[0, 0, 1]], dtype=numpy.float32)
    # Only the first call builds the tree: it is timed once.
    begun = wire.time.perf_counter_ns()
    scene.run(*ray, output=True)
    return scene, float(wire.time.perf_counter_ns() - begun)


def main(job_path, answers_path):
    job = wire.Job(job_path, b"CLRRAY01")
    repeats, robust = job.whole(), bool(job.whole())
    points, triangles = job.mesh()
    rays = job.array("<f8", job.whole(), 2, 3).astype(numpy.float32)
    origins, directions = (numpy.ascontiguousarray(rays[:, part]) for part in (0, 1))
    scene, build = scene_of(points.astype(numpy.float32), triangles.astype(numpy.int32), robust)
    corner = numpy.array([[1e30, 1e30, 1e30]] * 3, dtype=numpy.float32)
    nothing, _ = scene_of(corner, numpy.array([[0, 1, 2]], dtype=numpy.int32), robust)

    def asker(scene, *rays):
        return lambda: scene.run(*rays, output=True)

    count = max(len(rays), 1)
    [(hits, batch, _)] = wire.timed(repeats, [asker(scene, origins, directions)])
    [(_, empty_batch, _)] = wire.timed(repeats, [asker(nothing, origins, directions)])
    alone = [(origins[i : i + 1], directions[i : i + 1]) for i in range(min(len(rays), SINGLES))]
    singles = [time for _, time, _ in wire.timed(repeats, [asker(scene, *ray) for ray in alone])]
    empties = [time for _, time, _ in wire.timed(repeats, [asker(nothing, *ray) for ray in alone])]

    answers = wire.Answers(b"CLRHIT01", importlib.metadata.version("embreex"))
    answers.numbers(float(numpy.median(empties)) if empties else 0.0, empty_batch / count, build, batch / count)
    answers.whole(len(singles))
    answers.numbers(*singles)
    answers.whole(len(rays))
    for t, triangle in zip(hits["tfar"], hits["primID"]):
        answers.numbers(float(t), float(triangle))
    answers.write(answers_path)


if __name__ == "__main__":
    main(*sys.argv[1:])
