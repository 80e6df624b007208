#!/usr/bin/env python3
"""Races the Python package against what Python users have today: coal, python-fcl, trimesh, MuJoCo, Bullet.

    python3 crates/lab/python/race.py [--quick] [--json | --markdown]

is the one command. It makes a virtual environment in `target/lab/race`, installs the pinned peers (each download tried
three times; a peer that cannot be installed is left out, with a message) and builds and installs `clearance`. Then all
sides get the same bodies, poses, rays and points in the same run, turn by turn. `ours` and `theirs` are medians in
microseconds for one query; `ratio` is theirs / ours, the median of the ratios of single queries, and `worst_ratio`
the least of them. The way from Python into a library is part of every time; what it costs is in `empty_call`: a
query about two balls far apart. Single queries run on one thread; batches of ours on one thread and on all cores.

Answers are compared. `wrong` counts answers of ours that `verify` refuses, and answers of ours that contradict those.
`differs` counts queries in which the peer's answer is outside of our proved bracket by more than the accuracy that
the peer has by its own account, which the row names. The exit code is 1 if anything is wrong.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from environment import provenance, say, set_up


def run_part(python, part, quick, threads):
    """The rows of a part, from a process of its own with so many threads (0: all)."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if threads:
        environment["RAYON_NUM_THREADS"] = str(threads)
    command = [python, __file__, "--part", part, *(["--quick"] if quick else [])]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"race: the part {part} failed")
    # A library may print on its own account; ours is the last line.
    return json.loads(done.stdout.strip().splitlines()[-1])


# The race, in the environment.


def timed_turns(sides, repeats):
    """Medians of the nanoseconds of functions, asked turn by turn, and the last answer of each."""
    clock = time.perf_counter_ns
    spent, answers = [[] for _ in sides], [None] * len(sides)
    for _ in range(repeats):
        for side, ask in enumerate(sides):
            begun = clock()
            answers[side] = ask()
            spent[side].append(clock() - begun)
    return [statistics.median(times) for times in spent], answers


class Race:
    """The rows so far, and how a row is made."""

    def __init__(self, quick):
        import peers

        self.peers_module = peers
        self.quick = quick
        self.rows = []
        self.refused = 0
        self.ours = peers.Clearance()
        self.peers = []
        for peer in peers.PEERS:
            try:
                self.peers.append(peer())
            except ImportError as problem:
                say(f"{peer.name} is not there: {problem}")
        self.empty = {side.name: self.empty_call(side) for side in [self.ours, *self.peers]}

    @staticmethod
    def empty_call(side):
        ask = side.empty()
        return timed_turns([ask], 300)[0][0] / 1e3

    def singles(self, case, question, arguments, repeats, check):
        """A row for each peer: many queries, one call each."""
        import numpy as np

        for peer in (peer for peer in self.peers if hasattr(peer, question)):
            ours = getattr(self.ours, question)(*arguments)
            theirs = getattr(peer, question)(*arguments)
            times, answers = [], ([], [])
            for pair in zip(ours, theirs, strict=True):
                median, answer = timed_turns(pair, repeats)
                times.append(median)
                for kept, said in zip(answers, answer, strict=True):
                    kept.append(said)
            times = np.array(times) / 1e3
            self.row(case, peer, times, 1, check, answers)

    def batch(self, case, question, arguments, repeats, check, count):
        """A row for each peer: many queries in one call, or in a loop where the library has no batches."""
        import numpy as np

        for peer in self.peers:
            sides = [self.peers_module.batch(side, question, arguments) for side in (self.ours, peer)]
            if sides[1] is None:
                continue
            rounds, answers = [], None
            for _ in range(repeats):
                median, answers = timed_turns(sides, 1)
                rounds.append(median)
            times = np.array(rounds) / 1e3 / count
            self.row(case, peer, times, count, check, answers)

    def wrong_truth(self, count):
        """Notes answers that rows are held against and `verify` refuses."""
        self.refused += count

    def row(self, case, peer, times, count, check, answers):
        import numpy as np

        wrong, differs, cases = check(peer, np.asarray(answers[0]), np.asarray(answers[1]))
        ratios = times[:, 1] / times[:, 0]
        threads = int(os.environ.get("RAYON_NUM_THREADS", 0)) or os.cpu_count()
        self.rows.append(
            {
                "case": case,
                "ours": round(float(np.median(times[:, 0])), 4),
                "unit": "us",
                "peer": f"{peer.name} {self.peers_module.version(peer.package)}",
                "theirs": round(float(np.median(times[:, 1])), 4),
                "ratio": round(float(np.median(ratios)), 3),
                "worst_ratio": round(float(ratios.min()), 3),
                "wrong": wrong,
                "differs": differs,
                "peer_accuracy": peer.tolerance,
                "cases": cases,
                "questions_per_call": count,
                "threads": threads,
                "empty_call_ours": round(self.empty["clearance"], 3),
                "empty_call_theirs": round(self.empty[peer.name], 3),
            }
        )
        say(f"{case}, {peer.name}: {self.rows[-1]['ratio']}")


