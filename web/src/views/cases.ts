/** All cases, a new one, and the guided first case. */

import { call, type CaseSummary } from "../api";
import { clear, el } from "../dom";
import { t } from "../i18n";
import type { View } from "../main";
import { attempt } from "../notice";

export function showCases(main: HTMLElement): View {
  main.className = "narrow";
  const list = el("div", { class: "cards" });
  const name = el("input", { required: true, maxLength: 200, placeholder: t("case_name"), "aria-label": t("case_name") });
  const form = el(
    "form",
    { class: "row", onsubmit: (event: Event) => (event.preventDefault(), void begin(name.value)) },
    name,
    el("button", { class: "primary" }, t("new_case")),
  );
  clear(main, el("h1", {}, t("cases")), el("p", { class: "quiet" }, t("local")), form, list);
  void attempt(async () => {
    const cases = await call<CaseSummary[]>("/api/cases");
    if (!cases.length) list.append(el("p", {}, t("no_cases")));
    if (!cases.some((one) => one.demo)) list.append(demoCard());
    list.append(...cases.map(card));
  });
  return {};
}

/** Where `handshift serve` opens: the guided first case on a new installation, else the list of cases. */
export function welcome(main: HTMLElement): View {
  main.className = "narrow";
  clear(main, el("p", { class: "quiet" }, t("waiting_page")));
  void attempt(async () => {
    const cases = await call<CaseSummary[]>("/api/cases");
    const made = cases.length ? null : await call<CaseSummary>("/api/demo", "POST");
    location.replace(made ? `#/case/${made.id}` : "#/");
  });
  return {};
}

function demoCard(): HTMLElement {
  const start = async (): Promise<void> => {
    const made = await call<CaseSummary>("/api/demo", "POST");
    location.hash = `#/case/${made.id}`;
  };
  return el(
    "article",
    { class: "card guide" },
    el("h2", {}, t("first_case")),
    el("p", {}, t("first_case_text")),
    el("button", { class: "primary", id: "first-case", onclick: () => void attempt(start) }, t("open")),
  );
}

function card(one: CaseSummary): HTMLElement {
  return el(
    "article",
    { class: "card" },
    el("h2", {}, el("a", { href: `#/case/${one.id}` }, one.demo ? t("first_case") : one.name)),
    el(
      "p",
      { class: "quiet" },
      [t("exhibits_count", { count: one.exhibits }), one.examiner, one.created.slice(0, 10)].filter(Boolean).join(" · "),
    ),
  );
}

async function begin(name: string): Promise<void> {
  const made = await attempt(() => call<CaseSummary>("/api/cases", "POST", { name }));
  if (made) location.hash = `#/case/${made.id}`;
}
