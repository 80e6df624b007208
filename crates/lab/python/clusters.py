#!/usr/bin/env python3
"""Runs batches on a local cluster of Dask and of Ray, and holds them to the answers of one process.

    python3 crates/lab/python/clusters.py [--quick] [--json]

is the one command. It makes a virtual environment in `target/lab/clusters`, runs the optional tests of the adapters in
it (`tests/test_clusters.py`), and then a batch of poses, one of pairs and two of a robot: in this process on all
cores, and on as many workers of one thread as there are cores, turn by turn. `cost` is the time on the cluster by that
of one process, the median of the turns: on one machine a cluster only costs; what counts is that the cost does not
grow with the meshes, which are sent once, as the robot is. `wrong` counts answers that are not those of one process to
the bit.
"""

import argparse
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from environment import PACKAGE, provenance, say, set_up

ALONE = {"RAYON_NUM_THREADS": "1"}
"""What the workers of a cluster run with: one thread each, so that both sides have as many as there are cores."""


def timed(sides, repeats):
    """The seconds that each side took, turn by turn, and the last answer of each."""
    spent, found = [[] for _ in sides], [None] * len(sides)
    for _ in range(repeats):
        for side, ask in enumerate(sides):
            begun = time.perf_counter()
            found[side] = ask()
            spent[side].append(time.perf_counter() - begun)
    return spent, found


def arm(level):
    """A robot of four bumpy balls on three joints. Its files are gone when it is returned."""
    import clearance

    import models

    links, joints = [], []
    with tempfile.TemporaryDirectory() as folder:
        for part in range(4):
            points, faces = models.bumpy_ball(level, part)
            lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
            lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
            (pathlib.Path(folder) / f"{part}.obj").write_text("\n".join(lines) + "\n")
            links.append(
                f'<link name="{part}"><collision><geometry><mesh filename="{part}.obj"/></geometry></collision></link>'
            )
            if part:
                joints.append(
                    f'<joint name="j{part}" type="revolute"><parent link="{part - 1}"/><child link="{part}"/>'
                    '<origin xyz="2 0 0"/><axis xyz="0 1 1"/><limit lower="-3" upper="3"/></joint>'
                )
        path = pathlib.Path(folder) / "arm.urdf"
        path.write_text(f'<robot name="arm">{"".join(links + joints)}</robot>')
        return clearance.Robot(path)


def wrong_of(expected, found):
    """How many answers of a batch are not the same."""
    return int(sum(x != y for x, y in zip(expected, found, strict=True)))


def rows_of(name, cluster, quick):
    import clearance
    import numpy as np

    import models

    repeats, count = (2, 60) if quick else (5, 1000)
    rows = []

    def race(case, first, sides):
        (here, there), (expected, found) = timed(sides, repeats)
        costs = [of_cluster / of_one for of_one, of_cluster in zip(here, there, strict=True)]
        rows.append(
            {
                "case": case,
                "ours": round(1e3 * statistics.median(there), 3),
                "unit": "ms",
                "cluster": name,
                "workers": cluster.workers,
                "one_process": round(1e3 * statistics.median(here), 3),
                "cost": round(statistics.median(costs), 3),
                "first_call": round(1e3 * first, 3),
                "wrong": wrong_of(expected, found),
            }
        )
        say(f"{name}, {case}: {rows[-1]['cost']} times one process")

    for level in (3,) if quick else (4, 6):
        a, b = (clearance.Mesh(*models.bumpy_ball(level, seed)) for seed in (1, 2))
        poses = models.poses(count, 2.55, 4.0, 3)
        numbers = np.random.default_rng(4).integers(0, 20, (count, 2))
        pairs = numbers[numbers[:, 0] != numbers[:, 1]]
        places = models.poses(20, 1.0, 6.0, 5)
        shapes = [a, b] * 10
        begun = time.perf_counter()
        cluster.intersects_batch(a, b, poses[:1])
        sent = time.perf_counter() - begun
        for what, arguments in (("distance_batch", (a, b, poses)), ("distance_pair_batch", (shapes, pairs, places))):
            sides = [functools.partial(getattr(side, what), *arguments) for side in (clearance, cluster)]
            asked = len(poses) if what == "distance_batch" else len(pairs)
            race(f"{what}, {asked} questions, {len(a.faces)} triangles each", sent, sides)
        robot = arm(level)
        q = np.random.default_rng(6).uniform(-3, 3, (count, 3))
        begun = time.perf_counter()
        cluster.check_batch(robot, q[:1])
        sent = time.perf_counter() - begun
        half = count // 2
        for what, arguments in (("distances_batch", (q,)), ("sweep_batch", (q[:half], q[half:]))):
            here = functools.partial(getattr(robot, what), *arguments)
            there = functools.partial(getattr(cluster, what), robot, *arguments)
            case = f"{what} of a robot, {len(arguments[0])} questions, {len(a.faces)} triangles each"
            race(case, sent, [here, there])
    return rows


def measure(quick):
    rows, missing, workers = [], {}, os.cpu_count() or 1
    try:
        import distributed
    except ImportError as problem:
        missing["dask"] = str(problem)
    else:
        from clearance.clusters.dask import Cluster

        with (
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None, env=ALONE
            ) as local,
            distributed.Client(local) as client,
        ):
            rows += rows_of(f"dask {distributed.__version__}", Cluster(client), quick)
    try:
        import ray
    except ImportError as problem:
        missing["ray"] = str(problem)
    else:
        from clearance.clusters.ray import Cluster as RayCluster

        # Ray's workers step back behind all else on the machine; the process that they are held against does not.
        os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": ALONE})
        with RayCluster() as cluster:
            rows += rows_of(f"ray {ray.__version__}", cluster, quick)
        ray.shutdown()
    return rows, missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small models and few questions: to see that it runs")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output, and nothing else")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        rows, missing = measure(options.quick)
        print(json.dumps({"rows": rows, "missing": missing}))
        return
    python, missing = set_up("clusters", "clusters.lock")
    say("the tests of the adapters")
    tests = [python, "-m", "pytest", "--quiet", "--rootdir", PACKAGE, PACKAGE / "tests" / "test_clusters.py"]
    if subprocess.run(tests, stdout=sys.stderr, check=False).returncode != 0:
        sys.exit("lab: the tests of the adapters failed")
    command = [python, __file__, "--measure", *(["--quick"] if options.quick else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit("lab: the clusters failed")
    found = json.loads(done.stdout.strip().splitlines()[-1])
    wrong = sum(row["wrong"] for row in found["rows"])
    summary = {"cases": len(found["rows"]), "wrong": wrong, "missing": missing | found["missing"], **provenance()}
    report = {"experiment": "python-clusters", "rows": found["rows"], "summary": summary}
    print(json.dumps(report, indent=None if options.json else 1))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
