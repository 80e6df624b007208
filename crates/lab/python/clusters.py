#!/usr/bin/env python3
"""Runs batches on a local cluster of Dask and of Ray, and holds them to the answers of one process.

    python3 crates/lab/python/clusters.py [--quick] [--json]

is the one command. It makes a virtual environment in `target/lab/clusters`, runs the optional tests of the adapters in
it (`tests/test_clusters.py`), and then a batch of poses and one of pairs: in this process on all cores, and on as many
workers of one thread as there are cores, turn by turn. `cost` is the time on the cluster by that of one process, the
median of the turns: on one machine a cluster only costs; what counts is that the cost does not grow with the meshes,
which are sent once. `wrong` counts answers that are not those of one process to the bit.
"""

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
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


def rows_of(name, cluster, quick):
    import clearance
    import numpy as np

    import models

    repeats, count = (2, 60) if quick else (5, 1000)
    rows = []
    for level in (3,) if quick else (4, 6):
        a, b = (clearance.Mesh(*models.bumpy_ball(level, seed)) for seed in (1, 2))
        poses = models.poses(count, 2.55, 4.0, 3)
        numbers = np.random.default_rng(4).integers(0, 20, (count, 2))
        pairs = numbers[numbers[:, 0] != numbers[:, 1]]
        places = models.poses(20, 1.0, 6.0, 5)
        shapes = [a, b] * 10
        begun = time.perf_counter()
        cluster.intersects_many(a, b, poses[:1])
        sent = time.perf_counter() - begun
        for what, arguments in (("distance_many", (a, b, poses)), ("distance_pairs", (shapes, pairs, places))):
            sides = [functools.partial(getattr(side, what), *arguments) for side in (clearance, cluster)]
            (here, there), (expected, found) = timed(sides, repeats)
            costs = [of_cluster / of_one for of_one, of_cluster in zip(here, there, strict=True)]
            wrong = int(sum(x != y for x, y in zip(expected, found, strict=True)))
            rows.append(
                {
                    "case": f"{what}, {len(expected)} questions, {len(a.faces)} triangles each",
                    "ours": round(1e3 * statistics.median(there), 3),
                    "unit": "ms",
                    "cluster": name,
                    "workers": cluster.workers,
                    "one_process": round(1e3 * statistics.median(here), 3),
                    "cost": round(statistics.median(costs), 3),
                    "first_call": round(1e3 * sent, 3),
                    "wrong": wrong,
                }
            )
            say(f"{name}, {rows[-1]['case']}: {rows[-1]['cost']} times one process")
    return rows


def measure(quick):
    rows, missing, workers = [], {}, os.cpu_count() or 1
    try:
        import distributed
    except ImportError as problem:
        missing["dask"] = str(problem)
    else:
        from clearance.dask import Cluster

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
        from clearance.ray import Cluster as RayCluster

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
