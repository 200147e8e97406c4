/** The finding in reading order: scope first, then the ratio, its propositions, the hands, the words set apart. */

import { isWriting, type Kind, KINDS, type PageDetail, type PageRecord } from "./api";
import { el, scrolling } from "./dom";
import { gauge } from "./gauge";
import { colour, kindColour, order } from "./hands";
import { type Key, language, percent, signed, t } from "./i18n";
import { operatingPoint } from "./operating";
import { opinionPanel } from "./opinion";
import type { PageActions } from "./views/page";

export function findingPanel(actions: PageActions): HTMLElement {
  const page = actions.page();
  const record = page.record;
  if (!record) {
    return el("section", { class: "panel" }, el("p", { class: "bad" }, t("page_error", { error: page.error })));
  }
  return el(
    "div",
    {},
    scope(page, record),
    headline(page, record),
    propositions(page),
    numberOfHands(record),
    legend(actions, record),
    setApart(actions, record),
    operatingPoint(page, record),
    corrections(actions),
    opinionPanel(actions),
    exports(page),
    provenance(page),
  );
}

/** What a reader must know before any figure: outside of the scope as a warning, remarks quietly. */
function scope(page: PageDetail, record: PageRecord): HTMLElement | null {
  const said = page.statement?.scope;
  const notices = page.statement?.notices ?? record.warnings;
  const outside = record.scope ? !record.scope.inside : false;
  const raw = outside && record.scope?.log10_lr_raw != null ? t("scope_raw", { raw: signed(record.scope.log10_lr_raw) }) : null;
  if (!said && !notices.length) return null;
  return el(
    "section",
    { class: `panel${outside || notices.length ? " warning" : " remark"}`, role: "note" },
    el("h2", {}, t(outside ? "out_of_scope" : notices.length ? "warning" : "scope")),
    said && el("p", {}, said),
    raw && el("p", { class: "small" }, raw),
    notices.length > 0 && el("ul", {}, ...notices.map((text) => el("li", {}, text))),
  );
}

function headline(page: PageDetail, record: PageRecord): HTMLElement {
  const [low, high] = record.log10_lr_interval.map((value) => signed(value));
  const [least, most] = record.log10_lr_bounds.map((value) => signed(value));
  const computed = page.computed;
  if (page.statement?.withheld) {
    return el("section", { class: "panel" }, el("p", { class: "headline" }, page.statement.withheld), el("p", {}, t("withheld_text")));
  }
  return el(
    "section",
    { class: "panel" },
    el("p", { class: "headline" }, capital(page.support?.[language()] ?? "")),
    gauge({
      log10_lr: record.log10_lr,
      bounds: record.log10_lr_bounds,
      interval: record.log10_lr_interval,
      left: t("one_hand"),
      right: t("several_hands"),
    }),
    el("p", { class: "weight", title: t("lr_is") }, t("log10_lr", { value: signed(record.log10_lr) })),
    computed && el("p", { class: "tag" }, t("computed_was", { value: signed(computed.log10_lr) })),
    el("p", { class: "quiet" }, t("interval", { low, high, least, most })),
    el("p", {}, page.statement?.meaning ?? ""),
    el(
      "details",
      {},
      el("summary", {}, t("meaning")),
      ...(["meaning_1", "meaning_2", "meaning_3"] as Key[]).map((key) => el("p", {}, t(key))),
      el("p", {}, page.statement?.not_prior ?? ""),
    ),
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function propositions(page: PageDetail): HTMLElement {
  const told = page.statement;
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("propositions")),
    el(
      "dl",
      { class: "propositions" },
      el("dt", {}, t("p_several")),
      el("dd", {}, told?.several ?? ""),
      el("dt", {}, t("p_one")),
      el("dd", {}, told?.one ?? ""),
      el("dt", {}, t("population")),
      el("dd", {}, told?.population ?? ""),
    ),
  );
}

function numberOfHands(record: PageRecord): HTMLElement {
  const bar = (share: number, index: number): HTMLElement =>
    el(
      "div",
      { class: "count", title: percent(share) },
      el("span", { class: "quiet" }, percent(share)),
      el("i", { style: `height:${Math.max(1, 44 * share)}px;background:${index ? "var(--several)" : "var(--one)"}` }),
      el("span", {}, String(index + 1)),
    );
  return el(
    "section",
    { class: "panel", title: t("number_note") },
    el("h2", {}, t("number_of_hands")),
    el("div", { class: "counts" }, ...record.number_of_hands.map(bar)),
  );
}

