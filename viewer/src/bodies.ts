// Surfaces as the graphics card gets them: each geometry once, and a row of numbers for each part that shows it.

import {
  BufferAttribute,
  DoubleSide,
  GLSL3,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  LineSegments,
  Mesh,
  ShaderMaterial,
} from "three";

import type { Surface, Vector } from "./data";
import { edges } from "./edges";

/** In which pass a part is drawn. */
export const enum Layer {
  Any = -1,
  Hidden = 0,
  Opaque = 1,
  Ghost = 2,
  Shell = 3,
  A = 4,
  B = 5,
}

export type Colour = Vector;

/** The vertices and edges of a surface, shared by all its instances. */
export class Shared {
  readonly centre: Vector;
  readonly points: BufferAttribute;
  readonly triangles: BufferAttribute;
  /** The edges, each by two points. */
  readonly edges: BufferAttribute;
  readonly size: number;
  /** Half the sides of the box about the centre, in units of the size. */
  readonly half: Vector;
  /** Where the points are at time 0 and at time 1, of a surface that deforms. */
  readonly #ends: readonly [Float32Array, Float32Array] | null;

  constructor(surface: Surface, end: Float32Array | null = null) {
    this.centre = surface.centre;
    this.size = surface.size;
    this.points = new BufferAttribute(surface.points, 3);
    this.triangles = new BufferAttribute(surface.triangles, 1);
    this.edges = new BufferAttribute(edges(surface), 1);
    this.#ends = end ? [surface.points.slice(), end] : null;
    const half: [number, number, number] = [0, 0, 0];
    for (const points of this.#ends ?? [surface.points]) {
      for (let i = 0; i < points.length; i += 3) {
        for (const axis of [0, 1, 2] as const) half[axis] = Math.max(half[axis], Math.abs(points[i + axis] ?? 0));
      }
    }
    this.half = half;
  }

  /** Puts the points of a surface that deforms where they are at a time between 0 and 1. */
  deform(time: number): void {
    if (!this.#ends) return;
    const [start, end] = this.#ends;
    const points = this.points.array as Float32Array;
    for (let i = 0; i < points.length; i++) points[i] = (1 - time) * (start[i] ?? 0) + time * (end[i] ?? 0);
    this.points.needsUpdate = true;
  }
}

/** Three rows of a matrix, a colour, a layer, the number of the part. */
const STRIDE = 17;

/** Instances of one surface. */
export class Batch {
  readonly faces: Mesh;
  readonly lines: LineSegments;
  readonly #rows: InstancedInterleavedBuffer;

  constructor(shared: Shared, count: number) {
    this.#rows = new InstancedInterleavedBuffer(new Float32Array(STRIDE * count), STRIDE, 1);
    const of = (points: BufferAttribute, index: BufferAttribute): InstancedBufferGeometry => {
      const geometry = new InstancedBufferGeometry();
      geometry.setAttribute("position", points);
      geometry.setIndex(index);
      [0, 1, 2].forEach((row) => {
        geometry.setAttribute(`row${row}`, new InterleavedBufferAttribute(this.#rows, 4, 4 * row));
      });
      geometry.setAttribute("colour", new InterleavedBufferAttribute(this.#rows, 3, 12));
      geometry.setAttribute("layer", new InterleavedBufferAttribute(this.#rows, 1, 15));
      geometry.setAttribute("part", new InterleavedBufferAttribute(this.#rows, 1, 16));
      geometry.instanceCount = count;
      return geometry;
    };
    this.faces = new Mesh(of(shared.points, shared.triangles));
    this.lines = new LineSegments(of(shared.points, shared.edges));
    for (const shown of [this.faces, this.lines]) shown.frustumCulled = false;
  }

  place(instance: number, rows: ArrayLike<number>): void {
    (this.#rows.array as Float32Array).set(rows, STRIDE * instance);
    this.#rows.needsUpdate = true;
  }

  look(instance: number, colour: Colour, layer: Layer, part: number): void {
    (this.#rows.array as Float32Array).set([...colour, layer, part], STRIDE * instance + 12);
    this.#rows.needsUpdate = true;
  }

  dispose(): void {
    this.faces.geometry.dispose();
    this.lines.geometry.dispose();
  }
}

/** How a pass draws. */
export type Style = "depth" | "solid" | "film" | "line" | "part";

const VERTEX = `
in vec4 row0;
in vec4 row1;
in vec4 row2;
in vec3 colour;
in float layer;
in float part;
uniform float wanted;
out vec3 seen;
out vec3 tint;
flat out float number;
invariant gl_Position;
void main() {
  vec4 local = vec4(position, 1.0);
  vec4 view = viewMatrix * vec4(dot(row0, local), dot(row1, local), dot(row2, local), 1.0);
  seen = view.xyz;
  tint = colour;
  number = part;
  bool drawn = wanted < 0.0 ? layer > 0.5 : abs(layer - wanted) < 0.5;
  gl_Position = drawn ? projectionMatrix * view : vec4(0.0, 0.0, 2.0, 1.0);
}`;

/** Facets are drawn as the facets they are: the normal is that of the triangle, turned to the eye. */
const LIGHT = `
in vec3 seen;
in vec3 tint;
flat in float number;
uniform vec2 opacity;
uniform float shade;
out vec4 result;
vec3 facing() {
  vec3 normal = cross(dFdx(seen), dFdy(seen));
  float size = length(normal);
  vec3 towards = normalize(-seen);
  if (size == 0.0) return towards;
  normal /= size;
  return dot(normal, towards) < 0.0 ? -normal : normal;
}
vec3 lit(vec3 normal) {
  float key = max(dot(normal, normalize(vec3(0.35, 0.75, 0.55))), 0.0);
  float head = max(dot(normal, normalize(-seen)), 0.0);
  return tint * (0.42 + 0.42 * key + 0.26 * head) + vec3(0.05) * pow(key, 8.0);
}`;

const FRAGMENT: Record<Style, string> = {
  depth: "void main() { result = vec4(0.0); }",
  solid: "void main() { result = vec4(lit(facing()), 1.0); }",
  film: `void main() {
    vec3 normal = facing();
    float rim = 1.0 - max(dot(normal, normalize(-seen)), 0.0);
    result = vec4(lit(normal), mix(opacity.x, opacity.y, rim * rim));
  }`,
  line: "void main() { result = vec4(tint * shade, opacity.x); }",
  part: `void main() {
    float n = number + 1.0;
    result = vec4(mod(n, 256.0), mod(floor(n / 256.0), 256.0), floor(n / 65536.0), 255.0) / 255.0;
  }`,
};

/** A material for one style; the layer and the opacity are set for each pass. */
export function material(style: Style): ShaderMaterial {
  const made = new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: VERTEX,
    fragmentShader: LIGHT + FRAGMENT[style],
    uniforms: { wanted: { value: Layer.Any }, opacity: { value: [1, 1] }, shade: { value: 1 } },
    side: DoubleSide,
    transparent: style === "film" || style === "line",
    colorWrite: style !== "depth",
    depthWrite: style !== "film" && style !== "line",
  });
  if (style !== "line") {
    // Lines on faces are in front of them.
    made.polygonOffset = true;
    made.polygonOffsetFactor = 1;
    made.polygonOffsetUnits = 1;
  }
  return made;
}