class Checks:
    """Compares answers with proved ones. Proofs are made once for a set of queries."""

    def __init__(self):
        import clearance

        self.clearance = clearance

    def meetings(self, a, b, poses):
        """Whether bodies meet: against distances whose proofs hold, a common point or a gap between planes."""
        answers = self.clearance.distance_batch(a, b, poses)
        refused = sum(not self.proved(answer) for answer in answers)
        meet = answers.value == 0

        def check(_, ours, theirs):
            return refused + int((ours != meet).sum()), int((theirs != meet).sum()), len(ours)

        return check

    def distances(self, a, b, poses):
        answers = self.clearance.distance_batch(a, b, poses)
        return self.brackets(answers)

    def brackets(self, answers):
        """Values: ours against the brackets that `verify` proved, theirs against the same with their accuracy."""
        import numpy as np

        refused = sum(not self.proved(answer) for answer in answers if answer is not None)
        lower, upper, hit = answers.lower, answers.upper, np.isfinite(answers.value)

        def check(peer, ours, theirs):
            with np.errstate(invalid="ignore"):
                outside = hit & ~((lower <= ours) & (ours <= upper))
                off = hit & ~((lower - peer.tolerance <= theirs) & (theirs <= upper + peer.tolerance))
            wrong = refused + int(outside.sum()) + int((np.isfinite(ours) != hit).sum())
            return wrong, int((off | (np.isfinite(theirs) != hit)).sum()), len(ours)

        return check

    def insides(self, mesh, points):
        """Which points are inside: ours against the proved signed distance."""
        import numpy as np

        signed = self.clearance.signed_distance_batch(mesh, points)
        refused = sum(not self.proved(answer) for answer in signed)

        def check(_, ours, theirs):
            wrong = refused + int((ours & (signed.lower > 0)).sum()) + int((~ours & (signed.upper < 0)).sum())
            return wrong, int((ours != np.asarray(theirs)).sum()), len(ours)

        return check

    def proved(self, answer):
        try:
            answer.verify()
        except self.clearance.NotProvedError as refusal:
            say(f"not proved: {refusal}")
            return False
        return True


def singles(race):
    import clearance
    import numpy as np

    import models

    checks, quick = Checks(), race.quick
    queries, repeats = (8, 3) if quick else (60, 7)
    ball, other = (models.bumpy_ball(3 if quick else 5, seed) for seed in (1, 2))
    size = len(ball[1])
    mesh_a, mesh_b = clearance.Mesh(*ball), clearance.Mesh(*other)

    near = models.poses(queries, 1.8, 2.2, 3)
    check = checks.meetings(mesh_a, mesh_b, near)
    race.singles(
        f"mesh meets mesh, 2 x {size} triangles, near contact", "mesh_meets_mesh", (ball, other, near), repeats, check
    )
    # Apart for sure: the least distance of the centres is above twice the largest radius.
    for words, nearest, farthest in (("near", 2.55, 2.7), ("far", 4.0, 8.0)):
        poses = models.poses(queries, nearest, farthest, 4)
        check = checks.distances(mesh_a, mesh_b, poses)
        race.singles(
            f"mesh distance, 2 x {size} triangles, {words}", "mesh_distance", (ball, other, poses), repeats, check
        )

    poses = models.poses(5 * queries, 2.1, 4.0, 5)
    for count in (16, 200):
        hulls = models.hull_points(count, 6), models.hull_points(count, 7)
        check = checks.distances(*(clearance.Hull(points) for points, _ in hulls), poses)
        race.singles(f"hull distance, 2 x {count} points", "hull_distance", (*hulls, poses), 3 * repeats, check)
    boxes = np.array([0.5, 0.8, 0.3]), np.array([0.4, 0.6, 0.9])
    check = checks.distances(*(clearance.Box(half_extents=half) for half in boxes), poses)
    race.singles("box distance", "box_distance", (*boxes, poses), 3 * repeats, check)


