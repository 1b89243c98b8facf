/* The script of a page: makes the blocks in <noscript> elements that come into
 * view, searches in all blocks, and goes on to the next page of a series. */
(() => {
"use strict";
const far = [...document.querySelectorAll("noscript")];
const near = [...document.querySelectorAll(".blk")];
const ROW = 19.5, BLOCK = 512;

/* A place for each block that is text so far. */
const places = far.map((text, i) => {
  const place = document.createElement("div"), next = far[i + 1];
  place.raw = text;
  place.style.height = ROW * (next
    ? next.dataset.line - text.dataset.line : BLOCK) + "px";
  text.after(place);
  return place;
});

function show(place) {
  if (!place.raw || place.firstChild) return;
  place.innerHTML = place.raw.textContent;
  place.style.height = "";
}

function hide(place) {
  const chosen = getSelection();
  if (!place.raw || !place.firstChild ||
      place.contains(document.activeElement) ||
      !chosen.isCollapsed && chosen.containsNode(place, true))
    return;
  place.style.height = place.offsetHeight + "px";
  place.replaceChildren();
}

const watch = new IntersectionObserver(list => {
  for (const e of list)
    (e.isIntersecting ? show : hide)(e.target);
}, { rootMargin: "3000px 0px" });
places.forEach(place => watch.observe(place));

/* ---- places in the log ---- */

let at = null;

function goTo(line) {
  if (at) at.classList.remove("at");
  at = line;
  at.classList.add("at");
  at.scrollIntoView({ block: "center" });
}

/* Go to the element that the address of the page names. */
function follow() {
  if (location.hash.includes("=")) return ask();
  showHits(false);
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id) return;
  const there = document.getElementById(id);
  if (there) {
    if (there.closest(".ln")) goTo(there.closest(".ln"));
    return;
  }
  const place = places.find(place =>
    place.raw.textContent.includes(' id="' + id + '"'));
  if (!place) return;
  show(place);
  const found = document.getElementById(id);
  if (found) goTo(found.closest(".ln"));
}

/* ---- search ---- */

const blocks = near.concat(places);
const LONGEST = 2000;

function textOf(line) {
  const copy = line.cloneNode(true);
  copy.querySelectorAll(".tip").forEach(tip => tip.remove());
  return copy.textContent;
}

/* What is looked for: MAYBE tells from the source of a block if it may have
 * such a line, FITS if a line is one. */
function wanted() {
  const [text, process, module] =
    [input, ofProcess, ofModule].map(e => e.value.toLowerCase());
  const word = text => text.match(/[^&<>"']*/)[0];
  return {
    maybe: raw => {
      const all = raw.toLowerCase();
      return [text, process, module].every(t => all.includes(word(t)));
    },
    fits: line => (!process ||
        (line.dataset.p || "").toLowerCase() === process) &&
      (!module || [...line.querySelectorAll(".sym")].some(e =>
        e.textContent.toLowerCase().includes(module))) &&
      (!text || textOf(line).toLowerCase().includes(text)),
  };
}

const traces = {
  maybe: raw => / id="f\d+-0"/.test(raw),
  fits: line => line.querySelector('.bt[id$="-0"]'),
};

/* The lines of BLOCK that fit; elements that are in no page. */
function linesOf(block, what) {
  if (block.firstChild)
    return [...block.querySelectorAll(".ln")].filter(what.fits);
  if (!what.maybe(block.raw.textContent)) return [];
  const copy = document.createElement("template");
  copy.innerHTML = block.raw.textContent;
  return [...copy.content.querySelectorAll(".ln")].filter(what.fits);
}

/* Go to the next line that fits, on this page, and from its start again if
 * AROUND; false if there is none. */
function seek(what, around) {
  const first = at
    ? Math.max(0, blocks.findIndex(b => b.contains(at))) : 0;
  const count = around ? blocks.length : blocks.length - first - 1;
  for (let i = 0; i <= count; i++) {
    const block = blocks[(first + i) % blocks.length];
    const shown = block.firstChild;
    if (!shown && !what.maybe(block.raw.textContent)) continue;
    show(block);
    const lines = [...block.querySelectorAll(".ln")];
    const from = at && !i ? lines.indexOf(at) + 1 : 0;
    const hit = lines.slice(from).find(what.fits);
    if (hit) {
      goTo(hit);
      return true;
    }
    if (!shown) hide(block);
  }
  return false;
}

/* ---- a series of pages ---- */

const nav = document.querySelector(".parts");
const page = nav ? Number(nav.dataset.page) : 0;
const query = () => new URLSearchParams(location.hash.slice(1));

/* The page after this one that may have what is looked for; 0: none. */
function nextPage(list) {
  if (list)
    return list.split(" ").map(Number).find(n => n > page) || 0;
  return nav && nav.querySelector(".next") ? page + 1 : 0;
}

/* Look on the next page: each page looks for itself, so that only one is in
 * memory.  How is what the page is to do. */
function lookOn(how) {
  const asked = query(), next = nextPage(asked.get("pages"));
  if (!next) return false;
  const hash = new URLSearchParams({ do: how });
  for (const [key, e] of [["text", input], ["process", ofProcess],
                          ["module", ofModule]])
    if (e.value) hash.set(key, e.value);
  if (asked.get("pages")) hash.set("pages", asked.get("pages"));
  said.textContent = "page " + next + " \u2026";
  location.replace(next + ".html#" + hash);
  return true;
}

function next(what, how) {
  showHits(false);
  said.textContent = seek(what, !nav) || lookOn(how) ? "" : "not found";
}

/* Show the lines that were found, or the log again. */
function showHits(found) {
  hits.hidden = all.hidden = !found;
  more.hidden = !found || !nextPage(query().get("pages"));
  for (const e of document.querySelectorAll("body > .blk, body > div"))
    if (e.matches(".blk") || e.raw) e.hidden = found;
}

/* Show only the lines that fit. */
function filter() {
  const what = wanted(), list = document.createElement("pre");
  let count = 0;
  list.className = "log";
  for (const block of blocks)
    for (const line of linesOf(block, what)) {
      if (++count > LONGEST) continue;
      const copy = line.cloneNode(true);
      const link = document.createElement("a");
      copy.querySelectorAll("[id]").forEach(e => e.removeAttribute("id"));
      copy.removeAttribute("id");
      link.href = "#" + line.id;
      link.textContent = line.id.slice(1);
      if (line.id) list.append(link, " ");
      list.append(copy, "\n");
    }
  if (!count && lookOn("filter")) return;
  hits.replaceChildren(list);
  said.textContent = count + (count === 1 ? " line" : " lines") +
    (count > LONGEST ? ", the first " + LONGEST + " are shown" : "") +
    (nav ? " on this page" : "");
  showHits(true);
  scrollTo(0, 0);
}

/* Do what the page before, or the index, asks for in the address. */
function ask() {
  const asked = query(), how = asked.get("do");
  input.value = asked.get("text") || "";
  ofProcess.value = asked.get("process") || "";
  ofModule.value = asked.get("module") || "";
  if (how === "trace") next(traces, how);
  else if (how === "filter") filter();
  else if (how === "find") next(wanted(), how);
}

/* ---- the bar ---- */

function add(tag, text, settings) {
  const e = Object.assign(document.createElement(tag), settings);
  e.textContent = text;
  bar.append(e);
  return e;
}

const bar = document.createElement("form");
bar.className = "find";
bar.setAttribute("role", "search");
const field = (what, label) => add("input", "", { type: "search",
  placeholder: what, ariaLabel: label });
const input = field("find in the log", "Find in the log");
const ofProcess = field("process", "Only lines of this process");
ofProcess.hidden = !document.querySelector("[data-p]") &&
  !far.some(e => e.textContent.includes(" data-p="));
const ofModule = field("module", "Only lines with this module");
const any = () => input.value || ofProcess.value || ofModule.value;
const button = (text, run) =>
  add("button", text, { type: "button", onclick: run });
add("button", "Next", {});
button("Only these", () => any() && filter());
const trace = button("Next stack trace", () => next(traces, "trace"));
const said = add("output", "", {});
const more = button("Next page", () => lookOn("filter"));
const all = button("All lines", () => showHits(false));
more.hidden = all.hidden = true;
bar.onsubmit = event => {
  event.preventDefault();
  if (any()) next(wanted(), "find");
};
const hits = document.createElement("section");
hits.className = "hits";
hits.hidden = true;
hits.ariaLabel = "Lines found";
document.querySelector("h1").after(bar, hits);
addEventListener("hashchange", follow);
follow();
})();
