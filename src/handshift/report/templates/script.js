"use strict";
// Everything below only helps the eye; the report is complete without it.
const words = document.getElementById("words");
document.getElementById("marks").addEventListener("change", (event) => {
  words.style.display = event.target.checked ? "" : "none";
});

for (const row of document.querySelectorAll("tr[data-word]")) {
  const mark = document.getElementById(row.dataset.word);
  row.addEventListener("mouseenter", () => mark.classList.add("lit"));
  row.addEventListener("mouseleave", () => mark.classList.remove("lit"));
}

const matrix = document.getElementById("matrix");
if (matrix) {
  const size = Number(matrix.dataset.size);
  const numbers = matrix.dataset.numbers.split(",");
  const percent = Int8Array.from(atob(matrix.dataset.percent), (byte) => byte.charCodeAt(0));
  const pair = document.getElementById("pair");
  const cells = document.getElementById("cells");
  cells.addEventListener("mousemove", (event) => {
    const frame = cells.getBoundingClientRect();
    const column = Math.min(size - 1, Math.floor(((event.clientX - frame.left) / frame.width) * size));
    const row = Math.min(size - 1, Math.floor(((event.clientY - frame.top) / frame.height) * size));
    pair.textContent = `${numbers[row]} – ${numbers[column]}: ${(percent[row * size + column] / 100).toFixed(2)}`;
  });
  cells.addEventListener("mouseleave", () => { pair.textContent = ""; });
}
