"""How deep two bodies overlap, and the shortest translation that separates them."""

import clearance

block, peg = clearance.Box(half_extents=[2, 2, 1]), clearance.Cylinder(half_length=1.0, radius=0.25)
sunk = clearance.Pose.from_translation([0.5, 0, 1.75])

deep = clearance.penetration(block, peg, pose_b=sunk)
print(f"depth {deep.value}: move the peg by {(deep.upper * deep.normal).tolist()}")
deep.verify()

# Meshes have a depth too, convex or not, once they are solids: closed and consistently oriented.
corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
solid = clearance.Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).solid()
moved = clearance.Pose.from_translation([0.25, 0.25, -0.125])
depth = clearance.penetration(solid, solid, pose_b=moved)
reach = clearance.local_depth(solid, solid, pose_b=moved)
volume = clearance.overlap_volume(solid, solid, pose_b=moved)
print(f"{depth.value} deep, surfaces reach in by {reach.value}, {volume.value} in common")

# No surface reaches deeper than the shortest separating translation is long.
assert reach.lower <= depth.upper
