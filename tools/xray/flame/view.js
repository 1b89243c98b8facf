/* Zoom, pointer and keys of the time line, and what concerns both views. */

/* Show the time from FROM to TO.  REMEMBER: Backspace goes back to the range
 * that is shown now. */
function view(from, to, remember) {
	const least = Math.min(SPAN, Math.max(20, SPAN / 1e9));
	if (remember) time.past.push([time.from, time.to]);
	if (to - from < least) {
		const middle = (from + to) / 2;
		from = middle - least / 2;
		to = middle + least / 2;
	}
	const width = Math.min(to - from, SPAN);
	time.from = Math.min(Math.max(from, 0), SPAN - width);
	time.to = time.from + width;
	drawTimeSoon();
}

function zoomBy(factor, x) {
	const at = timeAt(x), width = (time.to - time.from) * factor;
	const left = (at - time.from) / (time.to - time.from);
	view(at - left * width, at + (1 - left) * width);
}

const pan = part => view(time.from + part * (time.to - time.from),
			 time.to + part * (time.to - time.from));

/* Show the busiest part; everything is one step back. */
function showBusiest() {
	const [from, to] = busiest();
	time.past = from > 0 || to < SPAN ? [[0, SPAN]] : [];
	view(from, to);
}

function showAll() {
	time.past = [];
	view(0, SPAN);
}

function zoomToCall(c) {
	const around = Math.max(1, (c.end - c.start) * 0.05);
	time.cursor = c;
	view(c.start - around, c.end + around, true);
}

/* ---- entries by place ---- */

function rowAt(y) {
	y += scroller.scrollTop;
	return time.rows.find(r => y >= r.y && y < r.y + r.height);
}

/* The entry of LIST that is nearest to X, at most PIXELS away. */
function nearest(list, x, pixels) {
	let best = null, least = pixels;
	for (let i = firstAt(list, timeAt(x - pixels)); i < list.length; i++) {
		const c = list[i], from = xOf(c.start), to = xOf(c.end);
		if (from > x + pixels) break;
		const away = x < from ? from - x : x > to ? x - to : 0;
		if (away < least || !best && away <= least) {
			best = c;
			least = away;
		}
	}
	return best;
}

function thingAt(x, y) {
	const row = rowAt(y);
	return !row ? null : row.lane ? nearest(row.lane, x, 2)
		: row.marks ? nearest(row.marks, x, 6) : null;
}

const callerOf = c => {
	const lane = c.depth > 0 && c.thread.lanes[c.depth - 1];
	const caller = lane && lane[firstAt(lane, c.start)];
	return caller && caller.start <= c.start ? caller : null;
};

/* ---- details ---- */

function tipOfMark(m) {
	const rows = [["at", moment(m.start, 1)]];
	if (data.wall) rows.push(["clock", wall(m.start)]);
	rows.push(["thread", m.thread.name]);
	if (m.text !== undefined && m.size) rows.push(["data", m.text]);
	if (m.hex !== undefined) rows.push(["hex", m.hex]);
	rows.push(["size", plural(m.size, "byte"),
		   m.size > 128 ? "the first 128 are shown" : ""]);
	fillTip(m.name, "", rows, [
		...(m.lost ? ["its data is not in the trace"] : []),
		...(m.count > 1 ? ["the first of " + count(m.count) +
			" events that are too close to be shown"] : [])]);
}

function tipOfCall(c) {
	const f = functions[c.f], rows = [], marks = [];
	const caller = callerOf(c), merged = c.marks & 4;
	rows.push([merged ? "from" : "at", moment(c.start, 1)]);
	if (merged) {
		rows.push(["to", moment(c.end, 1)]);
		rows.push(["calls", count(c.calls), "each shorter than " +
			duration(data.quantum)]);
		rows.push(["in calls", duration(c.busy),
			   share(c.busy, c.end - c.start) + " of that time"]);
	} else {
		const whole = caller && !(caller.marks & 4) &&
			caller.end - caller.start;
		rows.push(["time", duration(c.busy), whole
			? share(c.busy, whole) + " of its caller" : ""]);
	}
	if (caller)
		rows.push(["called by", functions[caller.f].short]);
	rows.push(["thread", c.thread.name, "depth " + c.depth]);
	if (data.wall) rows.push(["clock", wall(c.start)]);
	if (c.marks & 1)
		marks.push("~ " + (merged ? "some exits are" : "its exit is") +
			   " missing: at most that long");
	if (c.marks & 2)
		marks.push("! not finished when the trace ended");
	fillTip(merged ? "Several calls, the longest of " + f.name : f.name,
		placeOf(f), rows, marks);
}

