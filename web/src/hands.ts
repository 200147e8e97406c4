/** How hands look: colour-blind-safe colours in a fixed order, and an outline style of their own. */

import type { Kind } from "./api";

const COLOURS = ["#6f7780", "#d55e00", "#0072b2", "#009e73", "#aa4499", "#b8860b", "#56b4e9", "#882255"];
const KINDS: Record<Kind, string> = {
  writing: "#6f7780",
  print: "#607d8b",
  stamp: "#8e243c",
  "struck-out": "#795548",
  signature: "#553c8c",
  drawing: "#9e9d24",
};
const DASHES = ["", "", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 3"];

export function place(hand: string): number {
  let number = 0;
  for (const letter of hand) number = number * 26 + letter.charCodeAt(0) - 64;
  return number - 1;
}

export const colour = (hand: string): string => COLOURS[place(hand) % COLOURS.length];
export const kindColour = (kind: Kind): string => KINDS[kind];
export const dash = (hand: string): string => DASHES[place(hand) % DASHES.length];

/** Hands in their order, each once; marks that are not writing have none. */
export function order(hands: Iterable<string>): string[] {
  return [...new Set(hands)].filter(Boolean).sort((a, b) => place(a) - place(b));
}
