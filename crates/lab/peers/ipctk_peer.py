"""Steps of deforming meshes with the IPC Toolkit: ipctk_peer.py

Reads a question from each line of its input and answers with a line, or with `!` and what went wrong. The first line it
writes is the version of ipctk.

    threads N       on so many threads from now on; answers `ok`
    load PATH       a mesh at both ends of a step: two 64-bit counts, of points and of triangles, the points at the start and at
                    the end as doubles, the triangles as 32-bit numbers. Answers with the name of the broad phase that was
                    fastest on it.
    step KIND       the largest step without a collision, KIND `additive` or `inclusion`: nanoseconds for the candidates,
                    nanoseconds for the rest, the number of candidates, the step
"""

import sys
import time

import ipctk
import numpy

BROAD_PHASES = ["LBVH", "BVH", "SweepAndPrune", "SpatialHash", "HashGrid"]
NARROW_PHASES = {"additive": ipctk.AdditiveCCD, "inclusion": ipctk.TightInclusionCCD}


class Scene:
    def load(self, path):
        with open(path, "rb") as file:
            points, triangles = (int(count) for count in numpy.fromfile(file, "<u8", 2))
            self.start = numpy.fromfile(file, "<f8", 3 * points).reshape(-1, 3)
            self.end = numpy.fromfile(file, "<f8", 3 * points).reshape(-1, 3)
            faces = numpy.fromfile(file, "<u4", 3 * triangles).reshape(-1, 3).astype(numpy.int32)
        self.mesh = ipctk.CollisionMesh(self.start, ipctk.edges(faces), faces)
        found = {}
        for name in BROAD_PHASES:
            if hasattr(ipctk, name):
                self.broad_phase = getattr(ipctk, name)
                self.candidates()  # warm
                found[name] = self.candidates()[1]
        fastest = min(found, key=found.get)
        self.broad_phase = getattr(ipctk, fastest)
        return fastest

    def candidates(self):
        candidates = ipctk.Candidates()
        begun = time.perf_counter_ns()
        candidates.build(self.mesh, self.start, self.end, broad_phase=self.broad_phase())
        return candidates, time.perf_counter_ns() - begun

    def step(self, kind):
        narrow_phase = NARROW_PHASES[kind]()
        candidates, broad = self.candidates()
        begun = time.perf_counter_ns()
        first = candidates.compute_collision_free_stepsize(
            self.mesh, self.start, self.end, narrow_phase_ccd=narrow_phase
        )
        narrow = time.perf_counter_ns() - begun
        return f"{broad} {narrow} {len(candidates)} {first!r}"


def answer(scene, line):
    kind, _, rest = line.partition(" ")
    if kind == "threads":
        ipctk.set_num_threads(int(rest))
        return "ok"
    if kind == "load":
        return scene.load(rest)
    return scene.step(rest)


def main():
    ipctk.set_logger_level(ipctk.off)
    print(ipctk.__version__, flush=True)
    scene = Scene()
    for line in sys.stdin:
        try:
            said = answer(scene, line.rstrip("\n"))
        except Exception as problem:
            said = "! " + " ".join(repr(problem).split())
        print(said, flush=True)


if __name__ == "__main__":
    main()
