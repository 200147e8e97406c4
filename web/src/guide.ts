/** The guided first case: five short steps over the page, kept closed once they were read. */

import { el } from "./dom";
import { type Key, t } from "./i18n";

const STEPS: Key[] = ["guide_1", "guide_2", "guide_3", "guide_4", "guide_5"];

export function guide(content: HTMLElement): void {
  if (localStorage.getItem("handshift.guided") || content.querySelector(".guide-box")) return;
  let step = 0;
  const text = el("p", { role: "status" });
  const count = el("span", { class: "quiet" });
  const next = el("button", { class: "primary", onclick: () => show(step + 1) });
  const box = el("div", { class: "guide-box", role: "region", "aria-label": t("first_case") }, text, el("div", { class: "row end" }, count, el("span", { class: "spring" }), next));
  const show = (wanted: number): void => {
    if (wanted >= STEPS.length) {
      localStorage.setItem("handshift.guided", "yes");
      box.remove();
      return;
    }
    step = wanted;
    text.textContent = t(STEPS[step]);
    count.textContent = `${step + 1} / ${STEPS.length}`;
    next.textContent = t(step + 1 < STEPS.length ? "guide_next" : "guide_done");
  };
  show(0);
  content.append(box);
}