const tipOfThing = c => c.f === undefined ? tipOfMark(c) : tipOfCall(c);

/* ---- the pointer ---- */

let drag = null;

function hover(event) {
	const box = lanes.getBoundingClientRect();
	const x = event.clientX - box.left, y = event.clientY - box.top;
	const thing = thingAt(x, y);
	lanes.classList.toggle("over", thing !== null ||
			       !!(rowAt(y) || {}).head);
	if (thing !== time.hover) {
		time.hover = thing;
		drawTimeSoon();
	}
	time.pointer = x;
	drawHair();
	if (!thing) return hideTip();
	tipOfThing(thing);
	placeTip(event.clientX, event.clientY);
}

lanes.addEventListener("pointerdown", event => {
	if (event.button) return;
	drag = { x: event.clientX, y: event.clientY, from: time.from,
		 to: time.to, top: scroller.scrollTop, moved: false };
	lanes.setPointerCapture(event.pointerId);
});
lanes.addEventListener("pointermove", event => {
	if (!drag) return hover(event);
	const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
	if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
	drag.moved = true;
	lanes.classList.add("panning");
	hideTip();
	view(drag.from - dx / scale(), drag.to - dx / scale());
	if (event.pointerType === "mouse") scroller.scrollTop = drag.top - dy;
});
lanes.addEventListener("pointerup", event => {
	const moved = drag && drag.moved;
	drag = null;
	lanes.classList.remove("panning");
	if (moved || event.button) return;
	const box = lanes.getBoundingClientRect();
	const y = event.clientY - box.top, row = rowAt(y);
	const thing = thingAt(event.clientX - box.left, y);
	if (row && row.head) {
		row.head.folded = !row.head.folded;
		arrange();
		drawTimeSoon();
	} else if (thing && thing.f !== undefined) {
		hideTip();
		zoomToCall(thing);
	}
});
lanes.addEventListener("pointercancel", () => { drag = null; });
lanes.addEventListener("pointerleave", () => {
	time.hover = null;
	time.pointer = -1;
	hideTip();
	drawTimeSoon();
});
scroller.addEventListener("wheel", event => {
	const x = event.clientX - lanes.getBoundingClientRect().left;
	const side = event.shiftKey ? event.deltaY || event.deltaX
		: event.deltaX;
	if (event.ctrlKey || event.metaKey)
		zoomBy(Math.exp(event.deltaY / 300), x);
	else if (side)
		pan(side / 1000);
	else
		return;
	event.preventDefault();
	hideTip();
}, { passive: false });
scroller.addEventListener("scroll", drawTimeSoon);

/* Let a drag on CANVAS mark the range to show; TIMEOF turns x into a time. */
function dragRange(canvas, timeOf) {
	let start = null;
	canvas.addEventListener("pointerdown", event => {
		start = timeOf(event.offsetX);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", event => {
		if (start === null) return;
		const here = timeOf(event.offsetX);
		time.band = [Math.min(start, here), Math.max(start, here)];
		drawTimeSoon();
	});
	canvas.addEventListener("pointerup", () => {
		const width = time.to - time.from;
		if (time.band)
			view(...time.band, true);
		else if (canvas === overview && start !== null)
			view(start - width / 2, start + width / 2, true);
		start = time.band = null;
	});
	canvas.addEventListener("pointercancel", () => {
		start = time.band = null;
		drawTimeSoon();
	});
}
dragRange(overview, x => x / overview.clientWidth * SPAN);
dragRange(axis, timeAt);

/* ---- keys ---- */

function select(c) {
	if (!c) return;
	time.cursor = c;
	const width = time.to - time.from;
	if (c.end < time.from || c.start > time.to)
		view((c.start + c.end - width) / 2,
		     (c.start + c.end + width) / 2);
	const row = time.rows.find(r => r.lane === c.thread.lanes[c.depth]);
	if (row && (row.y < scroller.scrollTop || row.y + LANE >
		    scroller.scrollTop + scroller.clientHeight))
		scroller.scrollTop = row.y - scroller.clientHeight / 2;
	drawTime();
	const box = lanes.getBoundingClientRect();
	tipOfCall(c);
	placeTip(box.left + Math.min(Math.max(xOf(c.start), 0), box.width),
		 box.top + (row ? row.y - scroller.scrollTop : 0) + LANE);
	say();
}

