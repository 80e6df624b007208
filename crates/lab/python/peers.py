"""The sides of the race: Clearance, and each library it is raced against, behind the same few queries.

Every function prepares its input and returns functions without arguments that make one query each and return
a plain answer, so that only the asking is timed. A peer has the functions for what it can be asked; `tolerance` is how
far off its distances may be by what it says of itself.
"""

import importlib.metadata
from functools import partial

import numpy as np

FAR = np.eye(4)
FAR[0, 3] = 1000.0


class Clearance:
    """What is raced. Poses are `Pose` objects, made beforehand."""

    name, package, tolerance = "clearance", "clearance", 0.0

    def __init__(self):
        import clearance

        self.library = clearance

    def empty(self):
        ball, here = self.library.Sphere(1.0), self.library.Pose()
        return partial(self.library.intersects, ball, ball, here, self.library.Pose(FAR))

    def _gap(self, *arguments):
        return self.library.distance(*arguments).value

    def _pairs(self, ask, a, b, poses):
        here = self.library.Pose()
        return [partial(ask, a, b, here, self.library.Pose(pose)) for pose in poses]

    def mesh_meets_mesh(self, a, b, poses):
        return self._pairs(self.library.intersects, self.library.Mesh(*a), self.library.Mesh(*b), poses)

    def mesh_distance(self, a, b, poses):
        return self._pairs(self._gap, self.library.Mesh(*a), self.library.Mesh(*b), poses)

    def hull_distance(self, a, b, poses):
        return self._pairs(self._gap, self.library.Hull(a[0]), self.library.Hull(b[0]), poses)

    def box_distance(self, a, b, poses):
        return self._pairs(self._gap, self.library.Box(half_extents=a), self.library.Box(half_extents=b), poses)

    def rays(self, mesh, origins, directions):
        mesh = self.library.Mesh(*mesh)
        return lambda: self.library.ray_cast_batch(mesh, origins, directions).value

    def closest_points(self, mesh, points):
        mesh = self.library.Mesh(*mesh)
        return lambda: self.library.closest_point_batch(mesh, points).value

    def inside(self, mesh, points):
        mesh = self.library.Mesh(*mesh).solid()
        return lambda: self.library.contains_batch(mesh, points)

    def mesh_distances(self, a, b, poses):
        a, b = self.library.Mesh(*a), self.library.Mesh(*b)
        return lambda: self.library.distance_batch(a, b, poses).value

    def hull_distances(self, a, b, poses):
        a, b = self.library.Hull(a[0]), self.library.Hull(b[0])
        return lambda: self.library.distance_batch(a, b, poses).value

    def mesh_meetings(self, a, b, poses):
        a, b = self.library.Mesh(*a), self.library.Mesh(*b)
        return lambda: self.library.intersects_batch(a, b, poses)


