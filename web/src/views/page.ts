/** One page: the viewer in the middle, the finding on the right, the strip below. */

import { call, isWriting, type PageDetail } from "../api";
import { announce, clear, el } from "../dom";
import { findingPanel } from "../finding";
import { guide } from "../guide";
import { order } from "../hands";
import { signed, t } from "../i18n";
import type { View } from "../main";
import { attempt, notify } from "../notice";
import { strip } from "../strip";
import { type Box, Viewer, type ViewOptions } from "../viewer";
import { wordPanel } from "../word";
import type { CaseContext } from "./case";

/** What the panels of a page may do. */
export interface PageActions {
  page(): PageDetail;
  options: ViewOptions;
  redraw(): void;
  highlight(hand: string | null): void;
  select(index: number | null, follow?: boolean): void;
  correct(change: Record<string, unknown>): Promise<void>;
  undo(): Promise<void>;
  mode(mode: "look" | "draw" | "split"): void;
}

export function showPage(content: HTMLElement, context: CaseContext, id: number): View {
  let page: PageDetail | null = null;
  let selected: number | null = null;
  let busy = false;
  const options: ViewOptions = { hidden: new Set(), shade: true, least: 0, marks: null };
  const middle = el("section", { class: "middle" });
  const right = el("aside", { class: "finding", "aria-label": t("finding") });
  const below = el("div", { class: "below" });
  clear(content, el("div", { class: "page-view" }, middle, right, below));

  const viewer = new Viewer({
    select: (index) => select(index),
    drawn: (box: Box) => void correct({ op: "draw", box }),
    split: (x) => void splitAt(x),
  });
  const button = (key: "zoom_in" | "zoom_out" | "zoom_fit", sign: string, factor: number): HTMLElement =>
    el("button", { "aria-label": t(key), title: t(key), onclick: () => viewer.zoom(factor) }, sign);
  const zoom = el("div", { class: "zoom" }, button("zoom_in", "+", 1.4), button("zoom_out", "−", 1 / 1.4), button("zoom_fit", "▢", 0));
  const hint = el("div", { class: "hint", role: "status" });
  middle.append(viewer.element, zoom, hint);

  const actions: PageActions = {
    page: () => page as PageDetail,
    options,
    redraw: () => draw(),
    highlight: (hand) => viewer.highlight(hand),
    select: (index, follow = true) => select(index, follow),
    correct,
    undo,
    mode,
  };

  async function load(): Promise<void> {
    const found = await attempt(() => call<PageDetail>(`/api/pages/${id}?lang=${document.documentElement.lang}`));
    if (!found) return;
    page = found;
    if (selected !== null && selected >= (page.record?.words.length ?? 0)) selected = null;
    draw();
    if (context.detail.demo) guide(content);
  }

  function draw(): void {
    if (!page) return;
    if (page.width) viewer.show(page, options, selected);
    clear(right, selected !== null && page.record ? wordPanel(actions, selected) : null, findingPanel(actions));
    clear(below, page.record ? strip(page.record.words, selected, (index) => select(index, true)) : null);
  }

  function select(index: number | null, follow = false): void {
    selected = index;
    viewer.select(index, follow);
    if (page?.record && index !== null) {
      const word = page.record.words[index];
      if (options.marks !== null) {
        if (isWriting(word)) mark(word.box.join(","));
        return;
      }
      if (!isWriting(word)) {
        announce(`${t("word_title", { number: index + 1, line: word.line + 1 })}: ${t(`kind_${word.kind ?? "writing"}`)}, ${t("excluded")}`);
        draw();
        return;
      }
      const by = { hand: word.hand, certainty: word.certainty.toFixed(2), posterior: word.posterior.toFixed(2) };
      announce(`${t("word_title", { number: index + 1, line: word.line + 1 })}: ${t("word_by", by)}`);
    }
    draw();
  }

  /** Second opinion: each click moves a word to the next hand. */
  function mark(box: string): void {
    const marks = options.marks as Record<string, string>;
    const next: Record<string, string> = { A: "B", B: "C", C: "D", D: "A" };
    const hand = next[marks[box] ?? "A"];
    if (hand === "A") delete marks[box];
    else marks[box] = hand;
    selected = null;
    draw();
  }

  async function correct(change: Record<string, unknown>): Promise<void> {
    if (!page || busy) return;
    busy = true;
    mode("look");
    hint.textContent = t("rescoring");
    const before = page.record?.log10_lr ?? 0;
    const path = `/api/pages/${id}/corrections?lang=${document.documentElement.lang}`;
    const found = await attempt(() => call<PageDetail>(path, "POST", change));
    after(found, before);
  }

  async function undo(): Promise<void> {
    if (!page || busy) return;
    busy = true;
    hint.textContent = t("rescoring");
    const before = page.record?.log10_lr ?? 0;
    const found = await attempt(() => call<PageDetail>(`/api/pages/${id}/undo?lang=${document.documentElement.lang}`, "POST"));
    after(found, before);
  }

  function after(found: PageDetail | undefined, before: number): void {
    busy = false;
    hint.textContent = "";
    if (!found) return;
    page = found;
    selected = null;
    draw();
    notify(t("rescored", { before: signed(before), after: signed(found.record?.log10_lr ?? 0) }));
    void context.reload();
  }

  async function splitAt(x: number): Promise<void> {
    const word = selected === null ? null : page?.record?.words[selected];
    if (word) await correct({ op: "split", box: word.box, x });
  }

  function mode(wanted: "look" | "draw" | "split"): void {
    viewer.setMode(wanted);
    hint.textContent = wanted === "draw" ? t("c_draw_hint") : wanted === "split" ? t("c_split_hint") : "";
  }

  void load();
  return {
    leave: () => viewer.destroy(),
    event: (kind, told) => {
      if (kind === "again" || (kind === "page" && told.page === id && !busy)) void load();
    },
    key: (event) => {
      const words = page?.record?.words.length ?? 0;
      if (!words) return false;
      const hands = order((page?.record?.words ?? []).map((word) => word.hand));
      if (event.key === "j" || event.key === "ArrowRight") select(selected === null ? 0 : Math.min(selected + 1, words - 1), true);
      else if (event.key === "k" || event.key === "ArrowLeft") select(selected === null ? words - 1 : Math.max(selected - 1, 0), true);
      else if (/^[1-9]$/.test(event.key) && hands[Number(event.key) - 1]) {
        const hand = hands[Number(event.key) - 1];
        if (!options.hidden.delete(hand)) options.hidden.add(hand);
        draw();
      } else if (event.key === "o") document.querySelector<HTMLInputElement>("input.overlay")?.focus();
      else if (event.key === "c") location.hash = `#/case/${context.detail.id}/compare`;
      else if (event.key === "z") void undo();
      else if (event.key === "Escape") (mode("look"), select(null));
      else return false;
      return true;
    },
  };
}
