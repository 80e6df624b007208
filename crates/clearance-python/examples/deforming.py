"""A cloth that folds onto itself in one time step: first contact of all features, exactly."""

import numpy as np

import clearance

SIDE = 9


def sheet(fold: float) -> np.ndarray:
    """A square sheet, flat (fold = 0) or with its right half folded over the left one (fold = 1)."""
    y, x = np.mgrid[0:SIDE, 0:SIDE].reshape(2, -1).astype(float)
    x -= 4
    arm, angle = x - 0.5, 3.3 * fold
    moved = x > 0.5
    return np.stack(
        [
            np.where(moved, 0.5 + arm * np.cos(angle), x),
            y + 0.1 * fold * moved,
            np.where(moved, arm * np.sin(angle), 0),
        ],
        axis=1,
    )


a = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
faces = np.concatenate([np.stack([a, a + 1, a + SIDE + 1], 1), np.stack([a, a + SIDE + 1, a + SIDE], 1)])
cloth = clearance.DeformingMesh(sheet(0.8), faces).moved_to(sheet(1.0))

first = clearance.self_collisions(cloth, wanted="first")
print(f"first contact at {first.value[0]}, features {first.features[0].tolist()}")
all_of_them = clearance.self_collisions(cloth)
print(f"{len(all_of_them)} impacts in the step")
all_of_them.verify()
assert all_of_them.value[0] == first.value[0]
