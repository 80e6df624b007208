// Tables below the list of findings: folded, as they are not about faults.

import { type Table } from "./data";
import { element } from "./list";

export function table({ title, columns, rows }: Table): HTMLElement {
  const made = element("table", {});
  const row = (cells: readonly string[], name: "th" | "td"): HTMLElement => {
    const line = element("tr", {});
    line.append(...cells.map((textContent) => element(name, { textContent })));
    return line;
  };
  const head = element("thead", {});
  head.append(row(columns, "th"));
  const body = element("tbody", {});
  body.append(...rows.map((cells) => row(cells, "td")));
  made.append(head, body);
  const folded = element("details", {});
  folded.append(element("summary", { textContent: title }), made);
  return folded;
}
