"""Bodies, poses, rays and points that all sides of the race get: made by seed, as plain arrays."""

import numpy as np


def bumpy_ball(levels, seed):
    """A closed surface of 20 * 4**levels triangles about the origin, its radius between 0.75 and 1.25."""
    golden = (1 + 5**0.5) / 2
    points = [[-1, golden, 0], [1, golden, 0], [-1, -golden, 0], [1, -golden, 0]]
    points = np.array([np.roll(point, shift) for shift in (0, 1, 2) for point in points])
    # The faces of the icosahedron: triples of points whose distances are all the least one.
    near = np.isclose(np.linalg.norm(points[:, None] - points, axis=2), 2.0)
    count = len(points)
    triples = [(i, j, k) for i in range(count) for j in range(i) for k in range(j)]
    faces = [face for face in triples if near[face[0], face[1]] and near[face[1], face[2]] and near[face[2], face[0]]]
    faces = np.array([f if np.linalg.det(points[list(f)]) > 0 else f[::-1] for f in faces])
    points = points / np.linalg.norm(points, axis=1)[:, None]
    for _ in range(levels):
        edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        unique, places = np.unique(edges, axis=0, return_inverse=True)
        middles = points[unique].mean(axis=1)
        a, b, c = faces.T
        ab, bc, ca = (len(points) + places.reshape(-1, 3)).T
        points = np.concatenate([points, middles / np.linalg.norm(middles, axis=1)[:, None]])
        faces = np.concatenate([np.stack(it, 1) for it in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    waves = np.random.default_rng(seed).normal(size=(6, 3)) * 4
    radius = 1 + 0.25 * np.sin(points @ waves.T + np.arange(6)).mean(axis=1)
    return points * radius[:, None], faces


def hull_points(count, seed):
    """Points of a ball of radius one, and the triangles of their hull, wound outward."""
    from scipy.spatial import ConvexHull

    points = np.random.default_rng(seed).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    normals = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    turned = (normals * hull.equations[:, :3]).sum(axis=1) < 0
    faces[turned] = faces[turned][:, ::-1]
    return points, faces


def poses(count, nearest, farthest, seed):
    """Random rotations, and translations in random directions of lengths between two."""
    random = np.random.default_rng(seed)
    quaternions = random.normal(size=(count, 4))
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    rotations = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    ways = random.normal(size=(count, 3))
    ways *= (random.uniform(nearest, farthest, count) / np.linalg.norm(ways, axis=1))[:, None]
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, :3], matrices[:, :3, 3] = np.moveaxis(rotations, -1, 0), ways
    return matrices


def rays(count, seed):
    """Rays from a sphere of radius 3 towards places within 1.5 of the origin: some miss."""
    random = np.random.default_rng(seed)
    origins = random.normal(size=(count, 3))
    origins *= 3 / np.linalg.norm(origins, axis=1)[:, None]
    return origins, random.uniform(-0.9, 0.9, (count, 3)) - origins


def points(count, reach, seed):
    """Points in a cube."""
    return np.random.default_rng(seed).uniform(-reach, reach, (count, 3))
