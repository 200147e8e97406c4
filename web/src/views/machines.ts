/** All machines, a new one, and a simulated one to look at. */

import { call } from "../api";
import { clear, el } from "../dom";
import { t } from "../i18n";
import type { MachineSummary } from "../machine_api";
import type { View } from "../main";
import { attempt } from "../notice";

export function showMachines(main: HTMLElement): View {
  main.className = "narrow";
  const list = el("div", { class: "cards" });
  const name = el("input", { required: true, maxLength: 200, placeholder: t("m_name"), "aria-label": t("m_name") });
  const begin = async (event: Event): Promise<void> => {
    event.preventDefault();
    const made = await attempt(() => call<MachineSummary>("/api/machines", "POST", { name: name.value }));
    if (made) location.hash = `#/machine/${made.id}`;
  };
  clear(
    main,
    el("h1", {}, t("machines")),
    el("p", { class: "quiet" }, t("m_intro")),
    el("form", { class: "row", onsubmit: (event: Event) => void begin(event) }, name, el("button", { class: "primary" }, t("m_new"))),
    list,
  );
  void attempt(async () => {
    const machines = await call<MachineSummary[]>("/api/machines");
    if (!machines.some((one) => one.demo)) list.append(demoCard());
    list.append(...machines.map(card));
  });
  return {};
}

function demoCard(): HTMLElement {
  const start = async (): Promise<void> => {
    const made = await call<MachineSummary>("/api/machines/demo", "POST");
    location.hash = `#/machine/${made.id}`;
  };
  return el(
    "article",
    { class: "card guide" },
    el("h2", {}, t("m_demo")),
    el("p", {}, t("m_demo_text")),
    el("button", { class: "primary", id: "demo-machine", onclick: () => void attempt(start) }, t("open")),
  );
}

function card(one: MachineSummary): HTMLElement {
  return el(
    "article",
    { class: "card" },
    el("h2", {}, el("a", { href: `#/machine/${one.id}` }, one.name)),
    el("p", { class: "quiet" }, [t("m_files", { count: one.files }), t(one.reference ? "m_learnt" : "m_not_learnt"), one.created.slice(0, 10)].join(" · ")),
  );
}
