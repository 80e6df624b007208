// The list of findings: sorted, filtered, in groups.

import { type Data, type Finding, KINDS, type Kind, family, lastName, short } from "./data";

export type Sort = "severity" | "kind" | "depth" | "volume" | "gap" | "name";
export type Grouping = "pair" | "part" | "none";

export const SORTS: Record<Sort, string> = {
  severity: "worst first",
  kind: "by kind",
  depth: "deepest",
  volume: "most in common",
  gap: "smallest gap",
  name: "by name",
};
export const GROUPINGS: Record<Grouping, string> = { pair: "alike", part: "by part", none: "none" };

export interface Query {
  readonly kinds: ReadonlySet<Kind>;
  readonly words: string;
  readonly sort: Sort;
  readonly group: Grouping;
}

export interface Group {
  readonly title: string;
  readonly findings: Finding[];
}

/** The findings that a query asks for, in groups, in order. By part, a finding is shown with each of its two parts. */
export function arrange(data: Data, query: Query): Group[] {
  const { bounds, words } = conditions(query.words);
  const matches = (finding: Finding): boolean => {
    if (!query.kinds.has(finding.kind) || !bounds.every((bound) => bound(finding))) return false;
    const text = [
      nameOf(data, finding.a),
      nameOf(data, finding.b),
      finding.id,
      finding.sentence,
      ...finding.details.map(([, value]) => value),
    ];
    const all = text.join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const sorted = data.findings.filter(matches);
  const key = keys[query.sort];
  if (key) sorted.sort((p, q) => key(p) - key(q));
  if (query.sort === "name") sorted.sort((p, q) => pairOf(data, p).localeCompare(pairOf(data, q)));
  if (query.group === "none") return sorted.length > 0 ? [{ title: "", findings: sorted }] : [];
  const groups = new Map<string, Finding[]>();
  for (const finding of sorted) {
    const titles =
      query.group === "pair" ? [finding.group] : [finding.a, finding.b].map((part) => family(nameOf(data, part)));
    for (const title of new Set(titles)) {
      const group = groups.get(title);
      if (group) group.push(finding);
      else groups.set(title, [finding]);
    }
  }
  return [...groups].map(([title, findings]) => ({ title, findings }));
}

type Bound = (finding: Finding) => boolean;

const COMPARED: Record<string, (value: number, to: number) => boolean> = {
  ">": (value, to) => value > to,
  ">=": (value, to) => value >= to,
  "<": (value, to) => value < to,
  "<=": (value, to) => value <= to,
};

/**
 * Parses the filter. `depth>1`, `volume>=20`, `gap<0.5` bound a number of a finding, in the unit of the page, with or
 * without spaces; findings without that number are hidden. Everything else is words. An incomplete bound (`depth>`) is
 * ignored.
 */
function conditions(text: string): { bounds: Bound[]; words: string[] } {
  const bounds: Bound[] = [];
  const pattern = /(^|\s)(depth|volume|gap)\s*([<>]=?)\s*(\S*)/g;
  const rest = text
    .toLowerCase()
    .replace(pattern, (all, _, name: "depth" | "volume" | "gap", sign: string, number: string) => {
      const [to, compare] = [Number(number), COMPARED[sign]];
      if (number === "" || number === "-" || number === ".") return " ";
      // A value that is not a number matches no finding.
      if (Number.isNaN(to) || !compare) return all;
      bounds.push((finding) => {
        const proved = finding[name];
        return proved !== null && compare(proved.value, to);
      });
      return " ";
    });
  return { bounds, words: rest.split(/\s+/).filter((word) => word !== "") };
}

/** Smaller is first; what has no such number is last. Findings come in order of severity. */
const keys: Partial<Record<Sort, (finding: Finding) => number>> = {
  kind: ({ kind }) => KINDS.indexOf(kind),
  depth: ({ depth }) => (depth ? -depth.value : Infinity),
  volume: ({ volume }) => (volume ? -volume.value : Infinity),
  gap: ({ gap }) => gap?.value ?? Infinity,
};

export function nameOf(data: Data, part: number): string {
  return data.parts[part]?.name ?? "";
}

export function pairOf(data: Data, finding: Finding): string {
  if (finding.a === finding.b) return `${lastName(nameOf(data, finding.a))} × itself`;
  return `${lastName(nameOf(data, finding.a))} × ${lastName(nameOf(data, finding.b))}`;
}

/** The number that says most about a finding, with its unit. */
export function mainNumber(data: Data, { gap, depth, kind }: Finding): string {
  const unit = data.unit ? ` ${data.unit}` : "";
  if (kind === "duplicate") return "";
  if (depth) return `${short(depth.value)}${unit} deep`;
  return gap && gap.value >= 0 ? `${short(gap.value)}${unit}` : "";
}

/** Rebuilds the list. */
export function show(
  place: HTMLElement,
  data: Data,
  groups: readonly Group[],
  query: Query,
  choose: (finding: Finding) => void,
): void {
  place.replaceChildren(
    ...groups.map((group) => {
      const list = element("ol", {});
      list.append(
        ...group.findings.map((finding) => {
          const row = element("button", { className: `finding ${className(finding.kind)}`, type: "button" });
          row.dataset["id"] = finding.id;
          row.append(
            element("span", { className: "dot" }),
            element("span", { className: "pair", textContent: pairOf(data, finding) }),
            element("span", { className: "number", textContent: mainNumber(data, finding) }),
            element("span", { className: "sentence", textContent: finding.sentence }),
          );
          row.addEventListener("click", () => choose(finding));
          const item = element("li", {});
          item.append(row);
          return item;
        }),
      );
      const section = element("section", {});
      if (group.title !== "" && (group.findings.length > 1 || query.group === "part")) {
        const heading = element("h2", { textContent: group.title });
        heading.append(element("span", { textContent: String(group.findings.length) }));
        section.append(heading);
      }
      section.append(list);
      return section;
    }),
  );
}

/** The CSS class of a kind; unknown kinds have none. */
export function className(kind: Kind): string {
  return KINDS.includes(kind) ? kind : "";
}

/** An element with properties; text is only ever set as text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties);
}
