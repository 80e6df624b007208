// The slider of a motion. It goes from frame to frame: what is shown is a pose that was given, never one in between.

import { type Timeline, short } from "./data";
import type { Stage } from "./stage";

/** Milliseconds from frame to frame while playing, and for all of them. */
const FRAME = 40;
const ALL = 6000;

export function timeline({ times, label }: Timeline, stage: Stage): void {
  const get = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
  const [slider, play, now] = [
    get<HTMLInputElement>("time"),
    get<HTMLButtonElement>("play"),
    get<HTMLOutputElement>("now"),
  ];
  get("timeline").hidden = times.length < 2;
  slider.max = String(times.length - 1);
  slider.value = "0";
  const show = (): void => {
    const frame = Number(slider.value);
    stage.frame = frame;
    now.textContent = `${label} ${short(times[frame] ?? 0)}`.trim();
    slider.setAttribute("aria-valuetext", now.textContent);
  };
  slider.addEventListener("input", show);
  show();
  let timer = 0;
  const stop = (): void => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer !== 0) return stop();
    play.textContent = "Pause";
    timer = window.setInterval(
      () => {
        slider.value = String((Number(slider.value) + 1) % times.length);
        show();
      },
      Math.max(FRAME, ALL / times.length),
    );
  });
  slider.addEventListener("pointerdown", stop);
}