class Coal:
    """coal: meshes are BVHModelOBBRSS, hulls are its own."""

    name, package, tolerance = "coal", "coal", 1e-6

    def __init__(self):
        import coal

        self.library = coal

    def _pose(self, pose):
        return self.library.Transform3s(np.ascontiguousarray(pose[:3, :3]), np.ascontiguousarray(pose[:3, 3]))

    def _mesh(self, points, faces):
        mesh = self.library.BVHModelOBBRSS()
        mesh.beginModel(len(faces), len(points))
        mesh.addVertices(points)
        mesh.addTriangles(faces.astype(np.int64))
        mesh.endModel()
        return mesh

    def _hull(self, points):
        corners = self.library.StdVec_Vec3s()
        corners.extend(list(points))
        return self.library.ConvexBase.convexHull(corners, True, None)

    def _distance(self, a, b, pose):
        request, result, here = (
            self.library.DistanceRequest(),
            self.library.DistanceResult(),
            self.library.Transform3s(),
        )
        there, distance = self._pose(pose), self.library.distance

        def ask():
            result.clear()
            return max(0.0, distance(a, here, b, there, request, result))

        return ask

    def _collide(self, a, b, pose):
        request, result, here = (
            self.library.CollisionRequest(),
            self.library.CollisionResult(),
            self.library.Transform3s(),
        )
        request.enable_contact, request.num_max_contacts = False, 1
        there, collide = self._pose(pose), self.library.collide

        def ask():
            result.clear()
            return bool(collide(a, here, b, there, request, result))

        return ask

    def empty(self):
        return self._collide(self.library.Sphere(1.0), self.library.Sphere(1.0), FAR)

    def mesh_meets_mesh(self, a, b, poses):
        a, b = self._mesh(*a), self._mesh(*b)
        return [self._collide(a, b, pose) for pose in poses]

    def mesh_distance(self, a, b, poses):
        a, b = self._mesh(*a), self._mesh(*b)
        return [self._distance(a, b, pose) for pose in poses]

    def hull_distance(self, a, b, poses):
        a, b = self._hull(a[0]), self._hull(b[0])
        return [self._distance(a, b, pose) for pose in poses]

    def box_distance(self, a, b, poses):
        a, b = self.library.Box(2 * a), self.library.Box(2 * b)
        return [self._distance(a, b, pose) for pose in poses]


class Fcl:
    """python-fcl: meshes are BVHModel, hulls are Convex."""

    name, package, tolerance = "python-fcl", "python-fcl", 1e-6

    def __init__(self):
        import fcl

        self.library = fcl

    def _object(self, shape, pose):
        return self.library.CollisionObject(shape, self.library.Transform(pose[:3, :3], pose[:3, 3]))

    def _mesh(self, points, faces):
        mesh = self.library.BVHModel()
        mesh.beginModel(len(points), len(faces))
        mesh.addSubModel(points, faces)
        mesh.endModel()
        return mesh

    def _hull(self, points, faces):
        flat = np.concatenate([np.full((len(faces), 1), 3), faces], axis=1).ravel()
        return self.library.Convex(points, len(faces), flat)

    def _distance(self, a, b, pose):
        first, second, distance = self._object(a, np.eye(4)), self._object(b, pose), self.library.distance
        request, result = self.library.DistanceRequest(), self.library.DistanceResult
        return lambda: max(0.0, distance(first, second, request, result()))

    def _collide(self, a, b, pose):
        first, second, collide = self._object(a, np.eye(4)), self._object(b, pose), self.library.collide
        request, result = self.library.CollisionRequest(), self.library.CollisionResult
        return lambda: bool(collide(first, second, request, result()))

    def empty(self):
        return self._collide(self.library.Sphere(1.0), self.library.Sphere(1.0), FAR)

    def mesh_meets_mesh(self, a, b, poses):
        a, b = self._mesh(*a), self._mesh(*b)
        return [self._collide(a, b, pose) for pose in poses]

    def mesh_distance(self, a, b, poses):
        a, b = self._mesh(*a), self._mesh(*b)
        return [self._distance(a, b, pose) for pose in poses]

    def hull_distance(self, a, b, poses):
        a, b = self._hull(*a), self._hull(*b)
        return [self._distance(a, b, pose) for pose in poses]

    def box_distance(self, a, b, poses):
        a, b = self.library.Box(*(2 * a)), self.library.Box(*(2 * b))
        return [self._distance(a, b, pose) for pose in poses]


