/** The audit log, and whether its chain is whole. */

import { call, type LogLine } from "../api";
import { clear, el, scrolling } from "../dom";
import { t } from "../i18n";
import type { View } from "../main";
import { attempt } from "../notice";

/** Name and value of every detail; long digests shortened, all of it in the title and in the export. */
function details(content: Record<string, unknown>): HTMLElement[] {
  const shown = (value: unknown): string => {
    if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toFixed(2);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return /^[0-9a-f]{64}$/.test(text) ? `${text.slice(0, 12)}…` : text;
  };
  return Object.entries(content).map(([name, value]) => el("span", { class: "detail" }, el("span", { class: "quiet" }, name), " ", shown(value)));
}

export function showLog(main: HTMLElement): View {
  main.className = "narrow wide";
  const state = el("p", { role: "status" });
  const body = el("tbody");
  const head = [t("log_when"), t("log_who"), t("log_what"), t("log_details")].map((text) => el("th", { scope: "col" }, text));
  clear(
    main,
    el("h1", {}, t("log")),
    state,
    el("a", { class: "button", href: "/api/log/export.jsonl", download: "" }, t("log_export")),
    scrolling(t("log"), el("table", { class: "log" }, el("thead", {}, el("tr", {}, ...head)), body)),
  );
  void attempt(async () => {
    const [lines, chain] = await Promise.all([
      call<LogLine[]>("/api/log"),
      call<{ intact: boolean; lines: number; error?: string }>("/api/log/verify"),
    ]);
    state.textContent = chain.intact ? t("log_intact", { lines: chain.lines }) : t("log_broken", { error: chain.error ?? "" });
    state.className = chain.intact ? "good" : "bad";
    const row = (line: LogLine): HTMLElement =>
      el(
        "tr",
        {},
        el("td", { class: "mono when" }, line.at.slice(0, 19).replace("T", " ")),
        el("td", {}, line.examiner),
        el("td", {}, line.action),
        el("td", { class: "small", title: JSON.stringify(line.details) }, ...details(line.details)),
      );
    body.append(...lines.reverse().map(row));
  });
  return {};
}
