"""Steps of deforming meshes with the IPC Toolkit: ipctk_peer.py

Reads a question from each line of its input and answers with a line, or with `!` and what went wrong. The first line it
writes is the version of ipctk.

    threads N       on so many threads from now on; answers `ok`
    load PATH       a mesh at both ends of a step: two 64-bit counts, of points and of triangles, the points at the start and at
                    the end as doubles, the triangles as 32-bit numbers. Answers with the name of the broad phase that was
                    fastest on it.
    step KIND       the largest step without a collision, KIND `additive` or `inclusion`: nanoseconds for the candidates,
                    nanoseconds for the rest, the number of candidates, the step
    queries KIND TOLERANCE MOST PATH
                    single pairs by tight inclusion, KIND `vertex-face` or `edge-edge`: for each 24 doubles, four corners at the
                    start and at the end. MOST is the limit on its iterations, and it is not asked to keep a distance. Answers with
                    nanoseconds for all calls, nanoseconds for as many calls that do next to nothing, a 0 or 1 for each
                    pair, and the nanoseconds of each call with commas between them.
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


def queries(kind, tolerance, most, path):
    pairs = numpy.fromfile(path, "<f8").reshape(-1, 8, 3)
    solver = ipctk.TightInclusionCCD(float(tolerance), int(most), 1.0)
    ask = solver.point_triangle_ccd if kind == "vertex-face" else solver.edge_edge_ccd
    found, times = [], []
    for corners in pairs:
        begun = time.perf_counter_ns()
        found.append(ask(*corners)[0])
        times.append(time.perf_counter_ns() - begun)
    taken = sum(times)
    # Far apart, and without motion.
    empty = numpy.array([[9.0, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0]] * 2)
    begun = time.perf_counter_ns()
    for _ in pairs:
        ask(*empty)
    calls = time.perf_counter_ns() - begun
    letters = "".join("1" if touches else "0" for touches in found)
    return f"{taken} {calls} {letters} {','.join(map(str, times))}"


def answer(scene, line):
    kind, _, rest = line.partition(" ")
    if kind == "threads":
        ipctk.set_num_threads(int(rest))
        return "ok"
    if kind == "load":
        return scene.load(rest)
    if kind == "queries":
        return queries(*rest.split(" ", 3))
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
