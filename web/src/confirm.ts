/** A dialog that deletes only when the name is typed. */

import { el } from "./dom";
import { t } from "./i18n";
import { attempt } from "./notice";

export function confirmByName(title: string, name: string, remove: (typed: string) => Promise<unknown>, done: () => void): void {
  const typed = el("input", { "aria-label": t("type_name"), autocomplete: "off" });
  const dialog = el("dialog", { "aria-label": title });
  const go = async (event: Event): Promise<void> => {
    event.preventDefault();
    const gone = await attempt(async () => (await remove(typed.value), true));
    if (gone) (dialog.close(), done());
  };
  dialog.append(
    el(
      "form",
      { onsubmit: (event: Event) => void go(event) },
      el("h2", {}, `${title}: ${name}`),
      el("p", {}, t("delete_confirm")),
      typed,
      el(
        "div",
        { class: "row end" },
        el("button", { type: "button", onclick: () => dialog.close() }, t("cancel")),
        el("button", { class: "danger" }, t("delete")),
      ),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
