/** Help: what the page shows, and its keys. */

import { clear, el } from "../dom";
import { type Key, t } from "../i18n";
import type { View } from "../main";

const KEYS: [string, Key][] = [
  ["j k ← →", "k_words"],
  ["1 … 9", "k_hands"],
  ["o", "k_overlay"],
  ["c", "k_compare"],
  ["z", "k_undo"],
  ["?", "k_help"],
];

export function showHelp(main: HTMLElement): View {
  main.className = "narrow";
  const steps: Key[] = ["guide_1", "guide_2", "guide_3", "guide_4", "guide_5"];
  clear(
    main,
    el("h1", {}, t("help")),
    el("section", { class: "panel" }, el("h2", {}, t("meaning")), ...(["meaning_1", "meaning_2", "meaning_3"] as Key[]).map((key) => el("p", {}, t(key))), el("p", {}, t("lr_is"))),
    el("section", { class: "panel" }, el("h2", {}, t("first_case")), el("ol", {}, ...steps.map((key) => el("li", {}, t(key))))),
    el(
      "section",
      { class: "panel" },
      el("h2", {}, t("keys")),
      el("dl", { class: "propositions" }, ...KEYS.flatMap(([keys, key]) => [el("dt", {}, el("kbd", {}, keys)), el("dd", {}, t(key))])),
    ),
    el("p", { class: "quiet" }, t("local")),
  );
  return {};
}
