/** The page in deep zoom with one rectangle a word over it. */

import OpenSeadragon from "openseadragon";
import { isWriting, type PageDetail, type WordRecord } from "./api";
import { el, svg } from "./dom";
import { colour, dash, kindColour } from "./hands";
import { t } from "./i18n";

export type Box = [number, number, number, number];

export interface ViewOptions {
  hidden: Set<string>;
  shade: boolean;
  least: number;
  marks: Record<string, string> | null;
}

export interface ViewerEvents {
  select(index: number | null): void;
  drawn(box: Box): void;
  split(x: number): void;
}

export class Viewer {
  readonly element: HTMLElement;
  private readonly osd: OpenSeadragon.Viewer;
  private readonly layer = svg("svg", { class: "marks", "aria-hidden": "true" });
  private readonly group = svg("g");
  private page: PageDetail | null = null;
  private selected: number | null = null;
  private options: ViewOptions = { hidden: new Set(), shade: true, least: 0, marks: null };
  private mode: "look" | "draw" | "split" = "look";
  private begin: OpenSeadragon.Point | null = null;
  private rubber: SVGRectElement | null = null;
  private readonly tip = el("div", { class: "tip", hidden: true });

  constructor(private readonly events: ViewerEvents) {
    this.element = document.createElement("div");
    this.element.className = "viewer";
    this.element.tabIndex = -1;
    this.osd = OpenSeadragon({
      element: this.element,
      showNavigationControl: false,
      gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
      animationTime: 0.35,
      maxZoomPixelRatio: 4,
      visibilityRatio: 1,
      constrainDuringPan: true,
      keyboardNavEnabled: false,
      drawer: "canvas",
    } as OpenSeadragon.Options);
    this.layer.append(this.group);
    this.element.append(this.layer, this.tip);
    this.element.addEventListener("pointermove", (event) => this.hover(event));
    this.element.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.osd.addHandler("update-viewport", () => this.place());
    this.osd.addHandler("open", () => this.place());
    this.osd.addHandler("resize", () => this.place());
    this.osd.addHandler("canvas-click", (event) => this.clicked(event));
    this.osd.addHandler("canvas-press", (event) => this.pressed(event));
    this.osd.addHandler("canvas-drag", (event) => this.dragged(event));
    this.osd.addHandler("canvas-release", (event) => this.released(event));
  }

  show(page: PageDetail, options: ViewOptions, selected: number | null): void {
    const same = this.page?.id === page.id;
    this.page = page;
    this.options = options;
    this.selected = selected;
    if (!same) this.open(page);
    this.draw();
  }

  select(index: number | null, follow: boolean): void {
    this.selected = index;
    this.draw();
    if (follow && index !== null) this.follow(index);
  }

  /** Dim all words but those of one hand, or of one kind of mark; null shows all alike. */
  highlight(hand: string | null): void {
    for (const mark of this.group.querySelectorAll<SVGElement>(".word")) mark.classList.toggle("dim", hand !== null && mark.dataset.hand !== hand);
  }

  setMode(mode: "look" | "draw" | "split"): void {
    this.mode = mode;
    this.element.dataset.mode = mode;
    this.osd.setMouseNavEnabled(true);
  }

  zoom(factor: number): void {
    if (factor === 0) this.osd.viewport.goHome();
    else this.osd.viewport.zoomBy(factor);
  }

  destroy(): void {
    this.osd.destroy();
  }

  private open(page: PageDetail): void {
    const finest = Math.max(0, Math.ceil(Math.log2(Math.max(page.width, page.height, 1))));
    const source = {
      width: page.width,
      height: page.height,
      tileSize: page.tile_size,
      tileOverlap: 0,
      minLevel: Math.max(0, finest - 6),
      maxLevel: finest,
      getTileUrl: (level: number, x: number, y: number) => `/api/pages/${page.id}/tiles/${level}/${x}_${y}.jpg`,
    };
    this.osd.open({ tileSource: source } as unknown as OpenSeadragon.TileSourceSpecifier);
  }

  private follow(index: number): void {
    const word = this.page?.record?.words[index];
    const item = this.osd.world.getItemAt(0);
    if (!word || !item) return;
    const [x, y, width, height] = word.box;
    const bounds = this.osd.viewport.getBounds();
    const centre = item.imageToViewportCoordinates(x + width / 2, y + height / 2);
    const inner = new OpenSeadragon.Rect(
      bounds.x + bounds.width * 0.02,
      bounds.y + bounds.height * 0.02,
      bounds.width * 0.96,
      bounds.height * 0.96,
    );
    if (inner.containsPoint(centre)) return;
    this.osd.viewport.panTo(centre);
    this.osd.viewport.applyConstraints();
  }

  private place(): void {
    const item = this.osd.world.getItemAt(0);
    if (!item) return;
    const origin = item.imageToViewerElementCoordinates(new OpenSeadragon.Point(0, 0));
    const end = item.imageToViewerElementCoordinates(new OpenSeadragon.Point(1000, 0));
    const scale = (end.x - origin.x) / 1000;
    this.group.setAttribute("transform", `translate(${origin.x} ${origin.y}) scale(${scale})`);
    this.group.style.setProperty("--scale", String(1 / scale));
  }

  private draw(): void {
    const record = this.page?.record;
    this.group.replaceChildren();
    if (!record) return;
    record.words.forEach((word, index) => {
      const mark = this.mark(word, index);
      if (mark) this.group.append(mark);
      if (mark) this.letter(record.words, index);
    });
  }

