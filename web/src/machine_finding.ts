/** What a machine's files say, in reading order: alarm, this file, its sensors, what it rests on. */

import { el, scrolling } from "./dom";
import { percent, t } from "./i18n";
import type { MachineDetail, MachineFileDetail, SensorRecord } from "./machine_api";

export function machineFinding(machine: MachineDetail, file: MachineFileDetail | null, chosen: number, choose: (sensor: number) => void): HTMLElement {
  const record = file?.record;
  return el(
    "div",
    {},
    cautions(machine, record?.sensors ?? []),
    state(machine),
    file && record ? fileState(file, record.sensors, chosen, choose) : null,
    rests(machine),
    meaning(),
  );
}

function cautions(machine: MachineDetail, sensors: SensorRecord[]): HTMLElement | null {
  const { reference } = machine;
  const weak = Object.entries(reference?.guaranteed ?? {}).filter(([, rate]) => rate !== null && reference !== null && rate > reference.target);
  const caution = ([domain, rate]: [string, number | null]): string => {
    const values = { sensor: name(domain), count: reference?.held_out[domain] ?? 0, rate: percent(rate ?? 0), target: percent(reference?.target ?? 0) };
    return t("m_caution", { ...values, needed: Math.round(1 / (reference?.target ?? 1)) - 1 });
  };
  const texts = [...weak.map(caution), ...sensors.flatMap((one) => (one.warning ? [one.warning] : []))];
  if (!texts.length) return null;
  return el("section", { class: "panel warning", role: "note" }, el("h2", {}, t("warning")), el("ul", { class: "small" }, ...texts.map((text) => el("li", {}, text))));
}

function state(machine: MachineDetail): HTMLElement {
  const { trend } = machine;
  const scored = trend.points.filter((point) => point.index !== null);
  const [on, window] = trend.rule;
  const flagged = scored.slice(-window).filter((point) => point.flagged).length;
  const changed = trend.points.findIndex((point) => point.file === trend.change?.file);
  const headline = !machine.reference ? t("m_not_learnt") : !scored.length ? t("m_nothing_scored") : t(trend.alarm ? "m_alarm" : "m_no_alarm");
  return el(
    "section",
    { class: "panel" },
    el("p", { class: `headline${trend.alarm ? " alarm" : ""}` }, headline),
    scored.length > 0 && el("p", {}, t("m_flagged_of", { flagged, window: Math.min(window, scored.length), on })),
    changed >= 0 && el("p", {}, t("m_changed_at", { number: changed + 1, name: trend.points[changed].name })),
    trend.tooth && el("p", {}, t("m_tooth_most", { tooth: tooth(trend.tooth) })),
    trend.false_alarms !== null && el("p", { class: "quiet" }, t("m_false_alarms", { rate: rate(trend.false_alarms) })),
  );
}

function fileState(file: MachineFileDetail, sensors: SensorRecord[], chosen: number, choose: (sensor: number) => void): HTMLElement {
  const row = (sensor: SensorRecord, number: number): HTMLElement =>
    el(
      "tr",
      { class: number === chosen ? "here" : "" },
      el("td", {}, sensors.length > 1 ? el("button", { class: "plain", "aria-pressed": String(number === chosen), onclick: () => choose(number) }, name(sensor.domain)) : name(sensor.domain)),
      el("td", {}, sensor.index.toFixed(2)),
      el("td", {}, sensor.score.toFixed(2)),
      el("td", {}, sensor.threshold.toFixed(2)),
      el("td", {}, sensor.flagged && sensor.tooth ? tooth(sensor.tooth) : "–"),
    );
  const head = (["m_sensor", "m_index", "m_score", "m_threshold_short", "m_tooth"] as const).map((key) => el("th", { scope: "col" }, t(key)));
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, file.name),
    el("p", { class: "weight" }, t(file.flagged ? "m_file_flagged" : "m_file_normal", { index: (file.index ?? 0).toFixed(2) })),
    el("p", { class: "quiet" }, t("m_index_is")),
    scrolling(file.name, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...sensors.map(row)))),
    sensors.length > 1 && el("p", { class: "quiet" }, t("m_joined")),
  );
}

function rests(machine: MachineDetail): HTMLElement | null {
  const { reference } = machine;
  if (!reference) return null;
  const total = Object.values(reference.maps).reduce((sum, count) => sum + count, 0);
  const held = Object.values(reference.held_out).reduce((sum, count) => sum + count, 0);
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("m_rests")),
    el("p", { class: "small" }, t("m_rests_text", { total, held, target: percent(reference.target) })),
    el("p", { class: "quiet mono" }, `${reference.detector}, ${reference.encoder}`),
  );
}

function meaning(): HTMLElement {
  return el("details", { class: "panel" }, el("summary", {}, el("h2", {}, t("meaning"))), ...(["m_meaning_1", "m_meaning_2", "m_meaning_3"] as const).map((key) => el("p", { class: "small" }, t(key))));
}

function name(domain: string | null): string {
  const number = /-a(\d+)$/.exec(domain ?? "")?.[1];
  return number ? t("m_sensor_n", { number }) : t("m_map");
}

function tooth(text: string): string {
  const [axis, number] = text.split(" ");
  return t(axis === "row" ? "m_row_n" : "m_column_n", { number });
}

function rate(value: number): string {
  return value < 0.01 ? `1 : ${Math.round(1 / Math.max(value, 1e-9)).toLocaleString()}` : value.toFixed(2);
}
