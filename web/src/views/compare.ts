/** A comparison: questioned exhibits against known samples. */

import { call, type CompareResult, type Exhibit, type Job } from "../api";
import { clear, el } from "../dom";
import { gauge } from "../gauge";
import { language, percent, signed, t } from "../i18n";
import type { View } from "../main";
import { attempt, notify } from "../notice";
import type { CaseContext } from "./case";

export function showCompare(content: HTMLElement, context: CaseContext): View {
  const exhibits = context.detail.exhibits;
  const last = [...context.detail.jobs].reverse().find((one) => one.kind === "compare" && one.state !== "failed");
  const chosen = (side: string, exhibit: Exhibit): boolean => {
    const kept = last?.arguments[side] as number[] | undefined;
    return kept ? kept.includes(exhibit.id) : (side === "known") === Boolean(exhibit.known);
  };
  const side = (name: "questioned" | "known"): { element: HTMLElement; ids(): number[] } => {
    const boxes = exhibits.map((exhibit) => ({ exhibit, box: el("input", { type: "checkbox", checked: chosen(name, exhibit) }) }));
    const rows = boxes.map(({ exhibit, box }) =>
      el(
        "label",
        { class: "pick" },
        box,
        exhibit.pages[0]?.width ? el("img", { src: `/api/pages/${exhibit.pages[0].id}/thumbnail.jpg`, alt: "" }) : null,
        el("span", {}, `${exhibit.number} ${exhibit.known || exhibit.name}`),
      ),
    );
    const ids = (): number[] => boxes.filter(({ box }) => box.checked).map(({ exhibit }) => exhibit.id);
    return { element: el("fieldset", { class: "picker" }, el("legend", {}, t(name)), ...rows), ids };
  };
  const questioned = side("questioned");
  const known = side("known");
  const result = el("div", { class: "result" });
  let job = last?.id ?? null;
  const run = async (): Promise<void> => {
    const wanted = { questioned: questioned.ids(), known: known.ids() };
    if (!wanted.questioned.length || !wanted.known.length) return notify(t("compare_choose"), "error");
    const made = await attempt(() => call<Job>(`/api/cases/${context.detail.id}/compare`, "POST", wanted));
    if (made) ((job = made.id), void show());
    return undefined;
  };
  const show = async (): Promise<void> => {
    if (job === null) return;
    const found = await attempt(() => call<Job>(`/api/jobs/${job}`));
    if (!found) return;
    if (found.state === "failed") clear(result, el("p", { class: "bad" }, t("job_failed", { error: found.error })));
    else if (found.state === "done") clear(result, ...statement(found.result as CompareResult));
    else clear(result, el("progress"));
  };
  clear(
    content,
    el(
      "div",
      { class: "scroll-view" },
      el("h1", {}, t("compare")),
      el("div", { class: "two" }, questioned.element, known.element),
      el("button", { class: "primary", onclick: () => void run() }, t("compare_run")),
      result,
    ),
  );
  void show();
  return { event: (kind, told) => void (kind === "again" || (kind === "job" && told.id === job) ? show() : null) };
}

function statement(found: CompareResult): Node[] {
  const propositions = found.statement[language()];
  return [
    el(
      "section",
      { class: "panel" },
      ...(found.scope && !found.scope.inside ? [el("h2", {}, t("out_of_scope"))] : []),
      ...(found.scope?.reasons ?? []).map((reason) => el("p", { class: found.scope?.inside ? "quiet" : "warning" }, reason[language()])),
      ...propositions.notices.map((text) => el("p", { class: "warning" }, text)),
      ...(found.scope?.weight === 0 ? [el("p", { class: "headline" }, t("withheld_pair"))] : ratio(found)),
      el("p", { class: "quiet" }, t("compare_words", { a: found.words[0], b: found.words[1] })),
      el(
        "dl",
        { class: "propositions" },
        el("dt", {}, t("compare_one")),
        el("dd", {}, propositions.one),
        el("dt", {}, t("compare_two")),
        el("dd", {}, propositions.two),
        el("dt", {}, t("population")),
        el("dd", {}, propositions.population),
      ),
      ...known(found),
      byHand(found),
      el("p", { class: "quiet" }, t("meaning_3")),
    ),
  ];
}

function ratio(found: CompareResult): HTMLElement[] {
  const [low, high] = (found.interval ?? found.bounds).map((value) => signed(value));
  return [
    el("p", { class: "headline" }, found.statement[language()].headline),
    gauge({ log10_lr: found.log10_lr, bounds: found.bounds, interval: found.interval ?? undefined, left: t("compare_two"), right: t("compare_one") }),
    el("p", { class: "weight", title: t("lr_is") }, t("log10_lr", { value: signed(found.log10_lr) })),
    ...(found.interval ? [el("p", { class: "quiet" }, t("compare_interval", { low, high }))] : []),
    el("p", {}, found.statement[language()].meaning),
  ];
}

/** How the known samples vary among themselves, and how often a stranger would agree as well. */
function known({ known: samples }: CompareResult): HTMLElement[] {
  if (!samples) return [];
  const own = samples.own.map((value) => signed(value)).join(", ");
  return [
    el("p", { class: "small" }, t("compare_strangers", { share: percent(samples.strangers) })),
    ...(own ? [el("p", { class: "small" }, t("compare_own", { own }))] : []),
  ];
}

function byHand(found: CompareResult): HTMLElement | null {
  if (!found.by_hand.length) return null;
  const head = [t("questioned"), t("known"), t("words"), "log10 LR"].map((text) => el("th", { scope: "col" }, text));
  const rows = found.by_hand.map(({ hands, words, log10_lr }) =>
    el("tr", {}, el("td", {}, `${t("hand")} ${hands[0]}`), el("td", {}, `${t("hand")} ${hands[1]}`), el("td", {}, words.join(" / ")), el("td", {}, signed(log10_lr))),
  );
  return el("table", { class: "by-hand" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows));
}
