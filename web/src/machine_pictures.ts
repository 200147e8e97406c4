/** What a machine shows: trend of its files; map, overlay, profiles and spectra of one. */

import { profile, spectrumChart, trendChart } from "./chart";
import { el } from "./dom";
import { t } from "./i18n";
import type { MachineFileDetail, SensorRecord, Trend } from "./machine_api";

export function trendPanel(trend: Trend, selected: number | null, choose: (file: number) => void): HTMLElement {
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("m_trend")),
    trendChart(trend, selected, choose),
    el(
      "p",
      { class: "quiet legend-row" },
      el("span", { class: "key threshold-key" }),
      t("m_threshold"),
      el("span", { class: "key alarm-key" }),
      t("m_alarm_band"),
      trend.change && el("span", { class: "key change-key" }),
      trend.change && t("m_change"),
    ),
  );
}

export function filePictures(file: MachineFileDetail, number: number): HTMLElement[] {
  const record = file.record;
  const sensor = record?.sensors[number];
  if (!record || !sensor) return [];
  const spectra = record.spectrum;
  return [
    el("section", { class: "panel" }, el("h2", {}, file.name), el("div", { class: "maps" }, picture(file, number, sensor, "map"), picture(file, number, sensor, "overlay"))),
    ...(spectra
      ? [
          el(
            "section",
            { class: "panel" },
            el("h2", {}, t("m_spectrum", { sensor: spectra.sensor })),
            spectrumChart(spectra.frequency, spectra.marks, spectra.speed, t("m_hertz")),
            spectrumChart(spectra.order, spectra.marks, 1, t("m_orders")),
            el("p", { class: "quiet legend-row" }, ...Object.keys(spectra.marks).flatMap((name, at) => [el("span", { class: `key mark-${at}` }), t(name === "mesh" ? "m_mesh" : "m_sidebands")])),
          ),
        ]
      : []),
  ];
}

function picture(file: MachineFileDetail, number: number, sensor: SensorRecord, kind: "map" | "overlay"): HTMLElement {
  const [rows, columns] = sensor.size;
  const name = t(kind === "map" ? "m_map" : "m_overlay");
  const image = el("img", {
    src: `/api/machine-files/${file.id}/${number}/${kind}.png?${file.sha256.slice(0, 8)}`,
    alt: `${name}: ${file.name}`,
    style: `aspect-ratio:${columns}/${Math.max(rows, columns / 3.2)}`,
  });
  return el(
    "figure",
    {},
    el("div", { class: "map-grid" }, image, kind === "overlay" ? profile(sensor.rows, true) : null, kind === "overlay" ? profile(sensor.columns, false) : null),
    el("figcaption", { class: "quiet" }, kind === "map" ? `${name} · ${t("m_axes", { rows, columns })}` : name),
  );
}