class Trimesh:
    """trimesh: its collision manager, its rays (embree, in single precision), its proximity."""

    name, package, tolerance = "trimesh", "trimesh", 1e-5

    def __init__(self):
        import trimesh
        import trimesh.collision

        self.library = trimesh

    def _mesh(self, points, faces):
        return self.library.Trimesh(points, faces, process=False)

    def _manager(self, a, b):
        manager = self.library.collision.CollisionManager()
        manager.add_object("a", self._mesh(*a))
        manager.add_object("b", self._mesh(*b))
        return manager

    def empty(self):
        manager = self.library.collision.CollisionManager()
        return manager.in_collision_internal

    def mesh_meets_mesh(self, a, b, poses):
        manager = self._manager(a, b)

        def ask(pose):
            manager.set_transform("b", pose)
            return manager.in_collision_internal()

        return [partial(ask, pose) for pose in poses]

    def mesh_distance(self, a, b, poses):
        manager = self._manager(a, b)

        def ask(pose):
            manager.set_transform("b", pose)
            return max(0.0, manager.min_distance_internal())

        return [partial(ask, pose) for pose in poses]

    def rays(self, mesh, origins, directions):
        mesh = self._mesh(*mesh)

        def ask():
            # The rays that hit, and where, in the order of the hits.
            places, which, _ = mesh.ray.intersects_location(origins, directions, multiple_hits=False)
            found = np.full(len(origins), np.inf)
            lengths = np.linalg.norm(directions[which], axis=1)
            found[which] = np.linalg.norm(places - origins[which], axis=1) / lengths
            return found

        return ask

    def closest_points(self, mesh, points):
        mesh = self._mesh(*mesh)
        return lambda: self.library.proximity.closest_point(mesh, points)[1]

    def inside(self, mesh, points):
        mesh = self._mesh(*mesh)
        return lambda: mesh.contains(points)


class Mujoco:
    """MuJoCo: `mj_geomDistance` between convex geoms, `mj_rayMesh` on a mesh; meshes are in single precision.

    Rays are cast one by one, in a loop of Python: the batch of MuJoCo, `mj_multiRay`, has one origin for all its rays,
    and those of the race have each its own.
    """

    name, package, tolerance = "mujoco", "mujoco", 1e-5

    def __init__(self):
        import mujoco

        self.library = mujoco

    def _model(self, geoms, assets=""):
        bodies = "".join(f"<body><freejoint/>{geom}</body>" for geom in geoms)
        model = self.library.MjModel.from_xml_string(
            f"<mujoco><asset>{assets}</asset><worldbody>{bodies}</worldbody></mujoco>"
        )
        data = self.library.MjData(model)
        self.library.mj_kinematics(model, data)
        return model, data

    @staticmethod
    def _asset(name, points, faces=None):
        numbers = " ".join(map(repr, points.ravel().tolist()))
        triangles = "" if faces is None else f' face="{" ".join(map(str, faces.ravel()))}"'
        return f'<mesh name="{name}" vertex="{numbers}"{triangles}/>'

    def _distances(self, model, data, poses):
        # Where a geom is in its body: MuJoCo moves a mesh to its principal axes.
        places = [self._in_body(model, geom) for geom in (0, 1)]
        distance, points = self.library.mj_geomDistance, np.zeros(6)
        self._place(data, 0, places[0])

        def ask(position, rotation):
            data.geom_xpos[1], data.geom_xmat[1] = position, rotation
            return max(0.0, distance(model, data, 0, 1, 1e6, points))

        placed = [pose @ places[1] for pose in poses]
        return [partial(ask, place[:3, 3].copy(), place[:3, :3].ravel().copy()) for place in placed]

    def _in_body(self, model, geom):
        rotation = np.zeros(9)
        self.library.mju_quat2Mat(rotation, model.geom_quat[geom])
        place = np.eye(4)
        place[:3, :3], place[:3, 3] = rotation.reshape(3, 3), model.geom_pos[geom]
        return place

    @staticmethod
    def _place(data, geom, place):
        data.geom_xpos[geom], data.geom_xmat[geom] = place[:3, 3], place[:3, :3].ravel()

    def empty(self):
        model, data = self._model(['<geom type="sphere" size="1"/>'] * 2)
        return self._distances(model, data, FAR[None])[0]

    def hull_distance(self, a, b, poses):
        assets = self._asset("a", a[0]) + self._asset("b", b[0])
        model, data = self._model(['<geom type="mesh" mesh="a"/>', '<geom type="mesh" mesh="b"/>'], assets)
        return self._distances(model, data, poses)

    def box_distance(self, a, b, poses):
        boxes = [f'<geom type="box" size="{" ".join(map(repr, half.tolist()))}"/>' for half in (a, b)]
        return self._distances(*self._model(boxes), poses)

    def rays(self, mesh, origins, directions):
        model, data = self._model(['<geom type="mesh" mesh="a"/>'], self._asset("a", *mesh))
        self._place(data, 0, self._in_body(model, 0))
        cast, found = self.library.mj_rayMesh, np.empty(len(origins))

        def ask():
            for index, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
                t = cast(model, data, 0, origin, direction)
                found[index] = t if t >= 0 else np.inf
            return found.copy()

        return ask


