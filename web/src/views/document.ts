/** A document: hands over pages as a grid, so that a page by another hand is seen at a glance. */

import { call, type DocumentResult, type Job } from "../api";
import { clear, el, scrolling } from "../dom";
import { colour, order } from "../hands";
import { percent, signed, t } from "../i18n";
import type { View } from "../main";
import { attempt, notify } from "../notice";
import type { CaseContext } from "./case";

export function showDocument(content: HTMLElement, context: CaseContext): View {
  const pages = context.pages().filter(({ page }) => page.width > 0);
  const boxes = pages.map(({ page, exhibit }) => ({
    page,
    label: `${exhibit.number}${exhibit.pages.length > 1 ? ` ${t("page_n", { number: page.number })}` : ""}`,
    box: el("input", { type: "checkbox", checked: !exhibit.known }),
  }));
  const result = el("div", { class: "result" });
  let job = [...context.detail.jobs].reverse().find((one) => one.kind === "document" && one.state !== "failed")?.id ?? null;
  const run = async (): Promise<void> => {
    const wanted = boxes.filter(({ box }) => box.checked).map(({ page }) => page.id);
    if (!wanted.length) return notify(t("doc_none"), "error");
    const made = await attempt(() => call<Job>(`/api/cases/${context.detail.id}/document`, "POST", { pages: wanted }));
    if (made) ((job = made.id), void show());
    return undefined;
  };
  const show = async (): Promise<void> => {
    if (job === null) return;
    const found = await attempt(() => call<Job>(`/api/jobs/${job}`));
    if (!found) return;
    if (found.state === "failed") clear(result, el("p", { class: "bad" }, t("job_failed", { error: found.error })));
    else if (found.state === "done") clear(result, ...table(found.result as DocumentResult, context));
    else clear(result, el("progress", found.total ? { max: found.total, value: found.done } : {}));
  };
  const picker = boxes.map(({ page, label, box }) =>
    el("label", { class: "pick" }, box, el("img", { src: `/api/pages/${page.id}/thumbnail.jpg`, alt: "" }), el("span", {}, label)),
  );
  clear(
    content,
    el(
      "div",
      { class: "scroll-view" },
      el("h1", {}, t("document")),
      el("p", { class: "quiet" }, t("doc_pages")),
      el("div", { class: "picker" }, ...picker),
      el("button", { class: "primary", onclick: () => void run() }, t("doc_run")),
      result,
    ),
  );
  void show();
  return { event: (kind, told) => void (kind === "again" || (kind === "job" && told.id === job) ? show() : null) };
}

/** Each hand of a page against the rest: how strongly it is linked, and where the evidence is weak. */
function links(found: DocumentResult, page: (place: number) => string): HTMLElement {
  const all = found.links ?? [];
  if (!all.length) return el("span");
  const head = (["page", "hand", "doc_linked", "log10_short", "doc_strength"] as const).map((key) => el("th", { scope: "col" }, t(key)));
  const rows = all.map((link) =>
    el(
      "tr",
      {},
      el("td", {}, page(link.page - 1)),
      el("td", {}, el("i", { class: "swatch", style: `background:${colour(link.hand)}` }), link.hand, el("span", { class: "quiet" }, ` ${t("words_n", { count: link.words })}`)),
      el("td", {}, t(link.linked ? "doc_link_to" : "doc_link_none", { to: link.to })),
      el("td", {}, signed(link.log10_lr)),
      el("td", { class: link.weak || link.turned ? "quiet" : "" }, t(link.turned ? "doc_turned" : link.weak ? "doc_weak" : "doc_clear")),
    ),
  );
  return el("section", {}, el("h2", {}, t("doc_links")), scrolling(t("doc_links"), el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows))));
}

function table(found: DocumentResult, context: CaseContext): Node[] {
  const hands = order(Object.keys(found.hands));
  const names = new Map(context.pages().map(({ exhibit, page }) => [page.id, { exhibit, page }]));
  const failed = new Set(found.failures.map(({ page }) => page - 1));
  const shown = found.page_ids.filter((_, place) => !failed.has(place));
  const words = Object.values(found.hands).reduce((sum, one) => sum + one.words, 0);
  const title = (id: number): string => {
    const one = names.get(id);
    return one ? `${one.exhibit.number}${one.exhibit.pages.length > 1 ? `/${one.page.number}` : ""}` : String(id);
  };
  let substituted = false;
  const cell = (hand: string, place: number): HTMLElement => {
    const own = found.pages[place].words.filter((word) => word.hand === hand);
    const share = own.length / Math.max(1, found.pages[place].words.filter((word) => word.hand).length);
    const sure = own.reduce((sum, word) => sum + word.certainty, 0) / Math.max(1, own.length);
    const alone = own.length > 0 && share > 0.8 && found.hands[hand].pages.length === 1 && hands.length > 1 && shown.length > 1;
    substituted ||= alone;
    return el(
      "td",
      { class: alone ? "alone" : "", title: own.length ? `${own.length}, ${percent(sure)}` : "" },
      own.length ? el("i", { style: `height:${Math.max(3, 34 * share)}px;background:${colour(hand)};opacity:${(0.35 + 0.65 * sure).toFixed(2)}` }) : null,
      alone && el("span", { class: "visually-hidden" }, t("doc_only_here")),
    );
  };
  const rows = hands.map((hand) =>
    el("tr", {}, el("th", { scope: "row" }, t("doc_hand_row", { hand })), ...shown.map((_, place) => cell(hand, place))),
  );
  return [
    el("p", { class: "headline" }, t(hands.length === 1 ? "doc_hand" : "doc_hands", { count: hands.length, words, pages: shown.length })),
    scrolling(
      t("document"),
      el(
        "table",
        { class: "grid" },
        el("thead", {}, el("tr", {}, el("th", {}), ...shown.map((id) => el("th", { scope: "col" }, el("a", { href: `#/case/${context.detail.id}/page/${id}` }, title(id)))))),
        el("tbody", {}, ...rows),
      ),
    ),
    substituted ? el("p", { class: "quiet" }, el("span", { class: "swatch alone" }), t("doc_only_here")) : el("span"),
    links(found, (place) => title(found.page_ids[place])),
    el("p", { class: "quiet" }, `${t("population")}: ${found.population}`),
    el(
      "details",
      {},
      el("summary", {}, `${t("doc_changes")} (${found.changes.length})`),
      el("ul", { class: "small" }, ...found.changes.map((change) => el("li", {}, t("doc_change", change)))),
    ),
    ...found.failures.map(({ page, error }) => el("p", { class: "bad" }, `${t("page_n", { number: page })}: ${error}`)),
  ];
}
