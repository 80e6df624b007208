"""Asks coal the questions of a job file and writes its answers, each with the time it took.

Called as: coal_peer.py VOLUMES JOB ANSWERS

Meshes are BVHModel with these volumes: OBBRSS, which serve both contact and distance, or OBB. The way from Python into
coal is part of every time; what it costs is measured by a question between two spheres far apart, which passes the same
arguments and has next to nothing to compute.
"""

import sys

import coal
import numpy
import wire

FIRST_CONTACT, ALL_CONTACTS, DISTANCE = 0, 1, 2


def build(volumes, points, triangles):
    mesh = getattr(coal, "BVHModel" + volumes)()
    mesh.beginModel(len(triangles), len(points))
    mesh.addVertices(points)
    mesh.addTriangles(triangles)
    if mesh.endModel() != 0:
        raise ValueError("coal refuses a mesh")
    return mesh


def asker(a, pose_a, b, pose_b, question):
    """A function without arguments that asks the question and gives the answer as a number."""
    if question == DISTANCE:
        request, result = coal.DistanceRequest(), coal.DistanceResult()

        def ask():
            result.clear()
            return coal.distance(a, pose_a, b, pose_b, request, result)

        return ask
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.enable_contact = False
    request.num_max_contacts = 1 if question == FIRST_CONTACT else 2**62

    def ask():
        result.clear()
        return coal.collide(a, pose_a, b, pose_b, request, result)

    return ask


def main(volumes, job_path, answers_path):
    job = wire.Job(job_path, b"CLRJOB01")
    repeats = job.whole()
    meshes, builds = [], []
    for _ in range(job.whole()):
        points, triangles = job.mesh()
        points, triangles = numpy.ascontiguousarray(points), triangles.astype(numpy.int64)
        [(mesh, nanoseconds, _)] = wire.timed(repeats, [lambda: build(volumes, points, triangles)])
        meshes.append(mesh)
        builds.append(nanoseconds)

    sphere, far = coal.Sphere(1.0), coal.Transform3s(numpy.eye(3), numpy.array([1000.0, 0.0, 0.0]))
    empty = asker(sphere, coal.Transform3s(), sphere, far, FIRST_CONTACT)
    [(_, empty_call, _)] = wire.timed(101, [empty])

    answers = wire.Answers(b"CLRANS01", coal.__version__)
    answers.numbers(empty_call)
    answers.whole(len(builds))
    answers.numbers(*builds)
    questions, asks = [], []
    for _ in range(job.whole()):
        a, b, question = (int(number) for number in job.array("<u4", 3))
        poses = []
        for _ in range(2):
            rotation, translation = job.array("<f8", 3, 3), job.array("<f8", 3)
            poses.append(coal.Transform3s(numpy.array(rotation), numpy.array(translation)))
        questions.append(question)
        asks.append(asker(meshes[a], poses[0], meshes[b], poses[1], question))
    answers.whole(len(asks))
    for question, (answer, nanoseconds, least) in zip(questions, wire.timed(repeats, asks)):
        answers.numbers(nanoseconds, least, float(min(answer, 1) if question == FIRST_CONTACT else answer))
    answers.write(answers_path)


if __name__ == "__main__":
    main(*sys.argv[1:])
