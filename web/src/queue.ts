/** One job of the queue: what it does, how far it is, or why it failed. */

import type { Job } from "./api";
import { el } from "./dom";
import { t } from "./i18n";

export function jobRow(job: Job, name: string): HTMLElement {
  return el(
    "li",
    { class: job.state },
    el("span", {}, name),
    job.state === "failed" && el("span", { class: "bad" }, t("job_failed", { error: job.error })),
    job.state === "queued" && el("span", { class: "quiet" }, t("queued")),
    job.state === "running" && el("progress", { "aria-label": name, ...(job.total ? { max: job.total, value: job.done } : {}) }),
  );
}
