"""How far apart two triangle meshes are, and where they are nearest."""

import numpy as np

import clearance

# A square pyramid with its apex up. Build a mesh once: it owns the tree that queries walk.
points = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1.5]]
faces = [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
pyramid = clearance.Mesh(points, faces)
above = clearance.Pose.from_axis_angle([1, 0, 0], np.pi, [0.5, 0, 3.25])

gap = clearance.distance(pyramid, pyramid, pose_b=above)
print(f"gap {gap.value}, proved between {gap.lower} and {gap.upper}")
print(f"nearest points {gap.witness.tolist()}")

# Proved again by code that shares no search with the query.
gap.verify()
