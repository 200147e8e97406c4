/** A second opinion: one's own marks, blind to the other's until both have submitted. */

import { call, examiner, type Opinion, type Opinions } from "./api";
import { clear, el } from "./dom";
import { t } from "./i18n";
import { attempt, notify } from "./notice";
import type { PageActions } from "./views/page";

export function opinionPanel(actions: PageActions): HTMLElement {
  const { options } = actions;
  const id = actions.page().id;
  const body = el("div");
  const section = el(
    "details",
    { class: "panel", open: options.marks !== null },
    el("summary", {}, el("h2", {}, t("second_opinion"))),
    el("p", { class: "quiet" }, t("opinion_text")),
    body,
  );
  const draw = async (): Promise<void> => {
    if (!examiner()) {
      clear(body, el("p", { class: "quiet" }, t("opinion_name")));
      return;
    }
    const found = await attempt(() => call<Opinions>(`/api/pages/${id}/opinions?examiner=${encodeURIComponent(examiner())}`));
    if (found) clear(body, ...content(found));
  };
  const content = (found: Opinions): Node[] => {
    if (found.own?.submitted) return submitted(found);
    if (options.marks === null) {
      const start = (): void => ((options.marks = { ...(found.own?.marks ?? {}) }), actions.redraw());
      return [el("button", { onclick: start }, t("opinion_start"))];
    }
    const conclusion = el("textarea", { rows: 3, value: found.own?.conclusion ?? "", "aria-label": t("opinion_conclusion"), placeholder: t("opinion_conclusion") });
    const send = async (submit: boolean): Promise<void> => {
      const wanted = { examiner: examiner(), marks: options.marks ?? {}, conclusion: conclusion.value, submit };
      const kept = await attempt(() => call<Opinion>(`/api/pages/${id}/opinions`, "PUT", wanted));
      if (!kept) return;
      options.marks = null;
      notify(t("saved"));
      actions.redraw();
    };
    return [
      el("p", {}, t("opinion_marked", { count: Object.keys(options.marks).length })),
      conclusion,
      el(
        "div",
        { class: "row" },
        el("button", { onclick: () => void send(false) }, t("opinion_stop")),
        el("button", { class: "primary", onclick: () => void send(true) }, t("opinion_submit")),
      ),
    ];
  };
  const submitted = (found: Opinions): Node[] => [
    found.others.length ? null : el("p", {}, t("opinion_waiting", { count: found.hidden })),
    ...found.differences.flatMap(({ examiner: name, words }) => [
      el("p", {}, words.length ? t("differences", { name, count: words.length }) : t("no_differences", { name })),
      words.length ? el("ul", { class: "small" }, ...words.map((one) => el("li", {}, difference(name, one)))) : null,
    ]),
    ...found.others.map((one) => el("blockquote", {}, el("b", {}, one.examiner), ": ", one.conclusion)),
  ].filter((node) => node !== null);
  /** A word that only one examiner marked, or that each ascribed to another hand; it leads to the word. */
  const difference = (name: string, { box, own, other }: Opinions["differences"][number]["words"][number]): Node => {
    const index = (actions.page().record?.words ?? []).findIndex((word) => word.box.join() === box);
    const hand = (mark: string | null): string => (mark ? `${t("hand")} ${mark}` : t("unmarked"));
    const text = t("difference", { number: index < 0 ? "–" : index + 1, name, own: hand(own), other: hand(other) });
    return index < 0 ? el("span", {}, text) : el("button", { class: "plain", onclick: () => actions.select(index) }, text);
  };
  void draw();
  return section;
}
