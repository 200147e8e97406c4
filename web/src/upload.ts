/** Files into a case: by dropping files or folders, or by choosing them. */

import { ApiError, call } from "./api";
import { el } from "./dom";
import { t } from "./i18n";
import { notify } from "./notice";

/** Where files go, and which of a folder are taken; null takes all. */
export interface Target {
  path: string;
  read: RegExp | null;
}

export const uploadTo = (path: string, read: RegExp | null): Target => ({ path, read });
export const SCANS = /\.(png|jpe?g|tiff?|webp|bmp|pdf|heic|heif)$/i;

export function dropZone(text: string, target: Target, done: () => void): HTMLElement {
  const status = el("p", { class: "quiet", role: "status" });
  const send = (files: File[]): void => void upload(target, files, status, done);
  const choose = (folder: boolean): HTMLElement => {
    const input = el("input", { type: "file", multiple: true, class: "visually-hidden", tabIndex: -1 });
    if (folder) input.setAttribute("webkitdirectory", "");
    else if (target.read) input.accept = ".png,.jpg,.jpeg,.tif,.tiff,.webp,.bmp,.pdf,.heic,.heif";
    input.setAttribute("aria-label", `${text}: ${t(folder ? "choose_folder" : "choose_files")}`);
    input.addEventListener("change", () => send(sorted([...(input.files ?? [])])));
    return el(
      "span",
      {},
      input,
      el("button", { type: "button", onclick: () => input.click() }, t(folder ? "choose_folder" : "choose_files")),
    );
  };
  const zone = el("div", { class: "drop" }, el("p", {}, text), choose(false), choose(true), status);
  acceptDrops(zone, target, done);
  return zone;
}

export function acceptDrops(element: HTMLElement, target: Target, done: () => void): void {
  element.addEventListener("dragover", (event) => {
    event.preventDefault();
    event.stopPropagation();
    element.classList.add("dropping");
  });
  element.addEventListener("dragleave", () => element.classList.remove("dropping"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    event.stopPropagation(); // a zone inside of the window takes it for itself
    element.classList.remove("dropping");
    void dropped(event.dataTransfer).then((files) =>
      upload(target, files, element.querySelector<HTMLElement>("[role=status]"), done),
    );
  });
}

async function dropped(transfer: DataTransfer | null): Promise<File[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.length) return [...(transfer?.files ?? [])];
  return (await Promise.all(entries.map(files))).flat();
}

async function files(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((yes, no) => (entry as FileSystemFileEntry).file(yes, no))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
    if (!part.length) break;
    found.push(...part);
  }
  found.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  return (await Promise.all(found.map(files))).flat();
}

const sorted = (files: File[]): File[] => files.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));

async function upload(target: Target, all: File[], status: HTMLElement | null, done: () => void): Promise<void> {
  const { path, read } = target;
  const wanted = all.length > 1 && read ? all.filter((file) => read.test(file.name)) : all;
  if (!wanted.length) {
    notify(t("nothing_readable"), "error");
    return;
  }
  for (const file of wanted) {
    if (status) status.textContent = t("uploading", { name: file.name });
    const body = new FormData();
    body.append("files", file, file.name);
    try {
      const [added] = await call<{ duplicate?: boolean }[]>(path, "POST", body);
      if (added.duplicate) notify(t("duplicate", { name: file.name }));
    } catch (error) {
      notify(`${file.name}: ${error instanceof ApiError ? error.message : String(error)}`, "error");
    }
    done();
  }
  if (status) status.textContent = "";
}
