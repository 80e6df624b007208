// The edges of a surface that are worth drawing: where it bends, and where it ends.

import type { Surface } from "./data";

/** Faces that bend by less than this, in degrees, are drawn as one. */
const BEND = 32;

/** The ends of the edges: two points for each. */
export function edges({ points, triangles }: Surface): Uint32Array {
  const same = joined(points);
  const count = triangles.length / 3;
  const normals = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) normals.set(normal(points, triangles, i), 3 * i);
  const limit = Math.cos((BEND * Math.PI) / 180);
  // Open addressing: for each edge the triangle and side that had it first; -2 once another triangle has it too.
  const size = 2 ** Math.ceil(Math.log2(Math.max(8, 6 * count)));
  const first = new Int32Array(size).fill(-1);
  const keys = new Float64Array(size);
  const ends: number[] = [];
  for (let side = 0; side < 3 * count; side++) {
    const [p, q] = endsOf(triangles, side).map((point) => same[point] ?? 0) as [number, number];
    if (p === q) continue;
    const key = Math.min(p, q) * 2 ** 26 + Math.max(p, q);
    let slot = hash(Math.min(p, q), Math.max(p, q)) & (size - 1);
    while (first[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & (size - 1);
    const other = first[slot] ?? -1;
    if (other === -1) {
      first[slot] = side;
      keys[slot] = key;
    } else if (other >= 0) {
      first[slot] = -2;
      const [i, j] = [3 * Math.floor(other / 3), 3 * Math.floor(side / 3)];
      let bend = 0;
      for (let axis = 0; axis < 3; axis++) bend += (normals[i + axis] ?? 0) * (normals[j + axis] ?? 0);
      if (bend < limit) ends.push(p, q);
    }
  }
  for (const side of first) {
    if (side >= 0) ends.push(...endsOf(triangles, side));
  }
  return new Uint32Array(ends);
}

function endsOf(triangles: Uint32Array, side: number): [number, number] {
  const next = side % 3 === 2 ? side - 2 : side + 1;
  return [triangles[side] ?? 0, triangles[next] ?? 0];
}

function hash(p: number, q: number): number {
  return (Math.imul(p, 73856093) ^ Math.imul(q, 19349663)) >>> 0;
}

/** For each point the first one with the same coordinates. */
function joined(points: Float32Array): Uint32Array {
  const bits = new Int32Array(points.buffer, points.byteOffset, points.length);
  const count = points.length / 3;
  const size = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * count)));
  const slots = new Int32Array(size).fill(-1);
  const same = new Uint32Array(count);
  const equal = (p: number, q: number): boolean =>
    points[3 * p] === points[3 * q] &&
    points[3 * p + 1] === points[3 * q + 1] &&
    points[3 * p + 2] === points[3 * q + 2];
  for (let point = 0; point < count; point++) {
    let slot =
      (hash(bits[3 * point] ?? 0, bits[3 * point + 1] ?? 0) ^ Math.imul(bits[3 * point + 2] ?? 0, 83492791)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & (size - 1);
    while ((slots[slot] ?? -1) >= 0 && !equal(slots[slot] ?? 0, point)) slot = (slot + 1) & (size - 1);
    if (slots[slot] === -1) slots[slot] = point;
    same[point] = slots[slot] ?? point;
  }
  return same;
}

/** The unit normal of a triangle; zero if it has no area. */
function normal(points: Float32Array, triangles: Uint32Array, triangle: number): [number, number, number] {
  const at = (corner: number, axis: number): number => points[3 * (triangles[3 * triangle + corner] ?? 0) + axis] ?? 0;
  const side = (corner: number): [number, number, number] => [
    at(corner, 0) - at(0, 0),
    at(corner, 1) - at(0, 1),
    at(corner, 2) - at(0, 2),
  ];
  const [u, v] = [side(1), side(2)];
  const [x, y, z] = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(x, y, z);
  return length > 0 ? [x / length, y / length, z / length] : [0, 0, 0];
}
