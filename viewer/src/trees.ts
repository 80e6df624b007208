// Trees over the parts: the volumes of a level, and the pairs of nodes that a query visited, one by one in their order.

import { type Bytes, type PackedTrees, short } from "./data";
import { element } from "./list";
import type { Outline, Stage } from "./stage";

/** Which volumes of a level are drawn. */
type Volumes = "reached" | "opened" | "pruned" | "all" | "none";
const VOLUMES: Record<Volumes, string> = {
  reached: "reached",
  opened: "opened",
  pruned: "pruned",
  all: "all",
  none: "none",
};

const enum State {
  Opened = 0,
  Pruned = 1,
  Unreached = 2,
}

const enum Outcome {
  Opened = 0,
  Pruned = 1,
  Tested = 2,
  /** It passed, and was dropped when its turn came: something nearer had been found. */
  Dropped = 3,
  /** Its turn did not come before the search ended. */
  Waiting = 4,
}

interface Visit {
  readonly nodes: readonly [number, number];
  readonly outcome: Outcome;
  readonly tested: number;
  readonly bound: number;
  readonly limit: number;
}

interface Tree {
  readonly part: number;
  readonly levels: readonly number[];
  readonly leaves: readonly number[];
  readonly states: readonly number[];
  /** The ends of the outline of each node, in the frame of the part's geometry, three numbers each. */
  readonly outlines: readonly Float64Array[];
}

/** Pairs shown per second while playing, and the most seconds that all of them take. */
const RATE = 8;
const ALL = 40;
/** A level that shows something without being a crowd. */
const FIRST_LEVEL = 3;

/** Line widths in pixels, and opacities. */
const WIDTH = 1.3;
const PAIR_WIDTH = 3;
const OPACITY: Record<State, number> = { [State.Opened]: 0.85, [State.Pruned]: 0.45, [State.Unreached]: 0.3 };
/** What opacities are multiplied with while a pair is shown. */
const FADED = 0.3;
/** How much of an outline is seen behind parts, and of that of a pair. */
const BEHIND = 0.22;
const PAIR_BEHIND = 0.5;

export class Trees {
  readonly #stage: Stage | null;
  readonly #unit: string;
  readonly #trees: readonly Tree[];
  readonly #visits: readonly Visit[];
  readonly #deepest: number;
  readonly #hidden = new Set<number>();
  #timer = 0;

  constructor({ trees, visits }: PackedTrees, bytes: Bytes, stage: Stage | null, unit: string | null) {
    this.#stage = stage;
    this.#unit = unit ? ` ${unit}` : "";
    this.#trees = trees.map((tree) => ({ ...tree, outlines: outlines(tree.segments, tree.ends, bytes) }));
    this.#visits = unpacked(bytes.doubles([visits[0], visits[1]]));
    this.#deepest = this.#trees.reduce((most, { levels }) => levels.reduce((p, q) => Math.max(p, q), most), 0);
    this.#controls(trees.map(({ name }) => name));
    this.#show();
  }

