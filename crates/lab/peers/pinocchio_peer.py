"""Robots with Pinocchio and coal: pinocchio_peer.py

Reads a question from each line of its input and answers with a line, or with `!` and what went wrong. The first line it
writes is the version of Pinocchio.

    load PATH        JSON: `urdf`, whose meshes have full paths; `disabled`, pairs of links; `variables`, names of joints; `configurations`.
                     Answers with JSON: for each pair that is left the names of its links.
    collide A B      configurations A to before B, each until the first pair meets: nanoseconds in all, and a 1 or a 0 for each
    distances A B    the distance of every pair in each: nanoseconds in all
    values A         the distances of configuration A as JSON, in the order of the pairs

The clock is about the calls alone, one for each configuration: `computeCollisions` and `computeDistances`, which also place the
links. What the way from Python costs is a microsecond or two.
"""

import json
import sys
import time

import numpy
import pinocchio


class Scene:
    def load(self, path):
        with open(path) as file:
            job = json.load(file)
        self.model = pinocchio.buildModelFromUrdf(job["urdf"])
        self.geometry = pinocchio.buildGeomFromUrdf(self.model, job["urdf"], pinocchio.GeometryType.COLLISION)
        self.geometry.addAllCollisionPairs()
        disabled = {frozenset(pair) for pair in job["disabled"]}
        self.links = [self.model.frames[body.parentFrame].name for body in self.geometry.geometryObjects]
        # As numbers: the pairs themselves are views into a list that shrinks.
        for first, second in [(pair.first, pair.second) for pair in self.geometry.collisionPairs]:
            names = frozenset((self.links[first], self.links[second]))
            if len(names) == 1 or names in disabled:
                self.geometry.removeCollisionPair(pinocchio.CollisionPair(first, second))
        self.data = self.model.createData()
        self.geometry_data = pinocchio.GeometryData(self.geometry)
        order = [self.model.idx_qs[self.model.getJointId(name)] for name in job["variables"]]
        if sorted(order) != list(range(self.model.nq)):
            raise ValueError("joints of several numbers, or joints that are missing")
        self.configurations = []
        for values in job["configurations"]:
            q = numpy.zeros(self.model.nq)
            q[order] = values
            self.configurations.append(q)
        return json.dumps([[self.links[pair.first], self.links[pair.second]] for pair in self.geometry.collisionPairs])

    def arguments(self):
        return self.model, self.data, self.geometry, self.geometry_data

    def collide(self, begin, end):
        arguments, compute = self.arguments(), pinocchio.computeCollisions
        asked, answers = self.configurations[begin:end], []
        begun = time.perf_counter_ns()
        for q in asked:
            answers.append(compute(*arguments, q, True))
        spent = time.perf_counter_ns() - begun
        return f"{spent} " + "".join("1" if answer else "0" for answer in answers)

    def distances(self, begin, end):
        arguments, compute = self.arguments(), pinocchio.computeDistances
        asked = self.configurations[begin:end]
        begun = time.perf_counter_ns()
        for q in asked:
            compute(*arguments, q)
        return str(time.perf_counter_ns() - begun)

    def values(self, number):
        pinocchio.computeDistances(*self.arguments(), self.configurations[number])
        return json.dumps([result.min_distance for result in self.geometry_data.distanceResults])


def answer(scene, line):
    kind, _, rest = line.partition(" ")
    if kind == "load":
        return scene.load(rest)
    return getattr(scene, kind)(*(int(word) for word in rest.split()))


def main():
    print(pinocchio.__version__, flush=True)
    scene = Scene()
    for line in sys.stdin:
        try:
            said = answer(scene, line.rstrip("\n"))
        except Exception as problem:
            said = "! " + " ".join(repr(problem).split())
        print(said, flush=True)


if __name__ == "__main__":
    main()
