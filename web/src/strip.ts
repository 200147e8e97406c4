/** The words in reading order, one cell each, in the colour of their hand; lines and pages are set apart. */

import { isWriting, type WordRecord } from "./api";
import { svg } from "./dom";
import { colour, kindColour } from "./hands";
import { t } from "./i18n";

export function strip(words: WordRecord[], selected: number | null, choose: (index: number) => void): SVGElement {
  const gap = 0.6;
  let x = 0;
  const cells = words.map((word, index) => {
    if (index && word.line !== words[index - 1].line) x += gap;
    const opacity = 0.35 + 0.65 * word.certainty;
    const title = svg("title", {}, `${t("word_title", { number: index + 1, line: word.line + 1 })}: ${word.hand || t(`kind_${word.kind ?? "writing"}`)}`);
    const cell = svg(
      "rect",
      {
        x: x.toFixed(2),
        y: index === selected ? 0 : isWriting(word) ? 2 : 14,
        width: 0.86,
        height: index === selected ? 22 : isWriting(word) ? 18 : 6,
        fill: isWriting(word) ? colour(word.hand) : kindColour(word.kind ?? "writing"),
        opacity: isWriting(word) ? opacity.toFixed(2) : 1,
        class: index === selected ? "selected" : undefined,
        onclick: () => choose(index),
      },
      title,
    );
    x += 1;
    return cell;
  });
  return svg(
    "svg",
    { class: "strip", viewBox: `0 0 ${Math.max(x, 1)} 22`, preserveAspectRatio: "none", role: "img", "aria-label": t("strip") },
    ...cells,
  );
}