class Pybullet:
    """Bullet by pybullet: closest points of hulls, which have a margin, and rays on a concave mesh."""

    name, package, tolerance = "pybullet", "pybullet", 5e-2

    def __init__(self):
        import pybullet

        self.library = pybullet
        self.world = pybullet.connect(pybullet.DIRECT)

    def _body(self, **shape):
        return self.library.createMultiBody(0, self.library.createCollisionShape(**shape))

    def _distances(self, a, b, poses):
        from scipy.spatial.transform import Rotation

        library = self.library

        def ask(place, turned):
            library.resetBasePositionAndOrientation(b, place, turned)
            found = library.getClosestPoints(a, b, 1e6)
            return max(0.0, min(point[8] for point in found))

        turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat().tolist()
        return [partial(ask, pose[:3, 3].tolist(), turn) for pose, turn in zip(poses, turns, strict=True)]

    def empty(self):
        ball = {"shapeType": self.library.GEOM_SPHERE, "radius": 1.0}
        return self._distances(self._body(**ball), self._body(**ball), FAR[None])[0]

    def hull_distance(self, a, b, poses):
        bodies = [self._body(shapeType=self.library.GEOM_MESH, vertices=it[0].tolist()) for it in (a, b)]
        return self._distances(*bodies, poses)

    def box_distance(self, a, b, poses):
        bodies = [self._body(shapeType=self.library.GEOM_BOX, halfExtents=half.tolist()) for half in (a, b)]
        return self._distances(*bodies, poses)

    def rays(self, mesh, origins, directions):
        library, (points, faces) = self.library, mesh
        library.resetSimulation()
        shape = {"vertices": points.tolist(), "indices": faces.ravel().tolist()}
        self._body(shapeType=library.GEOM_MESH, flags=library.GEOM_FORCE_CONCAVE_TRIMESH, **shape)
        starts, ends = origins.tolist(), (origins + 2 * directions).tolist()
        # A batch of the size that it names loses its last ray.
        most = library.MAX_RAY_INTERSECTION_BATCH_SIZE - 1

        def ask():
            found = []
            for start in range(0, len(starts), most):
                batch = slice(start, start + most)
                found += library.rayTestBatch(starts[batch], ends[batch], numThreads=1)
            return np.array([2 * hit[2] if hit[0] >= 0 else np.inf for hit in found])

        return ask


PEERS = [Coal, Fcl, Trimesh, Mujoco, Pybullet]

SINGLE = {"mesh_distances": "mesh_distance", "hull_distances": "hull_distance", "mesh_meetings": "mesh_meets_mesh"}
"""The single query that is repeated for a library without batches."""


def batch(side, question, arguments):
    """A function that makes many queries in one call, or one after the other; None if the side has no such query."""
    if hasattr(side, question):
        return getattr(side, question)(*arguments)
    if not hasattr(side, SINGLE.get(question, question)):
        return None
    asks = getattr(side, SINGLE[question])(*arguments)
    return lambda: np.array([ask() for ask in asks])


def version(package):
    return importlib.metadata.version(package)