function legend(actions: PageActions, record: PageRecord): HTMLElement {
  const { options } = actions;
  // Pointing at a row, or reaching it by the keyboard, highlights its words.
  const lit = (hand: string): Record<string, unknown> => {
    const [on, off] = [(): void => actions.highlight(hand), (): void => actions.highlight(null)];
    return { onpointerenter: on, onpointerleave: off, onfocusin: on, onfocusout: off };
  };
  const row = (hand: string): HTMLElement => {
    const count = record.words.filter((word) => word.hand === hand).length;
    const box = el("input", {
      type: "checkbox",
      checked: !options.hidden.has(hand),
      "aria-label": t("show_hide", { hand }),
      onchange: () => {
        if (box.checked) options.hidden.delete(hand);
        else options.hidden.add(hand);
        actions.redraw();
      },
    });
    return el("label", { class: "hand", ...lit(hand) }, box, el("i", { style: `border-color:${colour(hand)}` }, hand), t("hand_share", { hand, count }));
  };
  const kinds = KINDS.filter((kind) => kind !== "writing" && record.words.some((word) => word.kind === kind));
  const other = (kind: Kind): HTMLElement => {
    const count = record.words.filter((word) => word.kind === kind).length;
    const box = el("input", {
      type: "checkbox",
      checked: !options.hidden.has(kind),
      onchange: () => {
        if (box.checked) options.hidden.delete(kind);
        else options.hidden.add(kind);
        actions.redraw();
      },
    });
    return el("label", { class: "hand", ...lit(kind) }, box, el("i", { class: "dashed", style: `border-color:${kindColour(kind)}` }), `${t(`kind_${kind}`)}: ${count}, ${t("excluded")}`);
  };
  const shade = el("input", {
    type: "checkbox",
    checked: options.shade,
    onchange: () => ((options.shade = shade.checked), actions.redraw()),
  });
  const shown = el("output", {}, percent(options.least));
  const least = el("input", {
    type: "range",
    min: "0",
    max: "0.99",
    step: "0.01",
    value: String(options.least),
    "aria-label": t("confidence"),
    oninput: () => (shown.textContent = percent(Number(least.value))),
    onchange: () => ((options.least = Number(least.value)), actions.redraw()),
  });
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("hands")),
    ...order(record.words.map((word) => word.hand)).map(row),
    ...kinds.map(other),
    el("label", { class: "hand" }, shade, t("shade")),
    el("label", { class: "slider" }, t("confidence"), least, shown),
  );
}

function setApart(actions: PageActions, record: PageRecord): HTMLElement {
  const apart = record.words
    .map((word, index) => ({ word, index }))
    .filter(({ word }) => isWriting(word) && word.hand !== "A")
    .slice(0, 60);
  const row = ({ word, index }: (typeof apart)[number]): HTMLElement =>
    el(
      "tr",
      {},
      el("td", {}, el("button", { class: "plain", onclick: () => actions.select(index) }, String(index + 1))),
      el("td", {}, String(word.line + 1)),
      el("td", {}, word.hand + (word.by ? " *" : "")),
      el("td", {}, word.posterior.toFixed(2)),
      el("td", {}, word.text ?? ""),
    );
  const head = (["word", "line", "hand", "posterior"] as Key[]).map((key) => el("th", { scope: "col" }, t(key)));
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("set_apart")),
    apart.length
      ? scrolling(t("set_apart"), el("table", {}, el("thead", {}, el("tr", {}, ...head, el("th", {}))), el("tbody", {}, ...apart.map(row))))
      : el("p", { class: "quiet" }, t("set_apart_none")),
  );
}

function corrections(actions: PageActions): HTMLElement {
  const all = actions.page().corrections;
  const standing = all.some((one) => one.undone === null);
  const row = (one: (typeof all)[number]): HTMLElement =>
    el(
      "li",
      { class: one.undone ? "undone" : "" },
      t(`op_${one.change.op}` as Key, { kind: t(`kind_${one.change.kind ?? "writing"}` as Key), hand: one.change.hand ?? "" }),
      el("span", { class: "quiet" }, ` ${one.examiner} ${one.made.slice(0, 16).replace("T", " ")}${one.undone ? ` (${t("undone")})` : ""}`),
    );
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("corrections")),
    el(
      "div",
      { class: "row" },
      el("button", { onclick: () => actions.mode("draw") }, t("c_draw")),
      el("button", { disabled: !standing, onclick: () => void actions.undo() }, t("c_undo")),
    ),
    all.length ? el("ul", { class: "small" }, ...all.slice(-8).map(row)) : el("p", { class: "quiet" }, t("corrections_none")),
  );
}

function exports(page: PageDetail): HTMLElement {
  const link = (form: string, name: string): HTMLElement =>
    el("a", { class: "button", id: `export-${form}`, href: `/api/pages/${page.id}/export/${form}?lang=${language()}`, download: "" }, name);
  return el(
    "section",
    { class: "panel" },
    el("h2", {}, t("export")),
    el(
      "div",
      { class: "row wrap" },
      link("pdf", "PDF"),
      link("html", "HTML"),
      link("json", "JSON"),
      link("csv", "CSV"),
      link("page-xml", "PAGE-XML"),
      link("tei", "TEI"),
      link("annotations", "IIIF"),
    ),
  );
}

function provenance(page: PageDetail): HTMLElement {
  const when = page.run?.started.slice(0, 16).replace("T", " ") ?? "";
  return el(
    "p",
    { class: "quiet mono provenance" },
    t("computed_by", { model: page.run?.settings.model ?? "", when }),
    el("br"),
    `SHA-256 ${page.sha256.slice(0, 16)}…`,
  );
}
