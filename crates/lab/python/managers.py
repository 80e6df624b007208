"""The part of the race about collision managers: `clearance.trimesh.CollisionManager` against that of trimesh.

Both get the same objects, at poses that single precision holds, since trimesh rounds them to it, and the same calls.
Answers are held against distances and depths of all pairs, which `verify` proved.
"""

import itertools
from functools import partial

import numpy as np

import models
from race import timed_turns


def scene(trimesh, meshes, count, spacing, seed):
    """Objects on a grid, each turned and a little out of place: (name, mesh, pose)."""
    side = int(np.ceil(count ** (1 / 3)))
    places = np.array(list(itertools.product(range(side), repeat=3)))[:count] * spacing
    poses = models.poses(count, 0.02 * spacing, 0.1 * spacing, seed)
    poses[:, :3, 3] += places
    poses[:, :3, :] = poses[:, :3, :].astype(np.float32)
    return [(f"object {k}", meshes[k % len(meshes)], pose) for k, pose in enumerate(poses)]


class Truth:
    """What is proved about every pair of two lists of objects, or of one list."""

    def __init__(self, clearance, proved, objects, others=None):
        self.names = []
        both = [*objects, *(others or [])]
        made = {}
        for _, mesh, _ in both:
            if id(mesh) not in made:
                made[id(mesh)] = clearance.Hull(mesh.vertices) if mesh.is_convex else clearance.Mesh(mesh)
        shapes = [made[id(mesh)] for _, mesh, _ in both]
        poses = np.array([pose for _, _, pose in both])
        if others is None:
            pairs = list(itertools.combinations(range(len(objects)), 2))
        else:
            pairs = list(itertools.product(range(len(objects)), range(len(objects), len(both))))
        answers = clearance.distance_pair_batch(shapes, np.array(pairs), poses)
        self.wrong = sum(not proved(answer) for answer in answers)
        lower, upper = answers.lower.copy(), answers.upper.copy()
        self.meeting = set()
        for place in np.flatnonzero(answers.value == 0):
            i, j = pairs[place]
            self.meeting.add((both[i][0], both[j][0]))
            if both[i][1].is_convex and both[j][1].is_convex:
                deep = clearance.penetration(shapes[i], shapes[j], poses[i], poses[j])
                self.wrong += not proved(deep)
                lower[place], upper[place] = -deep.upper, -deep.lower
        self.pairs = [(both[i][0], both[j][0]) for i, j in pairs]
        self.lower, self.upper = lower, upper

    def near(self, name=None):
        """The bracket of the least distance, of one object if it is named."""
        of = [name is None or name in pair for pair in self.pairs]
        return self.lower[of].min(), self.upper[of].min()


def judge_bool(truth):
    return lambda answer: answer is bool(truth.meeting)


def judge_pairs(truth, data=False):
    """Of an answer with names, and with data if there are any."""
    expected = {frozenset(pair) for pair in truth.meeting}

    def judge(answer):
        names = {frozenset(pair) for pair in answer[1]} == expected
        data_agrees = not data or {frozenset(it.names) for it in answer[2]} == expected
        return answer[0] is bool(expected) and names and data_agrees

    return judge


def judge_singles(truth, data=False):
    expected = {pair[0] for pair in truth.meeting}

    def judge(answer):
        data_agrees = not data or {name for it in answer[2] for name in it.names} - {"__external"} == expected
        return answer[0] is bool(expected) and answer[1] == expected and data_agrees

    return judge


def judge_distance(truth, name=None):
    lower, upper = truth.near(name)

    def judge(answer, room=0.0):
        value = answer[0] if isinstance(answer, tuple) else answer
        return lower - room <= value <= upper + room

    return judge


