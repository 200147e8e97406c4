/** One word: its numbers, similar words side by side and overlaid, and corrections. */

import { call, crop, isWriting, KINDS, type WordRecord } from "./api";
import { clear, el } from "./dom";
import { colour, order } from "./hands";
import { t } from "./i18n";
import type { PageActions } from "./views/page";

interface Match {
  box: [number, number, number, number];
  similarity: number;
}

export function wordPanel(actions: PageActions, index: number): HTMLElement {
  const page = actions.page();
  const words = page.record?.words ?? [];
  const word = words[index];
  const similar = el("div", { class: "similar" });
  if (isWriting(word)) void call<Match[]>(`/api/pages/${page.id}/matches?${query(word.box)}`).then(
    (matches) => clear(similar, ...showMatches(page.id, word, matches, words)),
    () => clear(similar),
  );
  return el(
    "section",
    { class: "panel word-panel", "aria-label": t("word_title", { number: index + 1, line: word.line + 1 }) },
    el("h2", {}, t("word_title", { number: index + 1, line: word.line + 1 })),
    el("img", { class: "crop", src: crop(page.id, word.box), alt: word.text ?? "" }),
    el("p", {}, caption(word)),
    tools(actions, words, index),
    ...(isWriting(word) ? [el("h3", {}, t("same_elsewhere")), el("p", { class: "quiet small" }, t("same_note")), similar] : []),
  );
}

function caption(word: WordRecord): string {
  const kind = t(`kind_${word.kind ?? "writing"}`);
  if (!isWriting(word)) return t(word.by ? "kind_by_examiner" : "kind_found", { kind, computed: t(`kind_${word.computed_kind ?? "writing"}`) });
  if (word.by) return t("word_by_examiner", { hand: word.hand, computed: word.computed_hand ?? "" });
  return t("word_by", { hand: word.hand, certainty: word.certainty.toFixed(2), posterior: word.posterior.toFixed(2) });
}

function tools(actions: PageActions, words: WordRecord[], index: number): HTMLElement {
  const word = words[index];
  const next = words[index + 1];
  if (!isWriting(word)) return el("div", { class: "row wrap tools" }, kinds(actions, word));
  const button = (text: string, act: () => void, disabled = false): HTMLElement => el("button", { onclick: act, disabled }, text);
  const hands = order([...words.map((one) => one.hand), "A", "B", "C"]);
  const assign = el(
    "select",
    { class: "assign", onchange: () => void actions.correct({ op: "hand", boxes: [word.box], hand: assign.value }) },
    ...hands.map((hand) => el("option", { value: hand, selected: hand === word.hand }, hand)),
  );
  return el(
    "div",
    { class: "row wrap tools" },
    button(t("c_merge_next"), () => void actions.correct({ op: "merge", boxes: [word.box, next.box] }), !next),
    button(t("c_split"), () => actions.mode("split")),
    button(t("c_delete"), () => void actions.correct({ op: "delete", box: word.box })),
    el("span", { class: "break" }),
    kinds(actions, word),
    el("label", { class: "labelled" }, t("c_assign"), assign),
  );
}

/** Mark as print, stamp, … or as writing again. */
function kinds(actions: PageActions, word: WordRecord): HTMLElement {
  const now = word.kind ?? "writing";
  const select = el(
    "select",
    { class: "mark-as", onchange: () => void actions.correct({ op: "mark", boxes: [word.box], kind: select.value }) },
    ...KINDS.map((kind) => el("option", { value: kind, selected: kind === now }, t(`kind_${kind}`))),
  );
  return el("label", { class: "labelled" }, t("c_mark"), select);
}

function showMatches(page: number, word: WordRecord, matches: Match[], words: WordRecord[]): Node[] {
  const hand = (box: number[]): string => words.find((one) => one.box.join() === box.join())?.hand ?? "A";
  const stage = el("div", { class: "stage" });
  const slider = el("input", { class: "overlay", type: "range", min: "0", max: "1", step: "0.02", value: "0.5", "aria-label": t("overlay") });
  let over: HTMLElement | null = null;
  // The crop in grey, its ink lightened to the colour of the hand, paper white: where both run, the strokes darken.
  const layer = (box: number[], ink: string, opacity: string): HTMLElement =>
    el("div", { class: "layer", style: `aspect-ratio:${box[2] + 12}/${box[3] + 12};background-image:linear-gradient(${ink},${ink}),url("${crop(page, box)}");opacity:${opacity}` });
  slider.addEventListener("input", () => {
    if (over) over.style.opacity = slider.value;
  });
  const lay = (match: Match): void => {
    const same = hand(match.box) === word.hand;
    over = layer(match.box, same ? "#0072b2" : colour(hand(match.box)), slider.value);
    clear(stage, layer(word.box, colour(word.hand), "1"), over);
  };
  if (matches[0]) lay(matches[0]);
  const card = (match: Match): HTMLElement =>
    el(
      "button",
      { class: "match", onclick: () => lay(match), title: match.similarity.toFixed(2), style: `border-color:${colour(hand(match.box))}` },
      el("img", { src: crop(page, match.box), alt: "", loading: "lazy" }),
      el("span", {}, hand(match.box)),
    );
  return [stage, slider, el("div", { class: "matches" }, ...matches.map(card))];
}

function query([x, y, width, height]: number[]): string {
  return `x=${x}&y=${y}&width=${width}&height=${height}`;
}
