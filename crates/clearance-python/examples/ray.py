"""Rays and points against a mesh: first hit, all hits, nearest point, inside or outside."""

import clearance

corners = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]]
solid = clearance.Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).solid()
pose = clearance.Pose.from_translation([0, 0, 1])

origin, down = [0.25, 0.25, 5], [0, 0, -1]
hit = clearance.ray_cast(solid, origin, down, pose)
if hit:
    print(f"first hit at t = {hit.value}")
    hit.verify()
print([round(hit.value, 6) for hit in clearance.ray_cast_all(solid, origin, down, pose)])

inside, outside = [0.25, 0.25, 1.5], [2, 2, 2]
assert clearance.contains(solid, inside, pose)
print(f"{inside} is inside: signed distance {clearance.signed_distance(solid, inside, pose).value}")
print(f"nearest to {outside}: {clearance.closest_point(solid, outside, pose).value} away")

# Many at once, on all cores.
hits = clearance.ray_cast_batch(solid, [origin, [5, 5, 5]], [down, down], pose)
print(hits.hit.tolist(), hits.value.tolist())
