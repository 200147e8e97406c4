/** Elements without innerHTML: text from files and people can never become markup. */

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, props);
  append(element, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

export function clear(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

export function announce(text: string): void {
  const place = document.getElementById("announce");
  if (place) place.textContent = text;
}

/** A part that scrolls by itself; the keyboard can reach it. */
export function scrolling(label: string, ...children: Child[]): HTMLElement {
  return el("div", { class: "scroll", tabIndex: 0, role: "region", "aria-label": label }, ...children);
}

function assign(element: HTMLElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "class") element.className = String(value);
    else if (name === "style") element.style.cssText = String(value);
    else if (name in element && !name.startsWith("aria")) (element as unknown as Props)[name] = value;
    else element.setAttribute(name, String(value));
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) if (child) element.append(child);
}
