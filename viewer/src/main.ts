// The page: data in, list and picture beside each other, one finding selected or none.

import { middle } from "./box";
import { card } from "./card";
import { Bytes, type Data, type Finding, KINDS, type Kind, lastName, short } from "./data";
import {
  GROUPINGS,
  type Group,
  type Grouping,
  type Query,
  SORTS,
  type Sort,
  arrange,
  className,
  element,
  mainNumber,
  nameOf,
  pairOf,
  show,
} from "./list";
import { type Others, Stage } from "./stage";
import { Themes } from "./theme";
import { table } from "./table";
import { timeline } from "./timeline";
import { Trees } from "./trees";

/** The largest number of findings with a pin in the view, worst first. */
const PINS = 200;
const OTHERS: Record<Others, string> = { ghosted: "ghosted", hidden: "hidden", solid: "solid" };
/** The turn of an arrow key, in radians. */
const TURN = Math.PI / 24;

function by<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

class Page {
  readonly #data: Data;
  readonly #byId: Map<string, Finding>;
  readonly #stage: Stage | null;
  readonly #trees: Trees | null;
  #kinds: Set<Kind>;
  #groups: Group[] = [];
  #selected: Finding | null = null;

  constructor(data: Data, bytes: Bytes) {
    this.#data = data;
    this.#byId = new Map(data.findings.map((finding) => [finding.id, finding]));
    this.#kinds = new Set(KINDS);
    const themes = new Themes(by("theme"), () => {
      if (this.#stage) this.#stage.palette = themes.palette;
    });
    this.#stage = makeStage(data, bytes, themes);
    this.#head();
    this.#filters();
    this.#tools();
    this.#pins();
    this.#print();
    this.#list();
    if (this.#stage && data.timeline) timeline(data.timeline, this.#stage);
    this.#trees = data.trees ? new Trees(data.trees, bytes, this.#stage, data.unit) : null;
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("hashchange", () => this.#followLink());
    this.#followLink();
  }

  #head(): void {
    by("title").textContent = this.#data.title;
    by("verdict").textContent = this.#data.verdict;
    by("summary").append(...this.#data.summary.map((line) => element("li", { textContent: line })));
    by("notes").append(...this.#data.notes.map((line) => element("li", { textContent: line })));
    by("about").hidden = this.#data.summary.length === 0;
    by("notes").hidden = this.#data.notes.length === 0;
    by("tables").append(...this.#data.tables.map(table));
  }

  #filters(): void {
    for (const kind of KINDS) {
      const count = this.#data.findings.filter((finding) => finding.kind === kind).length;
      if (count === 0) continue;
      const chip = element("button", { type: "button", className: className(kind) });
      chip.setAttribute("aria-pressed", "true");
      chip.append(element("span", { className: "dot" }), kind, element("b", { textContent: String(count) }));
      chip.addEventListener("click", () => {
        const shown = !this.#kinds.delete(kind);
        if (shown) this.#kinds.add(kind);
        chip.setAttribute("aria-pressed", String(shown));
        this.#list();
      });
      by("kinds").append(chip);
    }
    options(by<HTMLSelectElement>("sort"), SORTS);
    options(by<HTMLSelectElement>("group"), GROUPINGS);
    for (const id of ["sort", "group"]) by(id).addEventListener("change", () => this.#list());
    by("words").addEventListener("input", () => this.#list());
    by("filters").addEventListener("submit", (event) => event.preventDefault());
  }

  #list(): void {
    const query: Query = {
      kinds: this.#kinds,
      words: by<HTMLInputElement>("words").value,
      sort: by<HTMLSelectElement>("sort").value as Sort,
      group: by<HTMLSelectElement>("group").value as Grouping,
    };
    this.#groups = arrange(this.#data, query);
    show(by("findings"), this.#data, this.#groups, query, (finding) => this.#select(finding));
    const shown = this.#order().length;
    const all = this.#data.findings.length;
    by("count").textContent =
      all === 0
        ? "No findings."
        : shown === all
          ? `${all} finding${all === 1 ? "" : "s"}`
          : `${shown} of ${all} findings`;
    this.#mark();
  }

  /** The findings in the order of the list, each once. */
  #order(): Finding[] {
    return [...new Set(this.#groups.flatMap((group) => group.findings))];
  }

  #select(finding: Finding | null): void {
    this.#selected = finding;
    if (finding && finding.frame !== null) {
      by<HTMLInputElement>("time").value = String(finding.frame);
      by("time").dispatchEvent(new Event("input"));
    }
    this.#stage?.select(finding);
    by("card").hidden = finding === null;
    by("pins").hidden = finding !== null;
    if (finding) {
      const order = this.#order();
      const at = order.indexOf(finding) + 1;
      card(by("card"), this.#data, finding, {
        at,
        of: order.length,
        previous: () => this.#step(-1),
        next: () => this.#step(1),
        all: () => this.#select(null),
      });
      const name = `${nameOf(this.#data, finding.a)} and ${nameOf(this.#data, finding.b)}`;
      by("live").textContent = `Finding ${at} of ${order.length}: ${finding.sentence}. ${name}.`;
    } else {
      by("live").textContent = "All findings.";
    }
    by("label").textContent = finding ? this.#labelOf(finding) : "";
    this.#mark();
    this.#remember(finding);
  }

  #labelOf(finding: Finding): string {
    const unit = this.#data.unit ? ` ${this.#data.unit}` : "";
    const way = finding.way_out ? `move by ${short(Math.hypot(...finding.way_out))}${unit}` : "";
    return [mainNumber(this.#data, finding), way].filter((text) => text !== "").join(" · ");
  }

  #mark(): void {
    let first: HTMLElement | null = null;
    for (const row of by("findings").querySelectorAll<HTMLElement>(".finding")) {
      const chosen = row.dataset["id"] === this.#selected?.id;
      if (chosen) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
      if (chosen) first ??= row;
    }
    first?.scrollIntoView({ block: "nearest" });
  }

  #step(by: 1 | -1): void {
    const order = this.#order();
    const at = this.#selected ? order.indexOf(this.#selected) : by > 0 ? -1 : order.length;
    const finding = order[(at + by + order.length) % order.length];
    if (!finding) return;
    const inList = document.activeElement?.classList.contains("finding");
    this.#select(finding);
    if (inList) document.querySelector<HTMLElement>('.finding[aria-current="true"]')?.focus();
  }

  /** The address names the finding, so that it can be sent. A page without an address of its own has no such thing. */
  #remember(finding: Finding | null): void {
    try {
      history.replaceState(null, "", finding ? `#${encodeURIComponent(finding.id)}` : "#");
    } catch {
      // In a frame of a notebook.
    }
  }

  #followLink(): void {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      return;
    }
    const finding = this.#byId.get(id);
    if (finding && finding !== this.#selected) this.#select(finding);
  }

  #tools(): void {
    const others = by<HTMLSelectElement>("others");
    options(others, OTHERS);
    others.addEventListener("change", () => {
      if (this.#stage) this.#stage.others = others.value as Others;
    });
    by("home").addEventListener("click", () => this.#stage?.home());
    by("help").addEventListener("click", () => by<HTMLDialogElement>("keys").showModal());
    const canvas = by("canvas");
    let pressed: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (event) => (pressed = [event.offsetX, event.offsetY]));
    canvas.addEventListener("pointerup", (event) => {
      if (pressed && Math.hypot(event.offsetX - pressed[0], event.offsetY - pressed[1]) < 4)
        this.#pick(event.offsetX, event.offsetY);
      pressed = null;
    });
    canvas.addEventListener("keydown", (event) => this.#turn(event));
  }

  #pick(x: number, y: number): void {
    const part = this.#stage?.pick(x, y) ?? null;
    const count = this.#data.findings.filter(({ a, b }) => a === part || b === part).length;
    const counted = count === 0 ? "no findings" : count === 1 ? "1 finding" : `${count} findings`;
    by("hover").hidden = part === null;
    by("hover").textContent = part === null ? "" : `${nameOf(this.#data, part)}: ${counted}`;
  }

  #turn(event: KeyboardEvent): void {
    const turns: Record<string, [number, number, number]> = {
      ArrowLeft: [-TURN, 0, 1],
      ArrowRight: [TURN, 0, 1],
      ArrowUp: [0, -TURN, 1],
      ArrowDown: [0, TURN, 1],
      "+": [0, 0, 1.2],
      "=": [0, 0, 1.2],
      "-": [0, 0, 1 / 1.2],
    };
    const turn = turns[event.key];
    if (!turn) return;
    this.#stage?.turn(...turn);
    event.preventDefault();
    event.stopPropagation();
  }

  #key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || by<HTMLDialogElement>("keys").open) return;
    if (target.matches("input, select, textarea")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const others = by<HTMLSelectElement>("others");
    const keys: Record<string, () => void> = {
      n: () => this.#step(1),
      j: () => this.#step(1),
      ArrowDown: () => this.#step(1),
      p: () => this.#step(-1),
      k: () => this.#step(-1),
      ArrowUp: () => this.#step(-1),
      f: () => this.#stage?.home(),
      o: () => {
        others.selectedIndex = (others.selectedIndex + 1) % others.length;
        others.dispatchEvent(new Event("change"));
      },
      "[": () => this.#trees?.step("level", -1),
      "]": () => this.#trees?.step("level", 1),
      ",": () => this.#trees?.step("visit", -1),
      ".": () => this.#trees?.step("visit", 1),
      "/": () => by("words").focus(),
      "?": () => by<HTMLDialogElement>("keys").showModal(),
      Escape: () => this.#select(null),
    };
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  /** Pins on the findings while all are shown, and a label on the one that is selected. */
  #pins(): void {
    const stage = this.#stage;
    if (!stage) return;
    // What is so at one time only has no place while all is shown.
    const lasting = this.#data.findings.filter((finding) => finding.frame === null);
    const places = lasting.slice(0, PINS).map((finding) => ({ finding, point: middle(stage.place(finding)) }));
    const pins = places.map(({ finding }) => {
      const pin = element("button", {
        type: "button",
        tabIndex: -1,
        className: className(finding.kind),
        title: `${finding.kind}: ${pairOf(this.#data, finding)}`,
      });
      pin.addEventListener("click", () => this.#select(finding));
      return pin;
    });
    // The worst is on top.
    by("pins").append(...[...pins].reverse());
    const put = (shown: HTMLElement, at: { x: number; y: number } | null, by: string): void => {
      shown.hidden = at === null;
      if (at) shown.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)${by}`;
    };
    stage.onRender = () => {
      const finding = this.#selected;
      if (!finding) places.forEach(({ point }, i) => put(pins[i] as HTMLElement, stage.project(point), ""));
      const label = by("label");
      const way = finding?.way_out ?? null;
      const [p, q] = finding?.points ?? [null, null];
      const end =
        p && way
          ? ([p[0] + way[0], p[1] + way[1], p[2] + way[2]] as const)
          : p && q
            ? ([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2] as const)
            : null;
      const at = end && label.textContent ? stage.project(end) : null;
      put(label, at, at && p && way ? beyond(label, stage.project(p), at) : " translate(14px, -50%)");
      document.documentElement.dataset["flying"] = String(stage.flying);
    };
    stage.invalidate();
  }

  /** A canvas is not printed: a picture of it is. */
  #print(): void {
    const snapshot = by<HTMLImageElement>("snapshot");
    addEventListener("beforeprint", () => {
      snapshot.src = by<HTMLCanvasElement>("canvas").toDataURL();
      snapshot.hidden = this.#stage === null;
    });
    addEventListener("afterprint", () => (snapshot.hidden = true));
  }
}

/** From the head of an arrow on, so that a label does not lie on it. */
function beyond(label: HTMLElement, from: { x: number; y: number } | null, to: { x: number; y: number }): string {
  const [x, y] = from ? [to.x - from.x, to.y - from.y] : [1, 0];
  const length = Math.hypot(x, y) || 1;
  const off = (part: number, size: number): string =>
    `calc(-50% + ${((part / length) * (size / 2 + 22)).toFixed(1)}px)`;
  return ` translate(${off(x, label.offsetWidth)}, ${off(y, label.offsetHeight)})`;
}

function options(select: HTMLSelectElement, names: Record<string, string>): void {
  select.append(...Object.entries(names).map(([value, textContent]) => element("option", { value, textContent })));
}

function makeStage(data: Data, bytes: Bytes, themes: Themes): Stage | null {
  try {
    return new Stage(by("canvas"), data, bytes, themes.palette);
  } catch (error) {
    complain(`The parts cannot be drawn here: ${String(error)}. The list of findings is complete.`);
    by("canvas").hidden = true;
    return null;
  }
}

function complain(problem: string): void {
  by("problem").hidden = false;
  by("problem").textContent = problem;
}

async function start(): Promise<void> {
  const data = JSON.parse(by("data").textContent ?? "") as Data;
  document.title = `${lastName(data.title)}: ${data.verdict}`;
  new Page(data, await Bytes.unpack(by("geometry").textContent ?? ""));
  document.documentElement.dataset["ready"] = "true";
}

start().catch((error: unknown) => complain(`This report cannot be shown: ${String(error)}`));
