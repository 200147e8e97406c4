"use strict";
// Sorts the list of pages by the column whose heading is clicked; a second click turns the order round.
const table = document.getElementById("pages");
if (table) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number(text.replace("−", "-"));
    return text !== "" && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  Array.from(table.tHead.rows[0].cells).forEach((heading, column) => {
    heading.tabIndex = 0;
    heading.style.cursor = "pointer";
    const sort = () => {
      const falling = heading.getAttribute("aria-sort") === "ascending";
      for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const rows = Array.from(body.rows).sort((one, two) => compare(value(one, column), value(two, column)));
      body.append(...(falling ? rows.reverse() : rows));
    };
    heading.addEventListener("click", sort);
    heading.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
}
