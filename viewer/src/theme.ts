// Light and dark, and the colours of each in the picture.

import { type Kind, KINDS, type Vector } from "./data";
import type { Palette } from "./stage";

export type Theme = "system" | "light" | "dark";
const ORDER: readonly Theme[] = ["system", "light", "dark"];

/** Sets the theme of the page; `changed` notifies the view. */
export class Themes {
  readonly #button: HTMLButtonElement;
  readonly #system = matchMedia("(prefers-color-scheme: dark)");
  readonly #changed: () => void;
  #theme: Theme = "system";

  constructor(button: HTMLButtonElement, changed: () => void) {
    this.#button = button;
    this.#changed = changed;
    this.#apply();
    button.addEventListener("click", () => {
      this.#theme = ORDER[(ORDER.indexOf(this.#theme) + 1) % ORDER.length] ?? "system";
      this.#apply();
      this.#changed();
    });
    this.#system.addEventListener("change", () => {
      this.#apply();
      this.#changed();
    });
  }

  #apply(): void {
    const dark = this.#theme === "dark" || (this.#theme === "system" && this.#system.matches);
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
    this.#button.textContent = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[this.#theme];
  }

  get palette(): Palette {
    const dark = document.documentElement.dataset["theme"] === "dark";
    const style = getComputedStyle(document.documentElement);
    const of = (name: string): Vector => rgb(style.getPropertyValue(name).trim());
    return {
      background: of("--page"),
      part: dark ? rgb("#a3adb9") : rgb("#b9c1ca"),
      line: dark ? 0.25 : 0.35,
      loop: dark ? "#ffffff" : "#101317",
      kinds: Object.fromEntries(KINDS.map((kind) => [kind, of(`--${kind}`)])) as Record<Kind, Vector>,
      a: rgb("#e5404a"),
      b: rgb("#2f74e8"),
      // Brighter than can be shown, so that it is bright in the shade too.
      overlap: [1.35, 0.88, 0.1],
    };
  }
}

/** `#rrggbb` as three numbers from 0 to 1. */
function rgb(text: string): Vector {
  const part = (at: number): number => Number.parseInt(text.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}