def managers(race, checks):
    """The rows: a scene for each kind of objects, a row for each method and what it is asked for."""
    import clearance
    import clearance.trimesh

    peer = next((peer for peer in race.peers if peer.name == "trimesh"), None)
    if peer is None:
        return
    trimesh, quick = peer.library, race.quick
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    ring = trimesh.creation.torus(0.5, 0.2, major_sections=16, minor_sections=8)
    ball = trimesh.creation.icosphere(1, 0.5)
    scenes = [
        ("200 boxes apart", [box], 200, 2.4),
        ("200 boxes, some collide", [box], 200, 1.4),
        ("100 rings apart", [ring], 100, 1.8),
        ("100 boxes, balls and rings, some collide", [box, ball, ring], 100, 1.2),
    ]
    kinds = (trimesh.collision.CollisionManager, clearance.trimesh.CollisionManager)
    for words, meshes, count, spacing in scenes:
        count = count // 4 if quick else count
        objects, others = (scene(trimesh, meshes, many, spacing, seed) for many, seed in ((count, 1), (27, 2)))
        # The other manager stands half a cell off, so that boxes overlap and few objects do.
        for _, _, pose in others:
            pose[:3, 3] += np.float32(spacing / 2)
        near, far = np.eye(4), np.eye(4)
        near[:3, 3], far[:3, 3] = np.float32(1.5 * spacing), np.float32(-3.0 * spacing)
        moved = objects[7][0]
        poses = [objects[7][2], objects[7][2].copy()]
        poses[1][:3, 3] += np.float32(0.05 * spacing)
        states = [[(n, m, pose if n == moved else p) for n, m, p in objects] for pose in poses]
        of = [Truth(clearance, checks.proved, state) for state in states]
        named = [(f"other {n}", m, p) for n, m, p in others]
        across = [Truth(clearance, checks.proved, state, named) for state in states]
        other = across[0]
        single = {
            pose_words: Truth(clearance, checks.proved, objects, [("__external", meshes[0], pose)])
            for pose_words, pose in (("near", near), ("far", far))
        }
        sides = []
        for kind in reversed(kinds):
            own, its = kind(), kind()
            for name, mesh, pose in objects:
                own.add_object(name, mesh, pose)
            for name, mesh, pose in others:
                its.add_object(f"other {name}", mesh, pose)
            sides.append((own, its))

        def rows(question, call, judge, distance=False, words=words, sides=sides):
            repeats = 5 if quick else 41
            times, answers = timed_turns([partial(call, *side) for side in sides], repeats)
            wrong = int(not judge(answers[0]))
            differs = int(not (judge(answers[1], peer.tolerance) if distance else judge(answers[1])))
            race.row(
                f"manager, {words}: {question}",
                peer,
                np.array([times]) / 1e3,
                1,
                lambda *_: (wrong, differs, 1),
                ([0], [0]),
            )

        race.wrong_truth(sum(it.wrong for it in [*of, *across]) + sum(it.wrong for it in single.values()))
        rows("in_collision_internal", lambda own, _: own.in_collision_internal(), judge_bool(of[0]))
        rows("in_collision_internal, names", lambda own, _: own.in_collision_internal(True), judge_pairs(of[0]))
        rows(
            "in_collision_internal, data",
            lambda own, _: own.in_collision_internal(True, True),
            judge_pairs(of[0], True),
        )
        for at, pose in (("near", near), ("far", far)):
            mesh, truth = meshes[0], single[at]
            rows(
                f"in_collision_single, {at}",
                lambda own, _, m=mesh, p=pose: own.in_collision_single(m, p),
                judge_bool(truth),
            )
            rows(
                f"in_collision_single, {at}, data",
                lambda own, _, m=mesh, p=pose: own.in_collision_single(m, p, True, True),
                judge_singles(truth, True),
            )
            rows(
                f"min_distance_single, {at}",
                lambda own, _, m=mesh, p=pose: own.min_distance_single(m, p),
                judge_distance(truth),
                True,
            )
            rows(
                f"min_distance_single, {at}, data",
                lambda own, _, m=mesh, p=pose: own.min_distance_single(m, p, True, True),
                judge_distance(truth),
                True,
            )
        rows("in_collision_other", lambda own, its: own.in_collision_other(its), judge_bool(other))
        rows("in_collision_other, names", lambda own, its: own.in_collision_other(its, True), judge_pairs(other))
        rows("min_distance_other", lambda own, its: own.min_distance_other(its), judge_distance(other), True)
        rows("min_distance_internal", lambda own, _: own.min_distance_internal(), judge_distance(of[0]), True)
        rows(
            "min_distance_internal, one by name",
            lambda own, _, name=moved: own.min_distance_internal(name),
            judge_distance(of[0], moved),
            True,
        )
        rows(
            "min_distance_internal, data",
            lambda own, _: own.min_distance_internal(None, True, True),
            judge_distance(of[0]),
            True,
        )
        turns = {id(own): itertools.cycle([1, 0]) for own, _ in sides}

        def move(own, _, turns=turns, moved=moved, poses=poses):
            state = next(turns[id(own)])
            own.set_transform(moved, poses[state])
            return state

        rows("set_transform", move, lambda answer: answer in (0, 1))
        rows(
            "move one, in_collision_internal",
            lambda own, its, move=move: (move(own, its), own.in_collision_internal()),
            lambda answer, of=of: judge_bool(of[answer[0]])(answer[1]),
        )
        rows(
            "move one, min_distance_internal",
            lambda own, its, move=move: (move(own, its), own.min_distance_internal()),
            lambda answer, room=0.0, of=of: judge_distance(of[answer[0]])(answer[1], room),
            True,
        )

        # After a move nothing that was kept about the other manager or this object holds any more.
        rows(
            "move one, in_collision_other",
            lambda own, its, move=move: (move(own, its), own.in_collision_other(its)),
            lambda answer, across=across: judge_bool(across[answer[0]])(answer[1]),
        )
        rows(
            "move one, in_collision_other, names",
            lambda own, its, move=move: (move(own, its), own.in_collision_other(its, True)),
            lambda answer, across=across: judge_pairs(across[answer[0]])(answer[1]),
        )
        rows(
            "move one, min_distance_other",
            lambda own, its, move=move: (move(own, its), own.min_distance_other(its)),
            lambda answer, room=0.0, across=across: judge_distance(across[answer[0]])(answer[1], room),
            True,
        )
        rows(
            "move one, min_distance_internal, one by name",
            lambda own, its, move=move, name=moved: (move(own, its), own.min_distance_internal(name)),
            lambda answer, room=0.0, of=of, name=moved: judge_distance(of[answer[0]], name)(answer[1], room),
            True,
        )

        def comes_and_goes(own, _, mesh=meshes[0], far=far):
            own.add_object("more", mesh, far)
            own.remove_object("more")

        rows("add_object and remove_object", comes_and_goes, lambda answer: answer is None)
