/** The operating point: what flagging pages from a log10 LR on would mean, measured on documents of known truth. */

import type { PageDetail, PageRecord } from "./api";
import { el } from "./dom";
import { percent, signed, t } from "./i18n";

/** Kept while the page is redrawn. */
let chosen = 0;

/** From the validation of the model; from its calibration pages, and said so, where it was never validated. */
export function operatingPoint(page: PageDetail, record: PageRecord): HTMLElement | null {
  const points = page.operating;
  const reference = record.reference;
  if (!points && !(reference?.one_hand.length && reference.several_hands.length)) return null;
  const one = points?.one_hand ?? reference?.one_hand ?? [];
  const several = points?.several_hands ?? reference?.several_hands ?? [];
  const own = points ? record.log10_lr : record.score;
  const text = el("p", { class: "small" });
  const rates = el("div", { class: "rates" });
  const shown = el("output");
  const [low, high] = points ? [-2, 2] : [Math.min(...one), Math.max(...several)];
  const slider = el("input", {
    type: "range",
    min: low.toFixed(1),
    max: high.toFixed(1),
    step: "0.1",
    value: String(Math.min(Math.max(chosen, low), high)),
    "aria-label": t("operating_point"),
  });
  const update = (): void => {
    const threshold = (chosen = Number(slider.value));
    const alarms = one.filter((value) => value >= threshold).length / one.length;
    const misses = several.filter((value) => value < threshold).length / several.length;
    const values = {
      threshold: signed(threshold, 1),
      one_count: points?.documents[0] ?? one.length,
      several_count: points?.documents[1] ?? several.length,
      own: signed(own),
      flagged: t(own >= threshold ? "flagged" : "not_flagged"),
      data: points?.data ?? "",
    };
    shown.textContent = values.threshold;
    slider.setAttribute("aria-valuetext", `${values.threshold}; ${t("false_alarms")} ${percent(alarms)}; ${t("missed")} ${percent(misses)}`);
    text.textContent = t(points ? "operating_text" : "operating_calibration", values);
    rates.replaceChildren(
      el("span", {}, t("false_alarms"), el("b", {}, percent(alarms))),
      el("span", {}, t("missed"), el("b", {}, percent(misses))),
    );
  };
  slider.addEventListener("input", update);
  update();
  return el("section", { class: "panel" }, el("h2", {}, t("operating_point")), el("label", { class: "slider" }, t("threshold"), slider, shown), rates, text);
}