function timeKey(key) {
	const c = time.cursor, middle = lanes.clientWidth / 2;
	const first = (time.rows.find(r => r.lane && r.lane.length) || {}).lane;
	const lane = c && c.thread.lanes[c.depth];
	const below = c && c.thread.lanes[c.depth + 1];
	if (key === "w" || key === "+") zoomBy(0.7, middle);
	else if (key === "s" || key === "-") zoomBy(1 / 0.7, middle);
	else if (key === "a") pan(-0.2);
	else if (key === "d") pan(0.2);
	else if (key === "f") showBusiest();
	else if (key.startsWith("Arrow") && !c) select(first && first[0]);
	else if (key === "ArrowLeft") select(lane[lane.indexOf(c) - 1]);
	else if (key === "ArrowRight") select(lane[lane.indexOf(c) + 1]);
	else if (key === "ArrowUp") select(callerOf(c));
	else if (key === "ArrowDown" && below) {
		const callee = below[firstAt(below, c.start)];
		if (callee && callee.start <= c.end) select(callee);
	} else if (key === "Enter" && c) zoomToCall(c);
	else if (key === "Backspace" && time.past.length)
		view(...time.past.pop());
	else return false;
	return true;
}

/* ---- both views ---- */

const inGraph = () => !$("graph").hidden;

function redraw() {
	if (inGraph()) drawGraph();
	else drawTime();
}

function show(name) {
	for (const n of ["graph", "time"]) {
		$(n).hidden = n !== name;
		$("tab-" + n).setAttribute("aria-pressed", n === name);
	}
	$("flip").hidden = name !== "graph";
	hideTip();
	redraw();
}

function reset() {
	if (search.text) setSearch("");
	if (inGraph()) zoomTo(graph.root);
	else {
		time.cursor = null;
		showAll();
		redraw();
	}
}

function highlight() {
	const n = inGraph() ? graph.hover || graph.cursor
			    : time.hover || time.cursor;
	const f = n && n.f >= 0 && !n.shorter && functions[n.f];
	const same = f && f.name.toLowerCase() === search.text;
	setSearch(f && !same ? f.name : "", true);
	redraw();
}

function globalKey(key) {
	if (key === "g") show("graph");
	else if (key === "t") show("time");
	else if (key === "/") $("search").focus();
	else if (key === "h") highlight();
	else if (key === "0" || key === "Escape") reset();
	else if (key === "?") $("help-button").click();
	else return false;
	return true;
}

addEventListener("keydown", event => {
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	const at = event.target;
	if (at === $("search")) {
		if (event.key !== "Escape" && event.key !== "Enter") return;
		if (event.key === "Escape") setSearch("");
		(inGraph() ? frames : lanes).focus();
		redraw();
		event.preventDefault();
		return;
	}
	/* Buttons and lists have keys of their own. */
	const own = at.closest("button, select") &&
		/^(Enter| |Arrow.*)$/.test(event.key);
	if (!own && (globalKey(event.key) ||
		     (inGraph() ? graphKey(event.key) : timeKey(event.key))))
		event.preventDefault();
});

function chooseThread() {
	const index = Number($("thread").value);
	showTree(data.trees.length > index ? index : 0);
	arrange();
	redraw();
}

function start() {
	const list = $("thread");
	list.append(new Option("all", 0));
	data.threads.forEach((t, i) => list.append(new Option(
		t.name + " (" + plural(t.calls, "call") + ")", i + 1)));
	$("thread-label").hidden = data.threads.length < 2;
	list.onchange = chooseThread;
	$("tab-graph").onclick = () => show("graph");
	$("tab-time").onclick = () => show("time");
	$("flip").onclick = flip;
	$("reset").onclick = reset;
	$("out").onclick = () => (inGraph() ? graphKey : timeKey)("Backspace");
	$("help-button").onclick = () => {
		const hidden = $("help").hidden = !$("help").hidden;
		$("help-button").setAttribute("aria-expanded", !hidden);
		redraw();
	};
	$("search").oninput = () => {
		setSearch($("search").value);
		redraw();
	};
	addEventListener("resize", redraw);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
		() => {
			readColours();
			redraw();
		});
	$("static").hidden = true;
	$("bar").hidden = false;
	$("graph").hidden = false;
	readColours();
	decodeThreads();
	showTree(0);
	arrange();
	showBusiest();
	redraw();
}
start();
