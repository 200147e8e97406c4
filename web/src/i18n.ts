/** Texts in English and Korean; one key for one thing. */

import en from "./texts/en.json";
import ko from "./texts/ko.json";

export type Language = "en" | "ko";
export type Key = keyof typeof en;
const TEXTS: Record<Language, Record<string, string>> = { en, ko };

export function language(): Language {
  const kept = localStorage.getItem("handshift.language");
  if (kept === "en" || kept === "ko") return kept;
  return navigator.language.startsWith("ko") ? "ko" : "en";
}

export function setLanguage(wanted: Language): void {
  localStorage.setItem("handshift.language", wanted);
  document.documentElement.lang = wanted;
}

export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = TEXTS[language()][key] ?? en[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

/** A number with its sign and a true minus. */
export function signed(value: number, digits = 2): string {
  return (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(digits);
}

export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value < 1 && value > 0 ? value.toFixed(1) : Math.round(value)} %`;
}
