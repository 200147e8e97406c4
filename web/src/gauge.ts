/** The likelihood ratio on its bar: needle, interval, bounds at the ends. */

import { el } from "./dom";
import { signed, t } from "./i18n";

export interface Ratio {
  log10_lr: number;
  bounds: [number, number];
  interval?: [number, number];
  left: string;
  right: string;
}

export function gauge(ratio: Ratio): HTMLElement {
  const reach = Math.max(...ratio.bounds.map(Math.abs)) || 1;
  const at = (value: number): number => 50 + 50 * Math.min(Math.max(value / reach, -1), 1);
  const band = ratio.interval && [at(ratio.interval[0]), at(ratio.interval[1])];
  return el(
    "div",
    { class: "gauge", role: "img", "aria-label": t("log10_lr", { value: signed(ratio.log10_lr) }) },
    el(
      "div",
      { class: "bar" },
      el("i", { class: "even" }),
      band && el("i", { class: "band", style: `left:${band[0]}%;width:${band[1] - band[0]}%` }),
      el("i", { class: "needle", style: `left:${at(ratio.log10_lr)}%` }),
    ),
    el("div", { class: "ends" }, el("span", {}, ratio.left), el("span", {}, t("even")), el("span", {}, ratio.right)),
  );
}
