"""Boxes that fall onto a floor: a loop that asks a World which pairs touch, and where."""

import numpy as np

import clearance

# Every pair of bodies is asked for its contacts, within a millimetre.
world = clearance.World("contacts", margin=1e-3)
floor = world.insert(clearance.HalfSpace([0, 0, 1], 0.0))
cube = clearance.Box(half_extents=[0.5, 0.5, 0.5])
places = np.array([[0.1 * k, 0, 1 + 1.5 * k] for k in range(5)])
speeds = np.zeros(5)
boxes = [world.insert(cube, clearance.Pose.from_translation(place), group=1) for place in places]

step, gravity, landed = 1 / 60, 9.81, 0
for frame in range(120):
    speeds += gravity * step
    places[:, 2] -= speeds * step
    for body, place in zip(boxes, places, strict=True):
        world.move_to(body, clearance.Pose.from_translation(place))
    for event in world.step():
        if event.finding is None:
            continue
        if event.change == "began":
            landed += 1
            on = "the floor" if event.a == floor else "a box"
            print(f"frame {frame}: a box lands on {on}, {len(event.finding.gaps)} contact points")
        # No dynamics here: what sank in is lifted out, and stops.
        number = boxes.index(event.b)
        places[number, 2] += max(-event.finding.lower, 0)
        speeds[number] = 0
assert landed == 5
