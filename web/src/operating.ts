/** The operating point: what flagging from a score on would mean on pages of known truth. */

import type { PageRecord } from "./api";
import { el } from "./dom";
import { percent, t } from "./i18n";

export function operatingPoint(record: PageRecord): HTMLElement | null {
  const reference = record.reference;
  if (!reference?.one_hand.length || !reference.several_hands.length) return null;
  const { one_hand: one, several_hands: several } = reference;
  const falling = [...one].sort((a, b) => b - a);
  const text = el("p", { class: "small" });
  const rates = el("div", { class: "rates" });
  const slider = el("input", { type: "range", min: "0", max: "30", step: "0.5", value: "5", "aria-label": t("operating_point") });
  const update = (): void => {
    const wanted = Number(slider.value) / 100;
    // The lowest threshold that flags at most this share of pages by one hand.
    const allowed = Math.floor(wanted * falling.length);
    const threshold = falling[allowed] + 1e-9;
    const alarms = one.filter((score) => score >= threshold).length / one.length;
    const misses = several.filter((score) => score < threshold).length / several.length;
    const values = {
      threshold: threshold.toFixed(2),
      alarms: percent(alarms),
      misses: percent(misses),
      one_count: one.length,
      several_count: several.length,
      score: record.score.toFixed(2),
      flagged: t(record.score >= threshold ? "flagged" : "not_flagged"),
    };
    text.textContent = t("operating_text", values);
    rates.replaceChildren(
      el("span", {}, t("false_alarms"), el("b", {}, percent(alarms))),
      el("span", {}, t("missed"), el("b", {}, percent(misses))),
    );
  };
  slider.addEventListener("input", update);
  update();
  return el("section", { class: "panel" }, el("h2", {}, t("operating_point")), slider, rates, text);
}
