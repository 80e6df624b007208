"""The part of the race about collision managers: `clearance.trimesh.CollisionManager` against that of trimesh.

Both get the same objects, at poses that single precision holds, since trimesh rounds them to it, and the same calls.
Answers are held against distances and depths of pairs, which `verify` proved.

Ours keeps what it found out about objects that have not moved. So every question about a manager is asked in three
ways: where nothing has moved since the last call; after one object moved, another one each time; and after all moved.
The time of such a call includes the moves. A single mesh has another pose in each call.
"""

import itertools

import numpy as np

import models
from race import timed_turns

MOVING = 8
"""How many objects of a scene take turns in being the one that moves."""

PLACES = 4
"""How many poses a single mesh has in turn."""


def scene(meshes, count, spacing, seed):
    """Objects on a grid, each turned and a little out of place: (name, mesh, poses), of which the second is moved."""
    side = int(np.ceil(count ** (1 / 3)))
    places = np.array(list(itertools.product(range(side), repeat=3)))[:count] * spacing
    variants = []
    for k in (0, 1):
        poses = models.poses(count, 0.02 * spacing, 0.1 * spacing, 10 * seed + k)
        poses[:, :3, 3] += places
        poses[:, :3, :] = poses[:, :3, :].astype(np.float32)
        variants.append(poses)
    return [(f"object {k}", meshes[k % len(meshes)], poses) for k, poses in enumerate(zip(*variants, strict=True))]


class Truth:
    """What is proved about pairs of bodies: (mesh, pose), and two lists of their numbers."""

    def __init__(self, clearance, proved, bodies, pairs):
        made = {}
        for mesh, _ in bodies:
            if id(mesh) not in made:
                made[id(mesh)] = clearance.Hull(mesh.vertices) if mesh.is_convex else clearance.Mesh(mesh)
        shapes, poses = [made[id(mesh)] for mesh, _ in bodies], np.array([pose for _, pose in bodies])
        answers = clearance.distance_pair_batch(shapes, np.array(pairs), poses)
        self.wrong = sum(not proved(answer) for answer in answers)
        self.lower, self.upper = (np.full((len(bodies), len(bodies)), np.nan) for _ in range(2))
        for place, (i, j) in enumerate(pairs):
            lower, upper = answers.lower[place], answers.upper[place]
            if answers.value[place] == 0 and bodies[i][0].is_convex and bodies[j][0].is_convex:
                deep = clearance.penetration(shapes[i], shapes[j], poses[i], poses[j])
                self.wrong += not proved(deep)
                lower, upper = -deep.upper, -deep.lower
            elif answers.value[place] == 0:
                lower = upper = 0.0
            self.lower[i, j] = self.lower[j, i] = lower
            self.upper[i, j] = self.upper[j, i] = upper

    def of(self, rows, columns=None):
        """The brackets of bodies against others, or against each other: a matrix with infinity where there is no pair."""
        numbers = np.ix_(rows, rows if columns is None else columns)
        lower, upper = self.lower[numbers].copy(), self.upper[numbers].copy()
        if columns is None:
            for matrix in (lower, upper):
                np.fill_diagonal(matrix, np.inf)
        assert not np.isnan(lower).any()
        return lower, upper


class Side:
    """The managers of one side, and which of its two poses each object has."""

    def __init__(self, kind, objects, others):
        self.own, self.its = kind(), kind()
        for name, mesh, poses in objects:
            self.own.add_object(name, mesh, poses[0])
        for name, mesh, poses in others:
            self.its.add_object(f"other {name}", mesh, poses[0])
        self.objects, self.variants = objects, np.zeros(len(objects), dtype=int)
        moving = np.linspace(0, len(objects) - 1, MOVING).astype(int)
        self.steps = [(objects[place][0], objects[place][2][to], place, to) for to in (1, 0) for place in moving]
        self.turn, self.last = 0, 0

    def move_one(self):
        name, pose, self.last, to = self.steps[self.turn]
        self.turn = (self.turn + 1) % len(self.steps)
        self.own.set_transform(name, pose)
        self.variants[self.last] = to
        return name

    def move_all(self, to=None):
        to = 1 - self.variants[0] if to is None else to
        for name, _, poses in self.objects:
            self.own.set_transform(name, poses[to])
        self.variants[:] = to

    def reset(self):
        self.turn = 0
        self.move_all(0)


