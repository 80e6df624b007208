// The parts in three dimensions.
//
// Numbers stay exact as long as they can: a geometry is in single precision about its own centre, poses are in double
// precision, and what the graphics card gets is relative to an origin that moves to the finding one looks at, in units
// of the radius of everything. Points of the world are arrays here, points of the picture are of the type Vector3.
//
// A pair is drawn in passes, each with a depth of its own: the others as a film, of which only the nearest layer shows;
// what A and B have in common, solid; the nearest layer of A, that of B, and that of both; edges; marks. So the common
// part is seen inside of both, whichever is in front.

import {
  Color,
  type Material,
  PerspectiveCamera,
  Scene,
  type ShaderMaterial,
  Vector3,
  WebGLRenderTarget,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import { Batch, type Colour, Layer, Shared, type Style, material } from "./bodies";
import { type Box, empty, grow, middle, radius, union } from "./box";
import type { Bytes, Data, Finding, Kind, Vector } from "./data";
import { Marks, segments } from "./marks";

export type Others = "ghosted" | "hidden" | "solid";

/** What colours the page asks for; they differ in light and dark. */
export interface Palette {
  readonly background: Colour;
  readonly part: Colour;
  readonly line: number;
  readonly loop: string;
  readonly kinds: Record<Kind, Colour>;
  readonly a: Colour;
  readonly b: Colour;
  readonly overlap: Colour;
}

/** Segments in the frame of a part's geometry, drawn where they are in front of the parts, and hinted at behind them. */
export interface Outline {
  readonly part: number;
  /** Three numbers for each end. */
  readonly ends: Float64Array;
  readonly colour: "a" | "b";
  readonly opacity: number;
  /** How opaque it is behind parts. */
  readonly behind: number;
  readonly width: number;
}

/** A part with a box of this share of all is a shell: it is glass, so that what is inside shows. */
const SHELL = 0.2;
/** A part this many times larger than the other of a pair is drawn faintly. */
const HOST = 3;
/** The colour of a clash that is shallower than the deepest by so many powers of ten, or an estimate, as a share. */
const FAINTEST = 0.25;
const DECADES = 2.5;
const FLIGHT = 650;
const FIELD_OF_VIEW = 30;

interface Instance {
  readonly batch: Batch;
  readonly shared: Shared;
  readonly instance: number;
}

/** In the picture. */
interface View {
  readonly target: Vector3;
  readonly direction: Vector3;
  readonly distance: number;
}

export class Stage {
  readonly #data: Data;
  readonly #bytes: Bytes;
  readonly #renderer: WebGLRenderer;
  readonly #camera = new PerspectiveCamera(FIELD_OF_VIEW);
  readonly #controls: OrbitControls;
  readonly #styles: Record<Style, ShaderMaterial>;
  readonly #faces = new Scene();
  readonly #lines = new Scene();
  readonly #pairFaces = new Scene();
  readonly #pairLines = new Scene();
  readonly #common = new Scene();
  readonly #overlay = new Scene();
  readonly #shared: (Shared | null)[];
  /** For each part where it is shown: its batch, and its number there. */
  readonly #shown: (Instance | null)[];
  readonly #poses: Float64Array;
  readonly #tracks: { part: number; poses: Float64Array }[];
  readonly #shells: boolean[];
  readonly #all: Box;
  readonly #middle: [number, number, number];
  /** From lengths of the world to those of the picture. */
  readonly #zoom: number;
  #origin: [number, number, number];
  #palette: Palette;
  #others: Others = "ghosted";
  #marks = new Marks();
  readonly #outlineScene = new Scene();
  #outlines: readonly Outline[] = [];
  #pair: Batch[] = [];
  #commonBatch: Batch | null = null;
  #selected: Finding | null = null;
  #flight: { from: View; to: View; start: number } | null = null;
  #due = false;
  /** Called after every picture. */
  onRender: () => void = () => undefined;

  constructor(canvas: HTMLCanvasElement, data: Data, bytes: Bytes, palette: Palette) {
    this.#data = data;
    this.#bytes = bytes;
    this.#palette = palette;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.#renderer.autoClear = false;
    this.#renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.#styles = {
      depth: material("depth"),
      solid: material("solid"),
      film: material("film"),
      line: material("line"),
      part: material("part"),
    };
    this.#poses = bytes.doubles(data.poses);
    this.#tracks = (data.timeline?.tracks ?? []).map(({ part, poses }) => ({ part, poses: bytes.doubles(poses) }));
    const used = new Set(data.parts.map((part) => part.geometry));
    const ends = new Map(data.deformations.map(({ part, end }) => [data.parts[part]?.geometry ?? null, end]));
    this.#shared = data.geometries.map((geometry, i) => {
      const end = ends.get(i);
      return used.has(i) ? new Shared(bytes.surface(geometry), end ? bytes.points(end) : null) : null;
    });
    this.#shown = this.#batches();
    const boxes = data.parts.map((_, part) => this.#box(part));
    const all = union(boxes.filter((box) => box !== null));
    this.#all = all;
    this.#middle = middle(all);
    this.#origin = [...this.#middle];
    this.#zoom = 1 / (radius(all) || 1);
    const points = data.findings.flatMap((finding) => finding.points ?? []);
    this.#shells = boxes.map((box) => box !== null && data.parts.length > 1 && isShell(box, all, points));
    this.#camera.up.set(0, 0, 0).setComponent(data.up, 1);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.zoomToCursor = true;
    this.#controls.addEventListener("change", () => this.invalidate());
    this.#controls.addEventListener("start", () => (this.#flight = null));
    this.#overlay.add(this.#marks);
    this.#go(this.#overview());
    this.#place();
    this.#look();
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  /** Asks for a new picture. */
  invalidate(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame((now) => {
      this.#due = false;
      this.#advance(now);
      this.#render();
    });
  }

  set palette(palette: Palette) {
    this.#palette = palette;
    this.#look();
    this.#remark();
    this.#reoutline();
  }

  /** What is drawn over the parts. */
  set outlines(outlines: readonly Outline[]) {
    this.#outlines = outlines;
    this.#reoutline();
    this.invalidate();
  }

  set others(others: Others) {
    this.#others = others;
    this.#look();
  }

  /** Shows a finding, or everything. */
  select(finding: Finding | null): void {
    this.#selected = finding;
    this.#moveOrigin(finding ? middle(this.place(finding)) : this.#middle);
    this.#look();
    this.#remark();
    this.#fly(finding ? this.#viewOf(finding) : this.#overview());
  }

  /** Flies back to where the selection was first seen from. */
  home(): void {
    this.#fly(this.#selected ? this.#viewOf(this.#selected) : this.#overview());
  }

  /** Turns by angles, in radians, and comes nearer by a factor. */
  turn(around: number, over: number, nearer: number): void {
    this.#flight = null;
    const view = this.#view();
    const axis = this.#camera.up;
    const side = new Vector3().crossVectors(axis, view.direction).normalize();
    const steep = view.direction.angleTo(axis);
    const direction = view.direction.applyAxisAngle(
      side,
      Math.min(Math.max(over, 0.05 - steep), Math.PI - 0.05 - steep),
    );
    direction.applyAxisAngle(axis, around);
    this.#go({ ...view, direction, distance: view.distance / nearer });
    this.invalidate();
  }

  /** Moves all parts, and the points of those that deform, to a frame. */
  set frame(frame: number) {
    for (const { part, poses } of this.#tracks) {
      this.#poses.set(poses.subarray(12 * frame, 12 * frame + 12), 12 * part);
    }
    for (const { part } of this.#data.deformations)
      this.#sharedOf(part)?.deform(this.#data.timeline?.times[frame] ?? 0);
    this.#place();
    this.#remark();
    this.#reoutline();
    this.invalidate();
  }

  /** Where a point of the world is on the canvas, in CSS pixels; nothing if it is behind the eye. */
  project(point: Vector): { x: number; y: number } | null {
    const seen = this.#local(point).project(this.#camera);
    if (seen.z > 1 || seen.z < -1) return null;
    const { clientWidth: width, clientHeight: height } = this.#renderer.domElement;
    return { x: ((seen.x + 1) / 2) * width, y: ((1 - seen.y) / 2) * height };
  }

  /** The part that is drawn at a place of the canvas, in CSS pixels. */
  pick(x: number, y: number): number | null {
    const { clientWidth: width, clientHeight: height } = this.#renderer.domElement;
    const target = new WebGLRenderTarget(1, 1);
    this.#camera.setViewOffset(width, height, x, y, 1, 1);
    this.#renderer.setRenderTarget(target);
    this.#renderer.setClearColor(0, 0);
    this.#renderer.clear();
    if (this.#others !== "hidden" || !this.#selected) this.#pass(this.#faces, "part", Layer.Any);
    if (this.#selected) {
      this.#renderer.clearDepth();
      this.#pass(this.#pairFaces, "part", Layer.Any);
    }
    const pixel = new Uint8Array(4);
    this.#renderer.readRenderTargetPixels(target, 0, 0, 1, 1, pixel);
    this.#renderer.setRenderTarget(null);
    this.#camera.clearViewOffset();
    target.dispose();
    const [low = 0, mid = 0, high = 0, alpha = 0] = pixel;
    return alpha === 0 ? null : low + 256 * mid + 65536 * high - 1;
  }

  /** The place of a finding: what is drawn of it, or the smaller of two parts of which one is inside the other. */
  place(finding: Finding): Box {
    const box = empty();
    for (const loop of finding.loops) {
      const points = this.#bytes.doubles([loop.points[0], 3 * loop.points[1]]);
      for (let i = 0; i < points.length; i += 3) grow(box, points, i);
    }
    const isInside = finding.depth !== null && finding.loops.length === 0;
    if (!isInside) finding.points?.forEach((point) => grow(box, point, 0));
    if (finding.overlap) {
      const { centre, size, points } = this.#bytes.surface(finding.overlap);
      for (let i = 0; i < points.length; i += 3) {
        grow(
          box,
          [0, 1, 2].map((axis) => (centre[axis] ?? 0) + size * (points[i + axis] ?? 0)),
          0,
        );
      }
    }
    const isEmpty = box.low[0] > box.high[0];
    return isEmpty || (isInside && radius(box) === 0) ? this.#smaller(finding) : box;
  }

  /** The box of the smaller one of two parts. */
  #smaller(finding: Finding): Box {
    const [a, b] = [finding.a, finding.b].map((part) => this.#box(part) ?? empty()) as [Box, Box];
    return radius(b) > 0 && (radius(b) < radius(a) || radius(a) === 0) ? b : a;
  }

  #batches(): (Instance | null)[] {
    const counts = this.#data.geometries.map(() => 0);
    const numbers = this.#data.parts.map(({ geometry }) =>
      geometry === null ? 0 : (counts[geometry] = (counts[geometry] ?? 0) + 1) - 1,
    );
    const batches = this.#shared.map((shared, i) => {
      if (!shared) return null;
      const batch = new Batch(shared, counts[i] ?? 0);
      this.#faces.add(batch.faces);
      this.#lines.add(batch.lines);
      return batch;
    });
    return this.#data.parts.map(({ geometry }, part) => {
      const batch = geometry === null ? null : batches[geometry];
      const shared = this.#sharedOf(part);
      return batch && shared ? { batch, shared, instance: numbers[part] ?? 0 } : null;
    });
  }

  #sharedOf(part: number): Shared | null {
    const geometry = this.#data.parts[part]?.geometry ?? null;
    return geometry === null ? null : (this.#shared[geometry] ?? null);
  }

  /** The rows of a part's matrix, from its surface as it is stored to the world. */
  #rows(part: number, { centre, size }: Pick<Shared, "centre" | "size">): Float64Array {
    const rows = this.#poses.slice(12 * part, 12 * part + 12);
    for (let row = 0; row < 3; row++) {
      let moved = rows[4 * row + 3] ?? 0;
      for (let axis = 0; axis < 3; axis++) {
        const turned = rows[4 * row + axis] ?? 0;
        moved += turned * (centre[axis] ?? 0);
        rows[4 * row + axis] = turned * size * this.#data.scale;
      }
      rows[4 * row + 3] = moved * this.#data.scale;
    }
    return rows;
  }

  /** The same to the picture. */
  #toPicture(rows: Float64Array): Float64Array {
    return rows.map((x, i) => (i % 4 === 3 ? x - (this.#origin[(i - 3) / 4] ?? 0) : x) * this.#zoom);
  }

  #place(): void {
    this.#shown.forEach((shown, part) =>
      shown?.batch.place(shown.instance, this.#toPicture(this.#rows(part, shown.shared))),
    );
  }

  /** The box of a part in the world. */
  #box(part: number): Box | null {
    const shared = this.#sharedOf(part);
    if (!shared) return null;
    const rows = this.#rows(part, shared);
    const box = empty();
    for (const axis of [0, 1, 2] as const) {
      const at = rows[4 * axis + 3] ?? 0;
      const reach = [0, 1, 2].reduce(
        (sum, side) => sum + Math.abs(rows[4 * axis + side] ?? 0) * (shared.half[side] ?? 0),
        0,
      );
      [box.low[axis], box.high[axis]] = [at - reach, at + reach];
    }
    return box;
  }

  /** In which colour and pass each part is drawn. */
  #look(): void {
    // Findings come in order of severity.
    const worst = new Map<number, Finding>();
    for (const finding of [...this.#data.findings].reverse())
      [finding.a, finding.b].forEach((part) => worst.set(part, finding));
    const deepest = this.#data.findings.reduce((most, { depth }) => Math.max(most, depth?.value ?? 0), 0);
    // Of a part and itself there is one.
    const pair = this.#selected ? [...new Set([this.#selected.a, this.#selected.b])] : [];
    this.#shown.forEach((shown, part) => {
      const found = worst.get(part);
      const { part: plain, kinds } = this.#palette;
      const colour = found && !this.#selected ? mix(plain, kinds[found.kind], strength(found, deepest)) : plain;
      shown?.batch.look(shown.instance, colour, this.#layer(part, pair), part);
    });
    this.#pair.forEach((batch) => batch.dispose());
    this.#pairFaces.clear();
    this.#pairLines.clear();
    this.#pair = pair.flatMap((part, i) => {
      const shared = this.#sharedOf(part);
      if (!shared) return [];
      const batch = new Batch(shared, 1);
      batch.place(0, this.#toPicture(this.#rows(part, shared)));
      batch.look(0, i === 0 ? this.#palette.a : this.#palette.b, i === 0 ? Layer.A : Layer.B, part);
      this.#pairFaces.add(batch.faces);
      this.#pairLines.add(batch.lines);
      return [batch];
    });
    this.invalidate();
  }

  #layer(part: number, pair: number[]): Layer {
    if (pair.includes(part)) return Layer.Hidden;
    if (this.#others === "solid") return Layer.Opaque;
    if (this.#shells[part]) return Layer.Shell;
    return this.#selected ? Layer.Ghost : Layer.Opaque;
  }

  #remark(): void {
    this.#marks.erase();
    this.#commonBatch?.dispose();
    this.#commonBatch = null;
    this.#common.clear();
    const finding = this.#selected;
    if (!finding) return;
    const colour = new Color(this.#palette.loop);
    const ends: number[] = [];
    for (const { closed, points: section } of finding.loops) {
      const points = this.#bytes.doubles([section[0], 3 * section[1]]);
      const corners = Array.from({ length: section[1] }, (_, i) =>
        this.#local([points[3 * i] ?? 0, points[3 * i + 1] ?? 0, points[3 * i + 2] ?? 0]),
      );
      const last = closed && corners.length > 2 ? corners.length : corners.length - 1;
      for (let i = 0; i < last; i++)
        ends.push(...(corners[i] ?? new Vector3()), ...(corners[(i + 1) % corners.length] ?? new Vector3()));
    }
    this.#marks.loops(new Float32Array(ends), colour);
    if (finding.points) {
      const [p, q] = finding.points.map((point) => this.#local(point)) as [Vector3, Vector3];
      if (finding.way_out)
        this.#marks.arrow(p, p.clone().addScaledVector(new Vector3(...finding.way_out), this.#zoom), colour);
      else this.#marks.segment(p, q, colour);
    }
    if (finding.overlap) {
      const shared = new Shared(this.#bytes.surface(finding.overlap));
      const batch = new Batch(shared, 1);
      const size = finding.overlap.size * this.#zoom;
      const { x, y, z } = this.#local(finding.overlap.centre);
      batch.place(0, [size, 0, 0, x, 0, size, 0, y, 0, 0, size, z]);
      batch.look(0, this.#palette.overlap, Layer.Opaque, finding.a);
      this.#common.add(batch.faces);
      this.#commonBatch = batch;
    }
  }

  #reoutline(): void {
    for (const line of this.#outlineScene.children.slice() as ReturnType<typeof segments>[]) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.#outlineScene.clear();
    for (const { part, ends, colour, opacity, behind, width } of this.#outlines) {
      if (ends.length === 0) continue;
      const rows = this.#toPicture(this.#rows(part, { centre: [0, 0, 0], size: 1 }));
      const seen = new Float32Array(ends.length);
      for (let i = 0; i < ends.length; i += 3) {
        for (let axis = 0; axis < 3; axis++) {
          let sum = rows[4 * axis + 3] ?? 0;
          for (let k = 0; k < 3; k++) sum += (rows[4 * axis + k] ?? 0) * (ends[i + k] ?? 0);
          seen[i + axis] = sum;
        }
      }
      const tint = new Color().setRGB(...this.#palette[colour], "srgb");
      this.#outlineScene.add(
        segments(seen, tint, width, { opacity, depthTest: true }),
        segments(seen, tint, width, { opacity: behind }),
      );
    }
  }

  /** A point of the world in the picture. */
  #local(point: Vector): Vector3 {
    return new Vector3(
      point[0] - this.#origin[0],
      point[1] - this.#origin[1],
      point[2] - this.#origin[2],
    ).multiplyScalar(this.#zoom);
  }

  /** Changes the origin; nothing moves on screen. */
  #moveOrigin(origin: readonly [number, number, number]): void {
    const by = this.#local(origin).negate();
    this.#origin = [...origin];
    this.#camera.position.add(by);
    this.#controls.target.add(by);
    this.#place();
    this.#reoutline();
  }

  #overview(): View {
    const direction = new Vector3(0.62, 0.62, 0.62)
      .setComponent(this.#data.up, 0.5)
      .setComponent((this.#data.up + 2) % 3, 0.85);
    direction.normalize();
    return { target: this.#local(this.#middle), direction, distance: 0.97 * this.#around(this.#all, direction) };
  }

  /** A view from the side, so that a gap or an overlap is not seen end-on: close enough to see it, far enough to see
   * its surroundings. */
  #viewOf(finding: Finding): View {
    const box = this.place(finding);
    const point = middle(box);
    const direction = this.#overview().direction;
    const across = finding.way_out ?? difference(finding.points);
    if (across) {
      const normal = new Vector3(...across).normalize();
      const seen = direction.clone().addScaledVector(normal, -0.92 * direction.dot(normal));
      if (seen.length() > 0.2) direction.copy(seen.normalize());
    }
    const way = finding.way_out ? Math.hypot(...finding.way_out) : 0;
    const shown =
      Math.max(
        1.6 * radius(box),
        radius(box) + 1.2 * way,
        (finding.depth ? 0.9 : 0.5) * radius(this.#smaller(finding)),
      ) * this.#zoom;
    return { target: this.#local(point), direction, distance: this.#fitting(Math.min(Math.max(shown, 1e-9), 1)) };
  }

  /** From how far a box about the middle fits into the picture. */
  #around({ low, high }: Box, direction: Vector3): number {
    const half = new Vector3(high[0] - low[0], high[1] - low[1], high[2] - low[2]).multiplyScalar(this.#zoom / 2);
    const right = new Vector3().crossVectors(this.#camera.up, direction).normalize();
    const up = new Vector3().crossVectors(direction, right);
    const slope = Math.tan((FIELD_OF_VIEW / 2) * (Math.PI / 180));
    const needs = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => {
      const corner = new Vector3(...[0, 1, 2].map((axis) => ((k >> axis) & 1 ? 1 : -1) * half.getComponent(axis)));
      const wide = Math.abs(corner.dot(right)) / (slope * this.#camera.aspect);
      return corner.dot(direction) + Math.max(wide, Math.abs(corner.dot(up)) / slope);
    });
    return Math.max(...needs, 1e-9);
  }

  /** From how far a ball fits into the picture. */
  #fitting(radius: number): number {
    const half = (FIELD_OF_VIEW / 2) * (Math.PI / 180);
    const narrow = Math.min(1, this.#camera.aspect);
    return radius / Math.sin(Math.atan(Math.tan(half) * narrow));
  }

  #view(): View {
    const offset = this.#camera.position.clone().sub(this.#controls.target);
    return { target: this.#controls.target.clone(), direction: offset.clone().normalize(), distance: offset.length() };
  }

  #go({ target, direction, distance }: View): void {
    this.#controls.target.copy(target);
    this.#camera.position.copy(target).addScaledVector(direction, distance);
    this.#controls.update();
  }

  #fly(to: View): void {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#flight = null;
      this.#go(to);
    } else {
      this.#flight = { from: this.#view(), to, start: performance.now() };
    }
    this.invalidate();
  }

  /** True while a flight is on. */
  get flying(): boolean {
    return this.#flight !== null;
  }

  #advance(now: number): void {
    if (!this.#flight) return;
    const { from, to, start } = this.#flight;
    const s = Math.min(1, Math.max(0, (now - start) / FLIGHT));
    const eased = s * s * (3 - 2 * s);
    const mixed = from.direction.clone().lerp(to.direction, eased);
    this.#go({
      target: from.target.clone().lerp(to.target, eased),
      direction: mixed.length() > 1e-3 ? mixed.normalize() : to.direction,
      distance: from.distance * (to.distance / from.distance) ** eased,
    });
    if (s >= 1) this.#flight = null;
    else this.invalidate();
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#renderer.domElement;
    if (width === 0 || height === 0) return;
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    if (!this.#selected && !this.#flight) this.#go({ ...this.#view(), distance: this.#overview().distance });
    // A canvas of another size is empty: at once, so that no frame shows it like that.
    this.#render();
  }

  #pass(scene: Scene, style: Style, wanted: Layer, opacity: readonly [number, number] = [1, 1], shade = 1): void {
    const { uniforms } = this.#styles[style];
    Object.assign(uniforms["wanted"] ?? {}, { value: wanted });
    Object.assign(uniforms["opacity"] ?? {}, { value: opacity });
    Object.assign(uniforms["shade"] ?? {}, { value: shade });
    scene.overrideMaterial = this.#styles[style] as Material;
    this.#renderer.render(scene, this.#camera);
  }

  /** The nearest layer, see-through. */
  #film(scene: Scene, layer: Layer, opacity: readonly [number, number]): void {
    this.#pass(scene, "depth", layer);
    this.#pass(scene, "film", layer, opacity);
  }

  #render(): void {
    const distance = this.#camera.position.distanceTo(this.#controls.target);
    const reach = 1 + this.#local(this.#middle).distanceTo(this.#camera.position);
    this.#camera.near = Math.max(distance / 400, reach / 1e5);
    this.#camera.far = Math.max(1.05 * reach, 2 * distance);
    this.#camera.updateProjectionMatrix();
    const { background, line } = this.#palette;
    this.#renderer.setClearColor(new Color().setRGB(...background, "srgb"), 1);
    this.#renderer.clear();
    if (!this.#selected) this.#renderAll(line);
    else this.#renderPair(line, this.#selected);
    const height = this.#renderer.domElement.clientHeight || 1;
    const slope = (2 * Math.tan((FIELD_OF_VIEW / 2) * (Math.PI / 180))) / height;
    this.#marks.resize((point) => slope * this.#camera.position.distanceTo(point));
    this.#renderer.render(this.#outlineScene, this.#camera);
    this.#renderer.clearDepth();
    this.#renderer.render(this.#overlay, this.#camera);
    this.onRender();
  }

  #renderAll(line: number): void {
    this.#pass(this.#faces, "solid", Layer.Opaque);
    this.#pass(this.#lines, "line", Layer.Opaque, [0.55, 0], line);
    this.#film(this.#faces, Layer.Shell, [0.1, 0.5]);
    this.#pass(this.#lines, "line", Layer.Shell, [0.3, 0], line);
  }

  #renderPair(line: number, finding: Finding): void {
    if (this.#others === "solid") {
      this.#pass(this.#faces, "solid", Layer.Opaque);
      this.#pass(this.#lines, "line", Layer.Opaque, [0.4, 0], line);
      this.#pass(this.#pairFaces, "solid", Layer.Any);
      this.#pass(this.#pairLines, "line", Layer.Any, [0.6, 0], line);
      return;
    }
    if (this.#others === "ghosted") {
      this.#film(this.#faces, Layer.Ghost, [0.1, 0.3]);
      this.#pass(this.#lines, "line", Layer.Ghost, [0.12, 0], line);
      this.#renderer.clearDepth();
      this.#film(this.#faces, Layer.Shell, [0.04, 0.22]);
      this.#pass(this.#lines, "line", Layer.Shell, [0.1, 0], line);
    }
    const [a, b] = [finding.a, finding.b].map((part) => radius(this.#box(part) ?? empty())) as [number, number];
    const host = a > HOST * b ? Layer.A : b > HOST * a ? Layer.B : null;
    if (host === null) this.#renderAlike();
    else this.#renderHosted(line, host, host === Layer.A ? Layer.B : Layer.A);
    // Once more over both, so that they do not veil it; and edges over all.
    this.#renderer.clearDepth();
    this.#film(this.#common, Layer.Any, [0.5, 0.7]);
    this.#renderer.clearDepth();
    this.#pass(this.#pairFaces, "depth", Layer.Any);
    this.#pass(this.#pairLines, "line", Layer.Any, [0.75, 0], line);
  }

  /** Two parts of similar size: the nearest layer of each, then that of both, to show which is in front. */
  #renderAlike(): void {
    this.#renderer.clearDepth();
    this.#pass(this.#common, "solid", Layer.Any);
    for (const layer of [Layer.A, Layer.B]) {
      this.#renderer.clearDepth();
      this.#film(this.#pairFaces, layer, [0.3, 0.45]);
    }
    this.#renderer.clearDepth();
    this.#film(this.#pairFaces, Layer.Any, [0.4, 0.7]);
  }

  /** A small part in or at a large one: the large one is thin, and the small one is seen through it. */
  #renderHosted(line: number, host: Layer, guest: Layer): void {
    this.#renderer.clearDepth();
    this.#film(this.#pairFaces, host, [0.1, 0.5]);
    this.#pass(this.#pairLines, "line", host, [0.5, 0], line);
    this.#renderer.clearDepth();
    this.#pass(this.#common, "solid", Layer.Any);
    this.#renderer.clearDepth();
    this.#film(this.#pairFaces, guest, [0.55, 0.8]);
    this.#renderer.clearDepth();
    this.#pass(this.#pairFaces, "depth", guest);
    this.#pass(this.#pairLines, "line", guest, [0.9, 0], 2 * line);
  }
}