def batches(race):
    import clearance

    import models

    checks, quick = Checks(), race.quick
    repeats = 3 if quick else 7
    ball, other = (models.bumpy_ball(3 if quick else 5, seed) for seed in (1, 2))
    size, mesh = len(ball[1]), clearance.Mesh(*ball)

    count = 500 if quick else 20_000
    rays = models.rays(count, 8)
    check = checks.brackets(clearance.ray_cast_batch(mesh, *rays))
    race.batch(f"{count} rays, {size} triangles", "rays", (ball, *rays), repeats, check, count)

    count = 200 if quick else 5_000
    points = models.points(count, 2.0, 9)
    check = checks.brackets(clearance.closest_point_batch(mesh, points))
    race.batch(f"{count} closest points, {size} triangles", "closest_points", (ball, points), repeats, check, count)
    check = checks.insides(mesh.solid(), points)
    race.batch(f"{count} points inside, {size} triangles", "inside", (ball, points), repeats, check, count)

    count = 20 if quick else 200
    poses = models.poses(count, 1.8, 2.2, 10)
    check = checks.meetings(mesh, clearance.Mesh(*other), poses)
    race.batch(f"{count} poses, mesh meets mesh", "mesh_meetings", (ball, other, poses), repeats, check, count)
    poses = models.poses(count, 2.55, 4.0, 10)
    check = checks.distances(mesh, clearance.Mesh(*other), poses)
    race.batch(f"{count} poses, mesh distance", "mesh_distances", (ball, other, poses), repeats, check, count)
    count = 200 if quick else 5_000
    poses, hulls = models.poses(count, 2.1, 4.0, 11), (models.hull_points(64, 6), models.hull_points(64, 7))
    check = checks.distances(*(clearance.Hull(it) for it, _ in hulls), poses)
    race.batch(f"{count} poses, hull distance, 2 x 64 points", "hull_distances", (*hulls, poses), repeats, check, count)


def managers(race):
    from managers import managers

    managers(race, Checks())


# The output.


def short(number):
    """A number with three digits that count, and never in powers of ten."""
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


def table(report):
    """The rows in Markdown."""
    lines = [
        "| Case | Threads | Peer | Ours, µs | Theirs, µs | Ratio | Worst | Wrong | Differs |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in report["rows"]:
        numbers = " | ".join(short(row[name]) for name in ("ours", "theirs", "ratio", "worst_ratio"))
        lines.append(
            f"| {row['case']} | {row['threads']} | {row['peer']} | {numbers} | {row['wrong']} | {row['differs']} |"
        )
    summary = report["summary"]
    calls = ", ".join(f"{name} {cost:.2g}" for name, cost in summary["empty_calls"].items())
    lines += ["", f"An empty call, in µs: {calls}."]
    for name, why in summary["missing"].items():
        lines.append(f"{name} could not be installed: {why}.")
    load = " and ".join(str(load) for load in summary["load"])
    lines.append(
        f"Commit {summary['commit']}, {summary['cpu']}, {summary['threads']} cores; load {load} at the beginning and "
        "the end. Peers run on one thread."
    )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small models and few queries: to see that it runs")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object on standard output, and nothing else")
    form.add_argument("--markdown", action="store_true", help="the table of the README; refuses --quick")
    parser.add_argument("--part", choices=["singles", "batches", "managers"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        race = Race(options.quick)
        {"singles": singles, "batches": batches, "managers": managers}[options.part](race)
        print(json.dumps({"rows": race.rows, "empty": race.empty, "refused": race.refused}))
        return
    if options.markdown and options.quick:
        sys.exit("race: quick figures are not published")
    python, missing = set_up("race", "requirements.lock")
    load = [round(os.getloadavg()[0], 1)]
    parts = [run_part(python, part, options.quick, 1) for part in ("singles", "managers", "batches")]
    if (os.cpu_count() or 1) > 1:
        parts.append(run_part(python, "batches", options.quick, 0))
    rows = [row for part in parts for row in part["rows"]]
    summary = {
        "cases": sum(row["cases"] for row in rows),
        "wrong": sum(row["wrong"] for row in rows) + sum(part["refused"] for part in parts),
        "differs": sum(row["differs"] for row in rows),
        "missing": missing,
        "empty_calls": {name: round(cost, 3) for name, cost in parts[0]["empty"].items()},
        "quick": options.quick,
        "threads": os.cpu_count(),
        # What else the machine did, at the beginning and at the end; the race itself is about one.
        "load": [*load, round(os.getloadavg()[0], 1)],
        **provenance(),
    }
    report = {"experiment": "python-race", "rows": rows, "summary": summary}
    print(json.dumps(report, indent=None if options.json else 1) if options.json else table(report))
    sys.exit(1 if summary["wrong"] else 0)


if __name__ == "__main__":
    main()