class Judge:
    """Whether answers are right about the state that a side is in. Bodies: two for each object, then the others."""

    def __init__(self, truth, objects, others):
        self.truth, self.names = truth, [name for name, _, _ in objects]
        self.other_names = [f"other {name}" for name, _, _ in others]

    def brackets(self, side, across):
        own = 2 * np.arange(len(self.names)) + side.variants
        others = 2 * len(self.names) + np.arange(len(self.other_names))
        return self.truth.of(own, others if across else None)

    def meeting(self, side, across):
        found = np.argwhere(self.brackets(side, across)[1] <= 0)
        names = self.other_names if across else self.names
        return {frozenset((self.names[i], names[j])) for i, j in found}

    def collide(self, across=False):
        return lambda side, answer, room: answer is bool(self.meeting(side, across))

    def pairs(self, across=False, data=False):
        def judge(side, answer, room):
            expected = self.meeting(side, across)
            names = {frozenset(pair) for pair in answer[1]} == expected
            data_agrees = not data or {frozenset(it.names) for it in answer[2]} == expected
            return answer[0] is bool(expected) and names and data_agrees

        return judge

    def nearest(self, across=False, of_last=False):
        def judge(side, answer, room):
            lower, upper = self.brackets(side, across)
            if of_last:
                lower, upper = lower[side.last], upper[side.last]
            value = answer[0] if isinstance(answer, tuple) else answer
            return lower.min() - room <= value <= upper.min() + room

        return judge


