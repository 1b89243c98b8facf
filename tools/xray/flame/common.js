/* What flame graph and time line share: data, numbers, names, search, tips. */
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const functions = data.functions.map(([name, file, line, colour]) =>
	({ name, line, colour, file: file === null ? "" : data.files[file] }));

function element(tag, text, className) {
	const e = document.createElement(tag);
	if (text !== undefined) e.textContent = text;
	if (className) e.className = className;
	return e;
}

/* ---- numbers ---- */

const count = n => n.toLocaleString("en-US");
const plural = (n, what) => count(n) + " " + what + (n === 1 ? "" : "s");
const nanoseconds = ticks => ticks * 1e9 / data.frequency;
const units = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

/* TICKS as text with four digits; nanoseconds and ticks are whole numbers. */
function duration(ticks) {
	if (!data.frequency) return plural(ticks, "tick");
	const ns = nanoseconds(ticks), [size, unit] =
		units.find(u => ns >= u[0]) || units[3];
	const digits = Math.max(0, 3 - Math.floor(Math.log10(ns / size || 1)));
	return (ns / size).toFixed(size === 1 ? 0 : digits) + " " + unit;
}

/* The time TICKS as text, with enough digits to differ from TICKS + STEP. */
function moment(ticks, step) {
	if (!ticks) return "0";
	if (!data.frequency) return count(Math.round(ticks));
	const ns = nanoseconds(ticks), away = nanoseconds(step);
	const [size, unit] = units.find(u => Math.abs(ns) >= u[0]) || units[3];
	const digits = Math.max(0, Math.min(Math.round(Math.log10(size)),
		Math.ceil(-Math.log10(away / size) - 1e-9)));
	return (ns / size).toFixed(digits) + " " + unit;
}

function share(part, whole) {
	if (!whole) return "";
	const p = 100 * part / whole;
	return p && p < 0.01 ? "< 0.01 %" : p.toFixed(p < 9.995 ? 2 : 1) + " %";
}

/* The time of day at TICKS, or the time since the system was started; "" if
 * neither is known. */
function wall(ticks) {
	if (!data.wall) return "";
	const ns = data.wall.nanoseconds + Math.round(nanoseconds(ticks));
	const s = data.wall.seconds + Math.floor(ns / 1e9);
	const rest = String(ns % 1e9).padStart(9, "0");
	return data.wall.kind === "date"
		? new Date(s * 1e3).toISOString().slice(0, -4) + rest + "Z"
		: s + "." + rest + " s after the start of the system";
}

/* ---- names ---- */

/* NAME with "\u2026" for the arguments of functions and templates. */
function shorten(name) {
	const kept = "(anonymous namespace)";
	if (/operator|lambda/.test(name)) return name;
	let result = "", depth = 0, opened = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (!depth && name.startsWith(kept, i)) {
			result += kept;
			i += kept.length - 1;
		} else if (c === "<" || c === "(") {
			if (!depth++) {
				result += c;
				opened = i;
			}
		} else if (depth && (c === ">" || c === ")")) {
			if (!--depth)
				result += (i > opened + 1 ? "\u2026" : "") + c;
		} else if (!depth) {
			result += c;
		}
	}
	/* Names of template functions begin with the return type: drop it. */
	return name.includes(kept) ? result
		: result.replace(/^.* (?=[^ ]+\()/, "");
}
for (const f of functions)
	f.short = shorten(f.name);

/* The name of F in CHARS characters, if possible: without arguments, then
 * without its outermost scopes.  The function's own name always stays. */
function label(f, chars) {
	if (f.name.length <= chars) return f.name;
	let text = f.short;
	if (text === f.name && !/^[\w:~]+$/.test(text)) return text;
	while (text.length > chars && text.includes("::"))
		text = text.slice(text.indexOf("::") + 2);
	return text.length <= chars ? text
		: text.replace(/[<(].*$/, "") || f.name;
}

/* ---- search ---- */

const search = { text: "", hits: new Uint8Array(functions.length), count: 0 };

function setSearch(text, exact) {
	const wanted = text.toLowerCase();
	search.text = wanted;
	search.count = 0;
	functions.forEach((f, i) => {
		search.hits[i] = !wanted ? 0 : exact ? f.name === text
			: (f.name.toLowerCase().includes(wanted) ||
			   f.file.toLowerCase().includes(wanted));
		search.count += search.hits[i];
	});
	$("search").value = text;
}

/* ---- details ---- */

const tip = $("tip");

/* Fill the tip.  ROWS are [head, value, more]. */
function fillTip(name, place, rows, marks) {
	tip.replaceChildren(element("b", name));
	if (place) tip.append(element("div", place, "place"));
	const table = element("table");
	for (const [head, value, more] of rows) {
		const row = element("tr");
		row.append(element("th", head), element("td", value));
		if (more) row.append(element("td", more));
		table.append(row);
	}
	tip.append(table);
	for (const m of marks) tip.append(element("div", m, "mark"));
}

/* Show the tip beside X, Y, on a side where there is room. */
function placeTip(x, y) {
	tip.hidden = false;
	const w = tip.offsetWidth, h = tip.offsetHeight;
	x = x + 14 + w > innerWidth ? Math.max(4, x - w - 10) : x + 14;
	y = y + 18 + h > innerHeight ? Math.max(4, y - h - 10) : y + 18;
	tip.style.left = x + "px";
	tip.style.top = y + "px";
}

function hideTip() {
	tip.hidden = true;
}

const placeOf = f => f.file && f.file + (f.line ? ":" + f.line : "");

/* Have screen readers read the tip. */
function say() {
	$("live").textContent =
		[...tip.querySelectorAll("b, .place, tr, .mark")]
			.map(e => e.textContent).join(", ");
}
