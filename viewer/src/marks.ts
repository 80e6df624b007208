// What is drawn of a finding besides its parts: where they meet, the nearest points, the way out.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  Group,
  type Material,
  Mesh,
  MeshBasicMaterial,
  Points,
  ShaderMaterial,
  Vector3,
} from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

/** Drawn at a fixed size in pixels. */
const LOOP = 2.5;
const SEGMENT = 3;
const HEAD = 14;
const DOT = 9;

/** Marks of one finding, relative to an origin. */
export class Marks extends Group {
  #heads: Mesh[] = [];

  /** Curves; the ends of segments, six numbers for each. */
  loops(ends: Float32Array, colour: Color): void {
    if (ends.length > 0) this.add(segments(ends, colour, LOOP));
  }

  /** A segment between two points. */
  segment(from: Vector3, to: Vector3, colour: Color): void {
    if (!from.equals(to)) this.add(segments(new Float32Array([...from, ...to]), colour, SEGMENT));
    const ends = new BufferGeometry().setAttribute(
      "position",
      new BufferAttribute(new Float32Array([...from, ...to]), 3),
    );
    const round = new ShaderMaterial({
      uniforms: {
        colour: { value: colour.clone().convertLinearToSRGB() },
        size: { value: DOT * Math.min(2, devicePixelRatio) },
      },
      vertexShader:
        "uniform float size; void main() { gl_PointSize = size; " +
          "gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
      fragmentShader:
        "uniform vec3 colour; void main() { if (length(gl_PointCoord - 0.5) > 0.5) discard; " +
          "gl_FragColor = vec4(colour, 1.0); }",
      depthTest: false,
      transparent: true,
    });
    const dots = new Points(ends, round);
    dots.frustumCulled = false;
    this.add(dots);
  }

  /** An arrow whose shaft is as long as the way is; the head goes beyond it. */
  arrow(from: Vector3, to: Vector3, colour: Color): void {
    if (from.equals(to)) return;
    this.add(segments(new Float32Array([...from, ...to]), colour, SEGMENT));
    const head = new Mesh(
      new ConeGeometry(0.36, 1, 20).translate(0, 0.5, 0),
      new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }),
    );
    head.position.copy(to);
    head.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), to.clone().sub(from).normalize());
    this.#heads.push(head);
    this.add(head);
  }

  /** Heads are as large on the screen from everywhere; `pixel` is the length that a pixel has at a point. */
  resize(pixel: (point: Vector3) => number): void {
    for (const head of this.#heads) head.scale.setScalar(Math.max(HEAD * pixel(head.position), Number.MIN_VALUE));
  }

  /** Takes all away. */
  erase(): void {
    this.traverse((shown) => {
      if (shown instanceof Mesh || shown instanceof Points) {
        shown.geometry.dispose();
        (shown.material as Material).dispose();
      }
    });
    this.#heads = [];
    this.clear();
  }
}

/** Segments as lines of a width in pixels; with `depthTest`, only where they are in front. */
export function segments(
  ends: Float32Array,
  colour: Color,
  width: number,
  { opacity = 1, depthTest = false }: { opacity?: number; depthTest?: boolean } = {},
): LineSegments2 {
  const geometry = new LineSegmentsGeometry().setPositions(ends);
  const lines = new LineSegments2(
    geometry,
    new LineMaterial({ color: colour, linewidth: width, opacity, depthTest, depthWrite: false, transparent: true }),
  );
  lines.frustumCulled = false;
  return lines;
}