class Single:
    """A mesh that is not in a manager: another pose in each call, and what is true of it there."""

    def __init__(self, clearance, proved, mesh, objects, poses):
        self.mesh, self.poses, self.names = mesh, poses, [name for name, _, _ in objects]
        bodies = [(mesh, poses[0]) for _, mesh, poses in objects] + [(mesh, pose) for pose in poses]
        count = len(objects)
        pairs = [(i, count + k) for k in range(len(poses)) for i in range(count)]
        self.truth, self.count = Truth(clearance, proved, bodies, pairs), count
        self.turns = {}

    def next_pose(self, side):
        turn = self.turns[id(side)] = (self.turns.get(id(side), -1) + 1) % len(self.poses)
        return self.poses[turn]

    def brackets(self, side):
        lower, upper = self.truth.of(np.arange(self.count), [self.count + self.turns[id(side)]])
        return lower[:, 0], upper[:, 0]

    def judge(self, data):
        def judge(side, answer, room):
            expected = {self.names[i] for i in np.flatnonzero(self.brackets(side)[1] <= 0)}
            if not data:
                return answer is bool(expected)
            found = {name for it in answer[2] for name in it.names} - {"__external"}
            return answer[0] is bool(expected) and answer[1] == expected == found

        return judge

    def judge_distance(self, side, answer, room):
        lower, upper = self.brackets(side)
        value = answer[0] if isinstance(answer, tuple) else answer
        return lower.min() - room <= value <= upper.min() + room


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
    for words, meshes, count, spacing in scenes:
        rows_of_scene(race, checks, peer, words, meshes, count // 4 if quick else count, spacing)


def rows_of_scene(race, checks, peer, words, meshes, count, spacing):
    import clearance
    import clearance.trimesh

    objects, others = (scene(meshes, many, spacing, seed) for many, seed in ((count, 1), (27, 2)))
    # The other manager stands half a cell off, so that boxes overlap and few objects do.
    for _, _, poses in others:
        poses[0][:3, 3] += np.float32(spacing / 2)
    kinds = (clearance.trimesh.CollisionManager, peer.library.collision.CollisionManager)
    sides = [Side(kind, objects, others) for kind in kinds]

    # Which states occur: all objects at their first poses or all at their second, and some at the second.
    moving = {place for _, _, place, _ in sides[0].steps}
    bodies = [(mesh, pose) for _, mesh, poses in objects for pose in poses]
    bodies += [(mesh, poses[0]) for _, mesh, poses in others]
    pairs = [(2 * i + k, 2 * j + k) for i, j in itertools.combinations(range(count), 2) for k in (0, 1)]
    pairs += [(2 * i + 1, 2 * j) for i in moving for j in range(count) if i != j]
    pairs += list(itertools.product(range(2 * count), range(2 * count, len(bodies))))
    truth = Truth(clearance, checks.proved, bodies, pairs)
    race.wrong_truth(truth.wrong)
    true = Judge(truth, objects, others)

    def rows(question, call, judge):
        for side in sides:
            side.reset()
        asks = [lambda side=side: call(side) for side in sides]
        times, answers = timed_turns(asks, 5 if race.quick else 41)
        wrong = int(not judge(sides[0], answers[0], 0.0))
        differs = int(not judge(sides[1], answers[1], peer.tolerance))
        case, found = f"manager, {words}: {question}", ([0], [0])
        race.row(case, peer, np.array([times]) / 1e3, 1, lambda *_: (wrong, differs, 1), found)

    for at, offset in (("near", 1.5), ("far", -3.0)):
        poses = []
        for k in range(PLACES):
            pose = np.eye(4)
            pose[:3, 3] = np.float32((offset + 0.03 * k) * spacing)
            poses.append(pose)
        single = Single(clearance, checks.proved, meshes[0], objects, poses)
        race.wrong_truth(single.truth.wrong)
        for data in (False, True):
            more = (True, True) if data else ()
            said = ", data" if data else ""
            rows(
                f"in_collision_single, {at}{said}",
                lambda side, it=single, more=more: side.own.in_collision_single(it.mesh, it.next_pose(side), *more),
                single.judge(data),
            )
            rows(
                f"min_distance_single, {at}{said}",
                lambda side, it=single, more=more: side.own.min_distance_single(it.mesh, it.next_pose(side), *more),
                single.judge_distance,
            )

    questions = [
        ("in_collision_internal", lambda side: side.own.in_collision_internal(), true.collide()),
        ("in_collision_internal, names", lambda side: side.own.in_collision_internal(True), true.pairs()),
        (
            "in_collision_internal, data",
            lambda side: side.own.in_collision_internal(True, True),
            true.pairs(data=True),
        ),
        ("in_collision_other", lambda side: side.own.in_collision_other(side.its), true.collide(True)),
        ("in_collision_other, names", lambda side: side.own.in_collision_other(side.its, True), true.pairs(True)),
        ("min_distance_internal", lambda side: side.own.min_distance_internal(), true.nearest()),
        (
            "min_distance_internal, data",
            lambda side: side.own.min_distance_internal(None, True, True),
            true.nearest(),
        ),
        (
            "min_distance_internal, one by name",
            lambda side: side.own.min_distance_internal(side.objects[side.last][0]),
            true.nearest(of_last=True),
        ),
        ("min_distance_other", lambda side: side.own.min_distance_other(side.its), true.nearest(True)),
    ]
    for question, call, judge in questions:
        rows(f"{question}, nothing moved", call, judge)
        rows(f"move one, {question}", lambda side, call=call: (side.move_one(), call(side))[1], judge)
        rows(f"move all, {question}", lambda side, call=call: (side.move_all(), call(side))[1], judge)

    rows("set_transform", lambda side: side.move_one(), lambda side, answer, room: answer == objects[side.last][0])
    far = poses[-1]

    def comes_and_goes(side):
        side.own.add_object("more", meshes[0], far)
        side.own.remove_object("more")

    rows("add_object and remove_object", comes_and_goes, lambda side, answer, room: answer is None)
