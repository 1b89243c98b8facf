/* The index of a series of pages: sends what is looked for to the first page
 * that may have it; the pages look on by themselves (libgsym/markup/page.js). */
(() => {
"use strict";
const form = document.querySelector("form");
const [text, process, module] =
  ["text", "process", "module"].map(name => form.elements[name]);

/* The pages that have what SELECT says; null: any page. */
const pagesOf = select => select && select.value
  ? select.selectedOptions[0].dataset.pages.split(" ").map(Number) : null;

function look(how) {
  const lists = [pagesOf(process), pagesOf(module)].filter(Boolean);
  const hash = new URLSearchParams({ do: how });
  let first = 1;
  if (text.value) hash.set("text", text.value);
  if (process && process.value) hash.set("process", process.value);
  if (module && module.value) hash.set("module", module.value);
  if (lists.length) {
    const pages = lists[0].filter(n => lists.every(l => l.includes(n)));
    document.querySelector("output").textContent =
      pages.length ? "" : "no page has both";
    if (!pages.length) return;
    hash.set("pages", pages.join(" "));
    first = pages[0];
  }
  if ([...hash].length > 1) location.href = first + ".html#" + hash;
}

form.hidden = false;
form.onsubmit = event => {
  event.preventDefault();
  look("filter");
};
document.querySelector("#first").onclick = () => look("find");
})();
