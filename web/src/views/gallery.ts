/** The gallery: enrol people, and ask whose hand an exhibit is. */

import { call, type CaseDetail, type CaseSummary, type Exhibit, type IdentifyResult } from "../api";
import { clear, el } from "../dom";
import { language, percent, signed, t } from "../i18n";
import type { View } from "../main";
import { attempt, notify } from "../notice";

interface Person {
  name: string;
  pages: number;
}

export function showGallery(main: HTMLElement): View {
  main.className = "narrow";
  const people = el("div", { class: "cards" });
  const result = el("div", { class: "result" });
  const exhibits = el("select", { "aria-label": t("exhibit_number"), required: true });
  const name = el("input", { required: true, maxLength: 200, placeholder: t("enroll_name"), "aria-label": t("enroll_name") });
  const chosen = (): number => Number(exhibits.value);
  const enroll = async (event: Event): Promise<void> => {
    event.preventDefault();
    const done = await attempt(() => call("/api/gallery", "POST", { name: name.value, exhibits: [chosen()] }));
    if (done) ((name.value = ""), notify(t("saved")), void list());
  };
  const identify = async (): Promise<void> => {
    clear(result, el("progress"));
    const found = await attempt(() => call<IdentifyResult>(`/api/exhibits/${chosen()}/identify`, "POST"));
    clear(result, ...(found ? ranking(found) : []));
  };
  const list = async (): Promise<void> => {
    const found = (await attempt(() => call<Person[]>("/api/gallery"))) ?? [];
    clear(people, ...(found.length ? found.map(card) : [el("p", { class: "quiet" }, t("gallery_empty"))]));
  };
  const card = (person: Person): HTMLElement =>
    el(
      "article",
      { class: "card row" },
      el("b", {}, person.name),
      el("span", { class: "quiet" }, t("enroll_pages", { count: person.pages })),
      el("span", { class: "spring" }),
      el("button", { class: "danger", onclick: () => void forget(person.name) }, t("delete")),
    );
  const forget = async (who: string): Promise<void> => {
    await attempt(() => call(`/api/gallery/${encodeURIComponent(who)}`, "DELETE"));
    await list();
  };
  clear(
    main,
    el("h1", {}, t("gallery")),
    people,
    el(
      "form",
      { class: "row wrap", onsubmit: (event: Event) => void enroll(event) },
      exhibits,
      name,
      el("button", { class: "primary" }, t("enroll")),
      el("button", { type: "button", onclick: () => void identify() }, t("identify")),
    ),
    result,
  );
  void list();
  void attempt(async () => {
    const cases = await call<CaseSummary[]>("/api/cases");
    const details = await Promise.all(cases.map((one) => call<CaseDetail>(`/api/cases/${one.id}`)));
    const option = (detail: CaseDetail, exhibit: Exhibit): HTMLElement =>
      el("option", { value: String(exhibit.id) }, `${detail.name}: ${exhibit.number} ${exhibit.name}`);
    exhibits.append(...details.flatMap((detail) => detail.exhibits.map((exhibit) => option(detail, exhibit))));
  });
  return {};
}

function ranking(found: IdentifyResult): Node[] {
  const row = (one: IdentifyResult["candidates"][number]): HTMLElement =>
    el("tr", {}, el("td", {}, one.name), el("td", {}, signed(one.log10_lr)), el("td", {}, percent(one.confidence)));
  return [
    el("p", { class: "headline" }, found.accepted ? t("identify_accepted", { name: found.accepted }) : t("identify_nobody")),
    el("p", { class: "quiet" }, t("identify_none", { none: percent(found.none) })),
    ...found.notices[language()].map((text) => el("p", { class: "warning" }, text)),
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, el("th", {}, t("enroll_name")), el("th", {}, "log10 LR"), el("th", {}, t("certainty")))),
      el("tbody", {}, ...found.candidates.slice(0, 10).map(row)),
    ),
  ];
}