  private mark(word: WordRecord, index: number): SVGElement | null {
    if (!isWriting(word)) return this.other(word, index);
    const marked = this.options.marks?.[word.box.join(",")];
    const blind = this.options.marks !== null;
    const hand = blind ? (marked ?? "A") : word.hand;
    if (!blind && (this.options.hidden.has(hand) || word.certainty < this.options.least)) return null;
    const [x, y, width, height] = word.box;
    const shade = blind ? (marked ? 0.45 : 0) : hand === "A" ? 0.3 * word.posterior : 0.08 + 0.22 * word.certainty;
    return svg(
      "rect",
      {
        x: x - 2,
        y: y - 2,
        width: width + 4,
        height: height + 4,
        rx: 2,
        class: `word${index === this.selected ? " selected" : ""}${hand === "A" ? " main" : ""}${word.by ? " by-examiner" : ""}`,
        stroke: colour(hand),
        fill: colour(hand === "A" && !blind ? "B" : hand),
        "fill-opacity": this.options.shade ? shade.toFixed(3) : 0,
        "stroke-dasharray": dash(hand) || undefined,
        "data-index": index,
        "data-hand": hand,
      },
    );
  }

  /** Not by colour alone: the letter of a hand stands over the first word of each of its passages. */
  private letter(words: WordRecord[], index: number): void {
    const { hand, box, line } = words[index];
    const before = words[index - 1];
    if (this.options.marks !== null || !hand || hand === "A" || (before?.hand === hand && before.line === line)) return;
    const size = Math.max(12, Math.min(28, box[3] * 0.5));
    this.group.append(svg("text", { x: box[0], y: box[1] - 5, "font-size": size, fill: colour(hand), class: "letter" }, hand));
  }

  /** Print, stamps, struck-out words and so on: dashed, in the colour of their kind. */
  private other(word: WordRecord, index: number): SVGElement | null {
    const kind = word.kind ?? "writing";
    if (this.options.hidden.has(kind)) return null;
    const [x, y, width, height] = word.box;
    const own = { stroke: kindColour(kind), fill: kindColour(kind), "data-index": index, "data-hand": kind };
    return svg("rect", { x, y, width, height, class: `word excluded${index === this.selected ? " selected" : ""}`, ...own });
  }

  private caption(word: WordRecord, index: number): string {
    const where = t("word_title", { number: index + 1, line: word.line + 1 });
    if (this.options.marks !== null) return where; // a second opinion is blind to what was computed
    if (!isWriting(word)) return `${where}: ${t(`kind_${word.kind ?? "writing"}`)}, ${t("excluded")}`;
    const share = (value: number): string => value.toFixed(2);
    const by = { hand: word.hand, certainty: share(word.certainty), posterior: share(word.posterior) };
    return `${where}${word.text ? ` “${word.text}”` : ""}: ${t("word_by", by)}`;
  }

  private at(position: OpenSeadragon.Point): OpenSeadragon.Point | null {
    const item = this.osd.world.getItemAt(0);
    return item ? item.viewerElementToImageCoordinates(position) : null;
  }

  private clicked(event: OpenSeadragon.CanvasClickEvent): void {
    const point = this.at(event.position);
    if (!event.quick || !point || this.mode === "draw") return;
    if (this.mode === "split") {
      this.events.split(Math.round(point.x));
      return;
    }
    this.events.select(this.wordAt(point));
  }

  private wordAt(point: OpenSeadragon.Point): number | null {
    const words = this.page?.record?.words ?? [];
    const index = words.findIndex(
      ({ box: [x, y, w, h] }) => point.x >= x - 2 && point.x <= x + w + 2 && point.y >= y - 2 && point.y <= y + h + 2,
    );
    return index < 0 ? null : index;
  }

  /** The numbers of the word under the pointer; the marks themselves let the pointer through to the page. */
  private hover(event: PointerEvent): void {
    const frame = this.element.getBoundingClientRect();
    const point = this.at(new OpenSeadragon.Point(event.clientX - frame.x, event.clientY - frame.y));
    const index = point && this.wordAt(point);
    const word = index === null ? null : this.page?.record?.words[index];
    this.tip.hidden = !word || index === null || event.buttons > 0;
    if (!word || index === null || this.tip.hidden) return;
    this.tip.textContent = this.caption(word, index);
    const left = Math.min(event.clientX - frame.x + 14, frame.width - this.tip.offsetWidth - 8);
    this.tip.style.translate = `${left}px ${event.clientY - frame.y + 18}px`;
  }

  private pressed(event: OpenSeadragon.CanvasPressEvent): void {
    if (this.mode === "draw") this.begin = this.at(event.position);
  }

  private dragged(event: OpenSeadragon.CanvasDragEvent): void {
    if (this.mode !== "draw" || !this.begin) return;
    event.preventDefaultAction = true;
    const point = this.at(event.position);
    if (!point) return;
    this.rubber ??= this.group.appendChild(svg("rect", { class: "rubber" }));
    const [x, y, width, height] = around(this.begin, point);
    for (const [name, value] of Object.entries({ x, y, width, height })) this.rubber.setAttribute(name, String(value));
  }

  private released(event: OpenSeadragon.CanvasReleaseEvent): void {
    if (this.mode !== "draw" || !this.begin) return;
    const point = this.at(event.position);
    const begin = this.begin;
    this.rubber?.remove();
    this.rubber = this.begin = null;
    if (!point) return;
    const box = around(begin, point);
    if (box[2] > 4 && box[3] > 4) this.events.drawn(box);
  }
}

function around(a: OpenSeadragon.Point, b: OpenSeadragon.Point): Box {
  const x = Math.max(0, Math.round(Math.min(a.x, b.x)));
  const y = Math.max(0, Math.round(Math.min(a.y, b.y)));
  return [x, y, Math.round(Math.abs(a.x - b.x)), Math.round(Math.abs(a.y - b.y))];
}
