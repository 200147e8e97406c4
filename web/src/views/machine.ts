/** One machine: its files on the left, trend, map, overlay and spectra in the middle, the finding on the right. */

import { call } from "../api";
import { confirmByName } from "../confirm";
import { clear, el } from "../dom";
import { t } from "../i18n";
import { machineFinding } from "../machine_finding";
import { filePictures, trendPanel } from "../machine_pictures";
import type { MachineDetail, MachineFile, MachineFileDetail } from "../machine_api";
import type { View } from "../main";
import { attempt, notify } from "../notice";
import { jobRow } from "../queue";
import { acceptDrops, dropZone, uploadTo } from "../upload";

const GEAR = ["teeth", "ring", "planets", "speed", "sample_rate", "turns"] as const;

export function showMachine(main: HTMLElement, id: number, fileId: number | null): View {
  main.className = "workbench";
  const side = el("aside", { class: "side", "aria-label": t("machines") });
  const middle = el("section", { class: "machine-main" });
  const right = el("aside", { class: "finding", "aria-label": t("finding") });
  clear(main, side, el("div", { class: "content machine-view" }, middle, right));
  let detail: MachineDetail | null = null;
  let shown: MachineFileDetail | null = null;
  let sensor: number | null = null;
  let open = false;

  const watched = uploadTo(`/api/machines/${id}/files?normal=false`, null);
  const normal = uploadTo(`/api/machines/${id}/files?normal=true`, null);
  acceptDrops(main, watched, () => void reload());

  async function reload(): Promise<void> {
    const found = await attempt(() => call<MachineDetail>(`/api/machines/${id}`));
    if (!found) return;
    detail = found;
    const points = found.trend.points.filter((point) => point.index !== null);
    // The newest result is shown until a person chooses another.
    const wanted = fileId ?? points[points.length - 1]?.file ?? null;
    if (wanted !== null && (shown?.id !== wanted || !shown.record)) {
      shown = (await attempt(() => call<MachineFileDetail>(`/api/machine-files/${wanted}`))) ?? null;
      sensor = null;
    }
    draw();
  }

  async function choose(wanted: number): Promise<void> {
    fileId = wanted;
    history.replaceState(null, "", `#/machine/${id}/${wanted}`);
    await reload();
  }

  function draw(): void {
    if (!detail) return;
    const chosen = sensor ?? shown?.record?.worst ?? 0;
    drawSide(detail);
    clear(
      middle,
      detail.trend.points.length ? trendPanel(detail.trend, shown?.id ?? null, (file) => void choose(file)) : welcome(detail),
      ...(shown?.record ? filePictures(shown, chosen) : []),
    );
    clear(right, machineFinding(detail, shown, chosen, (wanted) => ((sensor = wanted), draw())));
  }

  function welcome(one: MachineDetail): HTMLElement {
    const steps = (["m_step_1", "m_step_2", "m_step_3"] as const).map((key) => el("li", {}, t(key)));
    return el("section", { class: "panel" }, el("h2", {}, one.name), el("ol", {}, ...steps), el("p", { class: "quiet" }, t("m_formats")));
  }

  function drawSide(one: MachineDetail): void {
    const learning = one.jobs.some((job) => job.state === "queued" || job.state === "running");
    const normals = one.files.filter((file) => file.normal);
    const others = one.files.filter((file) => !file.normal);
    const tools = side.querySelector<HTMLDetailsElement>("details.tools");
    open = tools?.open ?? open;
    clear(
      side,
      el("h1", {}, one.name),
      el(
        "section",
        {},
        el("h2", {}, t("m_normal"), " ", el("span", { class: "quiet" }, String(normals.length))),
        one.reference && normals.length ? el("details", {}, el("summary", {}, t("m_show_files")), fileList(normals)) : fileList(normals),
        dropZone(t("m_drop_normal"), normal, () => void reload()),
        el(
          "button",
          { class: normals.length && !one.reference ? "primary" : "", id: "learn", disabled: !normals.length || learning, onclick: () => void learn() },
          t(one.reference ? "m_learn_again" : "m_learn"),
        ),
      ),
      el(
        "section",
        {},
        el("h2", {}, t("m_watched"), " ", el("span", { class: "quiet" }, String(others.length))),
        fileList(others),
        dropZone(t("m_drop_watched"), watched, () => void reload()),
      ),
      queue(one),
      settings(one),
    );
  }

  function fileList(files: MachineFile[]): HTMLElement {
    const row = (file: MachineFile): HTMLElement =>
      el(
        "li",
        {},
        el(
          "button",
          {
            class: `plain file${file.id === shown?.id ? " here" : ""}`,
            title: file.name,
            disabled: file.normal,
            "aria-current": file.id === shown?.id ? "true" : undefined,
            onclick: () => void choose(file.id),
          },
          file.name,
        ),
        file.error ? el("span", { class: "bad small", title: file.error }, t("m_unreadable")) : null,
        file.index !== null && el("span", { class: file.flagged ? "value flagged" : "value" }, file.index.toFixed(1)),
        el("button", { class: "plain", "aria-label": `${t("delete")} ${file.name}`, title: t("delete"), onclick: () => void remove(file) }, "×"),
      );
    return files.length ? el("ul", { class: "file-list" }, ...files.map(row)) : el("p", { class: "quiet" }, t("m_none"));
  }

  function queue(one: MachineDetail): HTMLElement | null {
    const busy = one.jobs.filter((job) => job.state === "queued" || job.state === "running");
    const failed = one.jobs.filter((job) => job.state === "failed").slice(-1);
    if (!busy.length && !failed.length) return null;
    const names = { simulate: t("m_job_simulate"), learn: t("m_job_learn"), score: t("m_job_score") };
    const rows = [...failed, ...busy].map((job) => jobRow(job, names[job.kind as keyof typeof names]));
    return el("section", { class: "queue", "aria-live": "polite" }, el("h2", {}, t("queue")), el("ul", {}, ...rows));
  }

  function settings(one: MachineDetail): HTMLElement {
    const inputs = GEAR.map((name) => {
      const input = el("input", { type: "number", min: "0", step: "any", value: one.gear[name] === undefined ? "" : String(one.gear[name]) });
      return { name, input, row: el("label", { title: t(`m_${name}_hint`) }, t(`m_${name}`), input) };
    });
    const save = async (event: Event): Promise<void> => {
      event.preventDefault();
      const gear = Object.fromEntries(inputs.filter(({ input }) => input.value).map(({ name, input }) => [name, Number(input.value)]));
      if (await attempt(() => call(`/api/machines/${id}`, "PATCH", { gear }))) notify(t("saved"));
      await reload();
    };
    const remove = (): void =>
      confirmByName(t("m_delete"), one.name, (name) => call(`/api/machines/${id}?confirm=${encodeURIComponent(name)}`, "DELETE"), () => {
        location.hash = "#/machines";
      });
    return el(
      "details",
      { class: "tools", open: open || (!one.demo && !one.reference) },
      el("summary", {}, t("m_gear")),
      el("p", { class: "quiet" }, t("m_gear_hint")),
      el("form", { class: "gear", onsubmit: (event: Event) => void save(event) }, ...inputs.map(({ row }) => row), el("button", {}, t("save"))),
      el("div", { class: "row wrap" }, el("a", { class: "button", href: `/api/machines/${id}/scores.csv`, download: "" }, "CSV"), el("button", { class: "danger", onclick: remove }, t("m_delete"))),
    );
  }

  async function learn(): Promise<void> {
    if (await attempt(() => call(`/api/machines/${id}/learn`, "POST"))) await reload();
  }

  async function remove(file: MachineFile): Promise<void> {
    await attempt(() => call(`/api/machine-files/${file.id}`, "DELETE"));
    if (file.id === fileId) fileId = null;
    if (file.id === shown?.id) shown = null;
    await reload();
  }

  void reload();
  let waiting = 0;
  return {
    leave: () => clearTimeout(waiting),
    key: (event) => {
      const files = detail?.trend.points.filter((point) => point.index !== null).map((point) => point.file) ?? [];
      const at = files.indexOf(shown?.id ?? -1);
      const next = event.key === "j" || event.key === "ArrowRight" ? at + 1 : event.key === "k" || event.key === "ArrowLeft" ? at - 1 : -2;
      if (next === -2 || next < 0 || next >= files.length) return false;
      void choose(files[next]);
      return true;
    },
    event: (what, told) => {
      if (what !== "again" && told.machine !== id) return;
      clearTimeout(waiting);
      waiting = window.setTimeout(() => void reload(), 150);
    },
  };
}
