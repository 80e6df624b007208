"""Where two bodies touch: a manifold for convex bodies, contact curves for meshes."""

import clearance

# A box that hovers a little above another: contacts within a margin, at most four.
floor, cube = clearance.Box(half_extents=[5, 5, 0.5]), clearance.Box(half_extents=[0.5, 0.5, 0.5])
pose = clearance.Pose.from_axis_angle([0, 0, 1], 0.3, [0, 0, 1.005])
found = clearance.contacts(floor, cube, pose_b=pose, margin=0.01, most=4)
for (on_floor, _), normal, gap in zip(found.points, found.normals, found.gaps, strict=True):
    print(f"{on_floor.round(4).tolist()}  normal {normal.tolist()}  gap {gap:.6f}")
assert len(found.gaps) == 4

# Two meshes meet along curves.
square = clearance.Mesh([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], [[0, 1, 2], [0, 2, 3]])
spike = clearance.Mesh(
    [[0, 0, -1], [1, -0.5, 1], [0, 1.5, 1], [-1, -0.5, 1]], [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]
)
(curve,) = clearance.contact_curves(square, spike)
print(f"one curve, closed: {curve.closed}, {len(curve.points)} points")
