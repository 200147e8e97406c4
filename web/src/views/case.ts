/** One case: exhibits and queue on the left, a page, the document or a comparison beside them. */

import { call, type CaseDetail, type Exhibit, type Job, type PageSummary } from "../api";
import { confirmByName } from "../confirm";
import { clear, el } from "../dom";
import { language, signed, t } from "../i18n";
import type { View } from "../main";
import { attempt, notify } from "../notice";
import { jobRow } from "../queue";
import { acceptDrops, dropZone, SCANS, uploadTo } from "../upload";
import { showCompare } from "./compare";
import { showDocument } from "./document";
import { showPage } from "./page";

/** What the regions of a case share. */
export interface CaseContext {
  detail: CaseDetail;
  reload(): Promise<void>;
  pages(): { exhibit: Exhibit; page: PageSummary }[];
}

export function showCase(main: HTMLElement, id: number, kind: string, pageId: number | null): View {
  main.className = "workbench";
  const side = el("aside", { class: "side", "aria-label": t("cases") });
  const content = el("div", { class: "content" });
  clear(main, side, content);
  const target = uploadTo(`/api/cases/${id}/exhibits`, SCANS);
  acceptDrops(main, target, () => void reload());
  let detail: CaseDetail | null = null;
  let inner: View = {};
  let drawn = "";

  const context = (): CaseContext => ({
    detail: detail as CaseDetail,
    reload,
    pages: () => (detail?.exhibits ?? []).flatMap((exhibit) => exhibit.pages.map((page) => ({ exhibit, page }))),
  });

  async function reload(): Promise<void> {
    const found = await attempt(() => call<CaseDetail>(`/api/cases/${id}`));
    if (!found) return;
    detail = found;
    const first = detail.exhibits.flatMap((exhibit) => exhibit.pages)[0];
    if (kind === "page" && pageId === null && first) pageId = first.id;
    drawSide();
    const wanted = `${kind}/${pageId}/${kind === "page" ? "" : context().pages().length}`;
    if (wanted !== drawn) {
      drawn = wanted;
      drawContent();
    }
  }

  function drawContent(): void {
    inner.leave?.();
    clear(content);
    if (kind === "document") inner = showDocument(content, context());
    else if (kind === "compare") inner = showCompare(content, context());
    else if (pageId !== null) inner = showPage(content, context(), pageId);
    else {
      inner = {};
      content.append(el("p", { class: "empty" }, t(detail?.exhibits.length ? "waiting_page" : "drop")));
    }
  }

  function drawSide(): void {
    if (!detail) return;
    const tab = (name: "page" | "document" | "compare"): HTMLElement =>
      el(
        "a",
        { href: `#/case/${id}/${name}${name === "page" && pageId ? `/${pageId}` : ""}`, "aria-current": kind === name ? "page" : undefined },
        t(name),
      );
    clear(
      side,
      el("h1", {}, detail.demo ? t("first_case") : detail.name),
      el("nav", { class: "tabs" }, tab("page"), tab("document"), tab("compare")),
      el("div", { class: "exhibits" }, ...detail.exhibits.map((exhibit) => exhibitCard(exhibit))),
      dropZone(t("drop"), target, () => void reload()),
      queue(detail.jobs, detail.exhibits),
      caseTools(detail),
    );
  }

  function exhibitCard(exhibit: Exhibit): HTMLElement {
    const pages = exhibit.pages.map((page) => pageChip(page, exhibit));
    return el(
      "section",
      { class: "exhibit" },
      el(
        "header",
        {},
        el("b", {}, exhibit.number),
        el("span", { class: "name", title: exhibit.name }, exhibit.name),
        el("button", { class: "plain", "aria-label": `${t("notes")} ${exhibit.number}`, onclick: () => void edit(exhibit) }, "⋯"),
      ),
      exhibit.known && el("p", { class: "quiet known" }, `${t("known_of")} ${exhibit.known}`),
      ...pages,
    );
  }

  function pageChip(page: PageSummary, exhibit: Exhibit): HTMLElement {
    const here = kind === "page" && page.id === pageId;
    const picture = page.width ? el("img", { src: `/api/pages/${page.id}/thumbnail.jpg`, alt: "", loading: "lazy" }) : null;
    return el(
      "a",
      { class: "chip", href: `#/case/${id}/page/${page.id}`, "aria-current": here ? "true" : undefined },
      picture,
      el(
        "span",
        {},
        exhibit.pages.length > 1 && el("span", { class: "quiet" }, t("page_n", { number: page.number })),
        page.error
          ? el("span", { class: "bad" }, page.error)
          : el("span", { title: page.log10_lr === null ? "" : `log10 LR ${signed(page.log10_lr)}` }, page.hands === 1 ? t("hands_1") : t("hands_n", { count: page.hands ?? 0 })),
        page.log10_lr !== null && !page.outside && el("span", { class: "quiet" }, page.support?.[language()] ?? ""),
        page.corrected && el("span", { class: "tag" }, t("corrected")),
        page.outside && el("span", { class: "tag warn" }, t("chip_outside")),
        !page.outside && page.warnings.length > 0 && el("span", { class: "tag warn" }, t("warning")),
      ),
    );
  }

  async function edit(exhibit: Exhibit): Promise<void> {
    const number = el("input", { value: exhibit.number, maxLength: 60, required: true });
    const known = el("input", { value: exhibit.known, maxLength: 200, placeholder: t("known_hint") });
    const notes = el("textarea", { value: exhibit.notes, rows: 4 });
    const dialog = el("dialog", { "aria-label": exhibit.name });
    const close = (): void => dialog.close();
    const save = async (event: Event): Promise<void> => {
      event.preventDefault();
      const changes = { number: number.value, known: known.value, notes: notes.value };
      if (await attempt(() => call(`/api/exhibits/${exhibit.id}`, "PATCH", changes))) notify(t("saved"));
      close();
      await reload();
    };
    const remove = async (): Promise<void> => {
      await attempt(() => call(`/api/exhibits/${exhibit.id}`, "DELETE"));
      close();
      if (exhibit.pages.some((page) => page.id === pageId)) location.hash = `#/case/${id}`;
      else await reload();
    };
    dialog.append(
      el(
        "form",
        { onsubmit: (event: Event) => void save(event) },
        el("h2", {}, exhibit.name),
        el("p", { class: "quiet mono" }, `SHA-256 ${exhibit.sha256}`),
        el("label", {}, t("exhibit_number"), number),
        el("label", {}, t("known_of"), known),
        el("label", {}, t("notes"), notes),
        el(
          "div",
          { class: "row end" },
          el("button", { type: "button", class: "danger", onclick: () => void remove() }, t("remove_exhibit")),
          el("span", { class: "spring" }),
          el("button", { type: "button", onclick: close }, t("cancel")),
          el("button", { class: "primary" }, t("save")),
        ),
      ),
    );
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  function caseTools(one: CaseDetail): HTMLElement {
    const notes = el("textarea", { value: one.notes, rows: 3, "aria-label": t("notes"), placeholder: t("notes") });
    const save = (): void =>
      void attempt(() => call(`/api/cases/${id}`, "PATCH", { notes: notes.value })).then(() => notify(t("saved")));
    notes.addEventListener("change", save);
    return el(
      "details",
      { class: "tools" },
      el("summary", {}, t("notes")),
      notes,
      el("button", { class: "danger", onclick: () => removeCase(one) }, t("delete_case")),
    );
  }

  function removeCase(one: CaseDetail): void {
    const remove = (name: string): Promise<unknown> => call(`/api/cases/${id}?confirm=${encodeURIComponent(name)}`, "DELETE");
    confirmByName(t("delete_case"), one.name, remove, () => (location.hash = "#/"));
  }

  /** At once, and once more where something happened meanwhile: many pages may end close together. */
  async function refresh(): Promise<void> {
    again = busy;
    if (busy) return;
    busy = true;
    await reload();
    busy = false;
    if (again) window.setTimeout(() => void refresh(), 120);
  }

  let busy = false;
  let again = false;
  void refresh();
  return {
    leave: () => inner.leave?.(),
    key: (event) => inner.key?.(event) ?? false,
    event: (what, told) => {
      if (what === "machine" || (told.case !== undefined && told.case !== id)) return;
      inner.event?.(what, told);
      void refresh();
    },
  };
}

function queue(jobs: Job[], exhibits: Exhibit[]): HTMLElement {
  const open = jobs.filter((job) => job.state === "queued" || job.state === "running");
  const failed = jobs.filter((job) => job.state === "failed").slice(-3);
  const name = (job: Job): string => {
    if (job.kind === "document") return t("job_document");
    if (job.kind === "compare") return t("job_compare");
    const exhibit = exhibits.find((one) => one.id === job.arguments.exhibit);
    return t("job_examine", { name: exhibit?.name ?? "" });
  };
  return el(
    "section",
    { class: "queue", "aria-live": "polite" },
    el("h2", {}, t("queue")),
    open.length || failed.length ? el("ul", {}, ...[...failed, ...open].map((job) => jobRow(job, name(job)))) : el("p", { class: "quiet" }, t("queue_empty")),
  );
}
