// All about the finding one looks at.

import { type Bracket, type Data, type Finding, short } from "./data";
import { element, nameOf } from "./list";

export interface Steps {
  /** Where the finding is in the list, from 1, and how many there are. */
  readonly at: number;
  readonly of: number;
  previous(): void;
  next(): void;
  all(): void;
}

export function card(place: HTMLElement, data: Data, finding: Finding, steps: Steps): void {
  const head = element("div", { className: "head" });
  const links = element("div", { className: "steps" });
  links.append(
    element("a", { href: `#${encodeURIComponent(finding.id)}`, textContent: "Link", title: "A link to this finding" }),
    element("span", { textContent: `${steps.at} of ${steps.of}` }),
    button("‹ Previous", steps.previous),
    button("Next ›", steps.next),
    button("All", steps.all),
  );
  head.append(element("h2", { textContent: finding.sentence }), links);
  const parts = element("div", { className: "parts" });
  const both = [
    ["A", finding.a],
    ["B", finding.b],
  ] as const;
  for (const [letter, part] of finding.a === finding.b ? both.slice(0, 1) : both) {
    const line = element("p", { className: letter.toLowerCase() });
    line.append(element("b", { textContent: letter }), nameOf(data, part));
    parts.append(line);
  }
  const facts = element("dl", {});
  const unit = data.unit ? ` ${data.unit}` : "";
  const cubic = data.unit ? ` ${data.unit}³` : "";
  const rows: (readonly [string, string])[] = [];
  if (finding.depth) rows.push(["depth", bracket(finding.depth, unit)]);
  else if (finding.gap) rows.push(["gap", bracket(finding.gap, unit)]);
  if (finding.volume) rows.push(["in common", bracket(finding.volume, cubic)]);
  if (finding.points) rows.push(["at", `(${finding.points[0].map(short).join(", ")})${unit}`]);
  rows.push(...finding.details, ["id", finding.id]);
  for (const [name, value] of rows) {
    const fact = element("div", {});
    fact.append(element("dt", { textContent: name }), element("dd", { textContent: value }));
    facts.append(fact);
  }
  place.replaceChildren(head, parts, facts);
}

/** A number with all the digits it has: this is what was proved. */
function bracket({ value, lower, upper }: Bracket, unit: string): string {
  return `${value}${unit}; ${lower} ≤ truth ≤ ${upper}`;
}

function button(text: string, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", textContent: text });
  made.addEventListener("click", press);
  return made;
}
