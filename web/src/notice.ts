/** Short messages at the lower edge; errors stay until they are closed. */

import { ApiError } from "./api";
import { announce, el } from "./dom";
import { t } from "./i18n";

export function notify(text: string, kind: "note" | "error" = "note"): void {
  let place = document.querySelector<HTMLElement>(".notices");
  if (!place) document.body.append((place = el("div", { class: "notices" })));
  const notice = el("div", { class: `notice ${kind}`, role: kind === "error" ? "alert" : "status" }, el("span", {}, text));
  notice.append(el("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: () => notice.remove() }, "×"));
  place.append(notice);
  announce(text);
  if (kind === "note") setTimeout(() => notice.remove(), 5000);
}

/** Run something that asks the server; what goes wrong is shown, not lost in the console. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const offline = error instanceof ApiError && error.status === 0;
    notify(offline ? t("offline") : error instanceof Error ? error.message : String(error), "error");
    return undefined;
  }
}
