/** The frame: header, routes, language, theme, live events. */

import "./style.css";
import { clear, el } from "./dom";
import { type Key, language, setLanguage, t } from "./i18n";
import { showCase } from "./views/case";
import { showCases, welcome } from "./views/cases";
import { showGallery } from "./views/gallery";
import { showHelp } from "./views/help";
import { showLog } from "./views/log";
import { showMachine } from "./views/machine";
import { showMachines } from "./views/machines";

/** A view draws into the main region and may be told of events; it returns what to do when it is left. */
export interface View {
  leave?(): void;
  event?(kind: string, content: Record<string, unknown>): void;
  key?(event: KeyboardEvent): boolean;
}

const app = document.getElementById("app") as HTMLElement;
let current: View = {};

function header(): HTMLElement {
  const link = (route: string, key: Key): HTMLElement => {
    const here = (location.hash || "#/") === route || (route === "#/" && location.hash.startsWith("#/case")) || (route === "#/machines" && location.hash.startsWith("#/machine"));
    return el("a", { href: route, "aria-current": here ? "page" : undefined }, t(key));
  };
  const name = el("input", {
    id: "examiner",
    value: localStorage.getItem("handshift.examiner") ?? "",
    placeholder: t("examiner_hint"),
    maxLength: 120,
    "aria-label": t("examiner"),
    oninput: () => localStorage.setItem("handshift.examiner", name.value.trim()),
  });
  const languages = el(
    "select",
    { "aria-label": "Language, 언어", onchange: () => (setLanguage(languages.value as "en" | "ko"), draw()) },
    el("option", { value: "en", selected: language() === "en" }, "English"),
    el("option", { value: "ko", selected: language() === "ko" }, "한국어"),
  );
  const themes = el(
    "select",
    { "aria-label": t("theme"), onchange: () => setTheme(themes.value) },
    ...(["auto", "light", "dark"] as const).map((theme) =>
      el("option", { value: theme, selected: kept("theme", "auto") === theme }, t(`theme_${theme}`)),
    ),
  );
  return el(
    "header",
    { class: "top" },
    el("a", { class: "visually-hidden focusable", href: "#main", onclick: focusMain }, t("skip")),
    el("a", { class: "brand", href: "#/" }, el("b", {}, "hand"), "shift"),
    el("nav", {}, link("#/", "cases"), link("#/gallery", "gallery"), link("#/machines", "machines"), link("#/log", "log"), link("#/help", "help")),
    el("span", { class: "spring" }),
    name,
    languages,
    themes,
  );
}

function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function draw(): void {
  current.leave?.();
  document.documentElement.lang = language();
  document.title = t("title");
  const main = el("main", { id: "main", tabIndex: -1 });
  clear(app, header(), main);
  current = route(main, location.hash || "#/");
}

function route(main: HTMLElement, hash: string): View {
  const [, place, id, kind, page] = hash.split("/");
  if (place === "case" && Number(id)) return showCase(main, Number(id), kind ?? "page", Number(page) || null);
  if (place === "welcome") return welcome(main);
  if (place === "machine" && Number(id)) return showMachine(main, Number(id), Number(kind) || null);
  if (place === "machines") return showMachines(main);
  if (place === "gallery") return showGallery(main);
  if (place === "log") return showLog(main);
  if (place === "help") return showHelp(main);
  return showCases(main);
}

function kept(name: string, fallback: string): string {
  return localStorage.getItem(`handshift.${name}`) ?? fallback;
}

function setTheme(theme: string): void {
  localStorage.setItem("handshift.theme", theme);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function listen(): void {
  const stream = new EventSource("/api/events");
  for (const kind of ["job", "page", "machine"]) {
    stream.addEventListener(kind, (event) =>
      current.event?.(kind, JSON.parse((event as MessageEvent<string>).data) as Record<string, unknown>),
    );
  }
  // After a lost connection something may have happened meanwhile.
  stream.addEventListener("error", () => setTimeout(() => current.event?.("again", {}), 1500));
}

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") location.hash = "#/help";
  else if (current.key?.(event)) event.preventDefault();
});
window.addEventListener("hashchange", draw);
setTheme(kept("theme", "auto"));
draw();
listen();