  #controls(names: readonly string[]): void {
    get("trees").hidden = false;
    const [level, visit] = [slider("level"), slider("visit")];
    level.max = String(this.#deepest);
    level.value = String(Math.min(FIRST_LEVEL, this.#deepest));
    visit.max = String(this.#visits.length);
    get("visits").hidden = this.#visits.length === 0;
    const volumes = get<HTMLSelectElement>("volumes");
    const shown = Object.entries(VOLUMES).filter(([name]) => this.#visits.length > 0 || /^(all|none)$/.test(name));
    volumes.append(...shown.map(([value, textContent]) => element("option", { value, textContent })));
    names.forEach((name, i) => {
      const box = element("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        if (box.checked) this.#hidden.delete(i);
        else this.#hidden.add(i);
        this.#show();
      });
      const label = element("label", { className: i === 0 ? "a" : "b", title: name });
      label.append(box, names.length > 1 ? (i === 0 ? "A" : "B") : name);
      get("of").append(label);
    });
    for (const control of [level, visit]) control.addEventListener("input", () => this.#show());
    volumes.addEventListener("change", () => this.#show());
    visit.addEventListener("pointerdown", () => this.#stop());
    get("walk").addEventListener("click", () => (this.#timer === 0 ? this.#play() : this.#stop()));
    document.querySelectorAll<HTMLElement>(".of-trees").forEach((row) => (row.hidden = false));
  }

  /** Moves a slider by a step. */
  step(id: "level" | "visit", by: 1 | -1): void {
    const moved = slider(id);
    moved.value = String(Number(moved.value) + by);
    this.#show();
  }

  #play(): void {
    const visit = slider("visit");
    if (visit.value === visit.max) visit.value = "0";
    const step = Math.max(1, Math.ceil(this.#visits.length / (RATE * ALL)));
    get("walk").textContent = "Pause";
    this.#timer = window.setInterval(() => {
      visit.value = String(Number(visit.value) + step);
      this.#show();
      if (visit.value === visit.max) this.#stop();
    }, 1000 / RATE);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
    get("walk").textContent = "Play";
  }

  #show(): void {
    const level = Number(slider("level").value);
    const at = Number(slider("visit").value);
    const visit = this.#visits[at - 1];
    const wanted = get<HTMLSelectElement>("volumes").value as Volumes;
    const shown: Outline[] = [];
    const counts: string[] = [];
    this.#trees.forEach((tree, i) => {
      const nodes = tree.levels.flatMap((own, node) =>
        own === level || (own < level && tree.leaves[node] === 1) ? [node] : [],
      );
      const of = (state: State): number[] => nodes.filter((node) => tree.states[node] === state);
      counts.push(this.#visits.length > 0 ? `${of(State.Opened).length + of(State.Pruned).length}` : `${nodes.length}`);
      for (const state of [State.Unreached, State.Pruned, State.Opened]) {
        if (this.#hidden.has(i) || !isShown(wanted, state)) continue;
        // Where no query was, no volume is fainter than another.
        const opacity = (this.#visits.length > 0 ? OPACITY[state] : OPACITY[State.Opened]) * (visit ? FADED : 1);
        const ends = joined(of(state).map((node) => tree.outlines[node] ?? new Float64Array()));
        shown.push({
          part: tree.part,
          ends,
          colour: i === 0 ? "a" : "b",
          opacity,
          behind: opacity * BEHIND,
          width: WIDTH,
        });
      }
      const own = visit?.nodes[i];
      if (own !== undefined) {
        const ends = tree.outlines[own] ?? new Float64Array();
        shown.push({
          part: tree.part,
          ends,
          colour: i === 0 ? "a" : "b",
          opacity: 1,
          behind: PAIR_BEHIND,
          width: PAIR_WIDTH,
        });
      }
    });
    if (this.#stage) this.#stage.outlines = shown;
    const counted = this.#visits.length > 0 ? `reached ${counts.join(" + ")}` : `${counts.join(" + ")} volumes`;
    const levels = `${level} of ${this.#deepest}: ${counted}`;
    get("level-now").textContent = levels;
    slider("level").setAttribute("aria-valuetext", levels);
    const words = visit ? `${at} of ${this.#visits.length}: ${this.#words(visit)}` : `all ${this.#visits.length}`;
    get("visit-now").textContent = words;
    slider("visit").setAttribute("aria-valuetext", words);
  }

  #words({ nodes, outcome, tested, bound, limit }: Visit): string {
    const [a, b] = nodes.map((node, i) => this.#trees[i]?.levels[node] ?? 0);
    const levels = `levels ${a} × ${b}`;
    if (outcome === Outcome.Tested) return `${levels}, ${tested} pair${tested === 1 ? "" : "s"} of triangles`;
    const words = { [Outcome.Opened]: "opened", [Outcome.Dropped]: "dropped later", [Outcome.Waiting]: "not needed" };
    const apart = bound > 0 ? `at least ${short(bound)}${this.#unit} apart` : "";
    const nearer = Number.isFinite(limit) && limit > 0 ? `nearest so far ${short(limit)}${this.#unit}` : "";
    const came = outcome === Outcome.Pruned ? ["pruned", apart || "apart", nearer] : [words[outcome], apart];
    return [levels, ...came].filter((word) => word !== "").join(", ");
  }
}

function isShown(wanted: Volumes, state: State): boolean {
  if (wanted === "all") return true;
  if (wanted === "reached") return state !== State.Unreached;
  return state === (wanted === "opened" ? State.Opened : wanted === "pruned" ? State.Pruned : -1);
}

/** The ends of the segments of each node, one array for each. */
function outlines(segments: readonly number[], ends: PackedTrees["trees"][number]["ends"], bytes: Bytes): Float64Array[] {
  const points = bytes.points(ends.points);
  const all = Float64Array.from(points, (x, i) => (ends.centre[i % 3] ?? 0) + ends.size * x);
  let at = 0;
  return segments.map((count) => all.subarray(at, (at += 6 * count)));
}

function unpacked(numbers: Float64Array): Visit[] {
  return Array.from({ length: numbers.length / 6 }, (_, i) => {
    const [a = 0, b = 0, outcome = 0, tested = 0, bound = 0, limit = 0] = numbers.subarray(6 * i, 6 * i + 6);
    return { nodes: [a, b], outcome, tested, bound, limit };
  });
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function get<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

function slider(id: "level" | "visit"): HTMLInputElement {
  return get<HTMLInputElement>(id);
}
