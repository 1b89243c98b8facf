/* The page of gsym-xray diff: frames have the times of both sides. */
const TIMES = ["", "slower", "faster", "too few calls to tell",
	       "not called before", "not called after"];
const COUNTS = ["", "more calls", "fewer calls"];

/* Make a tree of the numbers in LIST; see tools/xray/diff_page.c. */
function decodeStacks(list) {
	const root = { f: -1, kids: [], sums: [0, 0], selfs: [0, 0],
		       numbers: [0, 0], up: null };
	const open = [[root, -1]];
	for (let i = 0; i < list.length; i += 7) {
		const [f, kids, ...rest] = list.slice(i, i + 7);
		const said = rest[4], up = open[open.length - 1][0];
		const n = { f: Math.abs(f), shorter: f < 0, kids: [], up,
			    numbers: rest.slice(0, 2), selfs: rest.slice(2, 4),
			    sums: rest.slice(2, 4), time: said % 8,
			    count: Math.floor(said / 8) };
		n.beyond = !n.shorter &&
			(n.count > 0 || n.time > 0 && n.time !== 3);
		/* Something below it, or the node, has changed. */
		n.changed = n.beyond;
		up.kids.push(n);
		open[open.length - 1][1]--;
		open.push([n, kids]);
		while (open.length > 1 && !open[open.length - 1][1]) {
			const done = open.pop()[0];
			for (const side of [0, 1])
				done.up.sums[side] += done.sums[side];
			done.up.changed = done.up.changed || done.changed;
		}
	}
	for (const kid of root.kids)
		for (const side of [0, 1])
			root.numbers[side] += kid.numbers[side];
	return root;
}

/* Let the widths of all frames below ROOT be the times of WHAT. */
function setWidths(root, what) {
	const pick = ([before, after]) => what === "before" ? before
		: what === "after" ? after : before + after;
	const todo = [root];
	while (todo.length) {
		const n = todo.pop();
		n.sum = pick(n.sums);
		n.self = pick(n.selfs);
		n.calls = pick(n.numbers);
		n.kids.sort((a, b) => pick(b.sums) - pick(a.sums));
		todo.push(...n.kids);
	}
}

/* The part by which the time of N changed, from -1 to 1. */
const part = ([before, after]) =>
	before + after ? (after - before) / (before + after) : 0;

function paint(n) {
	const p = part(n.sums);
	if (n.shorter || !n.changed || !p) return "";
	const much = Math.round(20 + 60 * Math.min(1, Math.abs(p) * 2));
	return "color-mix(in oklab, var(--" + (p > 0 ? "more" : "less") +
		") " + much + "%, var(--page))";
}

const marksOf = n => !n.beyond ? ""
	: part(n.selfs) >= 0 ? "\u25b2 " : "\u25bc ";

function changeOf([before, after]) {
	const text = (after < before ? "\u2212" : "+") +
		duration(Math.abs(after - before));
	return text + (before ? ", " + (after < before ? "\u2212" : "+") +
		(100 * Math.abs(after - before) / before).toFixed(1) + " %"
		: "");
}

function tipOf(n) {
	const row = (head, [before, after]) => [head, duration(before) +
		" \u2192 " + duration(after), changeOf([before, after])];
	const rows = [row("total", n.sums)], marks = [];
	if (n.f >= 0 && !n.shorter) {
		rows.push(row("self", n.selfs));
		if (n.numbers[0] && n.numbers[1])
			rows.push(row("self of a call", [0, 1].map(side =>
				Math.round(n.selfs[side] / n.numbers[side]))));
	}
	rows.push(["calls", count(n.numbers[0]) + " \u2192 " +
		count(n.numbers[1]), ""]);
	if (n.beyond)
		marks.push([TIMES[n.time], COUNTS[n.count]].filter(Boolean)
			.join(", "));
	else if (n.up)
		marks.push(n.time === 3 ? TIMES[3] : "within the noise");
	fillTip(nameOf(n), n.shorter || n.f < 0 ? "" : placeOf(functions[n.f]),
		rows, marks);
}

/* ---- keys and buttons ---- */

function reset() {
	setSearch("");
	mark();
	zoomTo(graph.root);
}

/* Mark the row of the function that is searched. */
function mark() {
	for (const row of document.querySelectorAll("#table tr[data-f]"))
		row.setAttribute("aria-selected",
				 !!search.hits[row.dataset.f]);
}

addEventListener("keydown", event => {
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	const at = event.target, key = event.key;
	if (at === $("search")) {
		if (key !== "Escape" && key !== "Enter") return;
		if (key === "Escape") setSearch("");
		frames.focus();
		drawGraph();
		event.preventDefault();
		return;
	}
	if (at.closest("button, select, #table") &&
	    /^(Enter| |Arrow.*)$/.test(key))
		return;
	if (key === "/") $("search").focus();
	else if (key === "0" || key === "Escape") reset();
	else if (!graphKey(key)) return;
	event.preventDefault();
});

function start() {
	graph.trees[0] = decodeStacks(data.stacks);
	setWidths(graph.trees[0], "both");
	$("flip").onclick = flip;
	$("reset").onclick = reset;
	$("out").onclick = () => graphKey("Backspace");
	$("width").onchange = () => {
		setWidths(graph.root, $("width").value);
		zoomTo(graph.zoomed);
	};
	$("search").oninput = () => {
		setSearch($("search").value);
		mark();
		drawGraph();
	};
	$("table").classList.add("live");
	$("table").onclick = event => {
		const row = event.target.closest("tr[data-f]");
		if (!row || !getSelection().isCollapsed) return;
		setSearch(functions[row.dataset.f].name, true);
		mark();
		drawGraph();
	};
	addEventListener("resize", drawGraph);
	$("bar").hidden = false;
	$("graph").hidden = false;
	showTree(0);
}
start();
