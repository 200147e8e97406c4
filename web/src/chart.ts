/** Small charts in SVG: trend of the health index, spectra with marked lines, profiles of rows and columns. */

import { svg } from "./dom";
import { t } from "./i18n";
import type { Spectrum, Trend } from "./machine_api";

const WIDTH = 640;
const LEFT = 46;

/** Ticks at round numbers. */
function ticks(low: number, high: number, about: number): number[] {
  const raw = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) ?? power;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, at) => Number((first + at * step).toPrecision(10)));
}

const label = (x: number, y: number, text: string, anchor = "middle"): SVGElement =>
  svg("text", { x, y, "text-anchor": anchor, class: "axis" }, text);

export function trendChart(trend: Trend, selected: number | null, choose: (file: number) => void): SVGElement {
  const height = 190;
  const bottom = height - 24;
  const shown = trend.points.map((point) => point.index);
  const top = Math.max(2, ...shown.map((value) => value ?? 0)) * 1.08;
  const low = Math.min(-0.5, ...shown.map((value) => value ?? 0));
  const count = Math.max(trend.points.length, 2);
  const x = (place: number): number => LEFT + 14 + ((WIDTH - LEFT - 28) * place) / (count - 1);
  const y = (value: number): number => bottom - ((bottom - 10) * (value - low)) / (top - low);
  const line = trend.points.flatMap((point, place) => (point.index === null ? [] : [`${x(place).toFixed(1)},${y(point.index).toFixed(1)}`]));
  const half = (x(1) - x(0)) / 2;
  const alarms = trend.points.flatMap((point, place) =>
    point.alarm ? [svg("rect", { x: x(place) - half, y: 6, width: 2 * half, height: bottom - 6, class: "alarm-band" })] : [],
  );
  const changed = trend.points.findIndex((point) => point.file === trend.change?.file);
  const every = Math.ceil(count / 12);
  return svg(
    "svg",
    { class: "chart trend", viewBox: `0 0 ${WIDTH} ${height}`, role: "group", "aria-label": t("m_trend") },
    ...alarms,
    ...ticks(low, top, 4).flatMap((value) => [
      svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(value), y2: y(value), class: "grid-line" }),
      label(LEFT - 8, y(value) + 4, String(value), "end"),
    ]),
    svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(1), y2: y(1), class: "threshold" }),
    changed > 0 && svg("line", { x1: x(changed) - half, x2: x(changed) - half, y1: 6, y2: bottom, class: "change" }),
    svg("polyline", { points: line.join(" "), class: "curve" }),
    ...trend.points.map((point, place) => {
      const title = svg("title", {}, `${point.name}: ${point.error || (point.index === null ? t("queued") : point.index.toFixed(2))}`);
      const dot = svg(
        "circle",
        {
          cx: x(place),
          cy: y(point.index ?? low),
          r: point.file === selected ? 7 : 4.5,
          class: `dot${point.flagged ? " flagged" : ""}${point.index === null ? " missing" : ""}${point.file === selected ? " selected" : ""}`,
          tabindex: 0,
          role: "button",
          "aria-label": `${point.name} ${point.index?.toFixed(2) ?? ""}`,
          onclick: () => choose(point.file),
          onkeydown: (event: KeyboardEvent) => {
            if (event.key === "Enter" || event.key === " ") (event.preventDefault(), choose(point.file));
          },
        },
        title,
      );
      return dot;
    }),
    ...trend.points.flatMap((_, place) => (place % every ? [] : [label(x(place), height - 6, String(place + 1))])),
  );
}

const short = (value: number): string => (value < 0.01 || value >= 1000 ? value.toExponential(0) : value.toPrecision(2));
const MARKS = ["#d55e00", "#0072b2", "#009e73", "#aa4499"];

export function spectrumChart(spectrum: Spectrum, marks: Record<string, number[]>, scale: number, axis: string): SVGElement {
  const height = 170;
  const bottom = height - 34;
  const { places, amplitude } = spectrum;
  if (!places.length) return svg("svg", { class: "chart" });
  const highest = places[places.length - 1] || 1;
  const most = Math.max(...amplitude);
  const least = Math.max(most * 1e-4, 1e-12);
  const decades = Math.log10(most / least);
  const x = (place: number): number => LEFT + ((WIDTH - LEFT - 8) * place) / highest;
  const y = (size: number): number => 8 + ((bottom - 8) * Math.log10(most / Math.max(size, least))) / decades;
  const lines = Object.entries(marks).flatMap(([name, orders], number) =>
    orders
      .filter((order) => order * scale <= highest)
      .map((order) =>
        svg(
          "line",
          {
            x1: x(order * scale),
            x2: x(order * scale),
            y1: 8,
            y2: bottom,
            stroke: MARKS[number % MARKS.length],
            class: name === "sidebands" ? "mark fine" : "mark",
          },
          svg("title", {}, `${name}: ${(order * scale).toPrecision(4)}`),
        ),
      ),
  );
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": axis },
    ...lines,
    ...ticks(0, highest, 8).flatMap((place) => [label(x(place), bottom + 15, String(place))]),
    svg("line", { x1: LEFT, x2: WIDTH - 8, y1: bottom, y2: bottom, class: "grid-line" }),
    label(LEFT - 6, 14, short(most), "end"),
    label(LEFT - 6, bottom, short(least), "end"),
    svg("polyline", { points: places.map((place, at) => `${x(place).toFixed(1)},${y(amplitude[at]).toFixed(1)}`).join(" "), class: "curve thin" }),
    label(WIDTH - 8, height - 4, axis, "end"),
  );
}

/** z-scores of the rows (upright, beside the map) or the columns (below it). */
export function profile(values: number[], upright: boolean): SVGElement {
  const top = Math.max(6, ...values);
  const along = (place: number): number => ((place + 0.5) * 100) / values.length;
  const points = values.map((value, place) => {
    const size = (100 * Math.min(Math.max(value, 0), top)) / top;
    return upright ? `${size.toFixed(1)},${along(place).toFixed(2)}` : `${along(place).toFixed(2)},${(100 - size).toFixed(1)}`;
  });
  return svg(
    "svg",
    { class: upright ? "profile upright" : "profile", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": t(upright ? "m_rows" : "m_columns") },
    svg("polyline", { points: points.join(" "), class: "curve thin" }),
  );
}