/** How strongly a finding colours its parts: of clashes the deepest most, so that not all are alike. */
function strength({ kind, depth }: Finding, deepest: number): number {
  if (kind !== "hard" || deepest === 0) return 1;
  return Math.min(1, Math.max(FAINTEST, 1 + Math.log10((depth?.value ?? 0) / deepest) / DECADES));
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const between = (axis: 0 | 1 | 2): number => from[axis] * (1 - share) + to[axis] * share;
  return [between(0), between(1), between(2)];
}

/** Whether a part is large and around a place where something was found. */
function isShell(box: Box, all: Box, points: readonly Vector[]): boolean {
  const share = ([0, 1, 2] as const).reduce<number>((product, axis) => {
    const side = all.high[axis] - all.low[axis];
    return side > 0 ? (product * (box.high[axis] - box.low[axis])) / side : product;
  }, 1);
  const around = (point: Vector): boolean =>
    ([0, 1, 2] as const).every((axis) => box.low[axis] <= point[axis] && point[axis] <= box.high[axis]);
  return share > SHELL && points.some(around);
}

function difference(points: readonly [Vector, Vector] | null): Vector | null {
  if (!points) return null;
  const [p, q] = points;
  const by: Vector = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
  return Math.hypot(...by) > 0 ? by : null;
}
