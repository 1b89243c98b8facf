/* The time line: the calls of each thread, a lane for each depth of its
 * stack. */
const LANE = 18, HEAD = 22, MARKS = 14, GAP = 10;
const time = { from: 0, to: 1, threads: [], rows: [], height: 0, past: [],
	       pointer: -1, hover: null, cursor: null, colours: {}, tops: [],
	       deepest: 1, band: null };
const lanes = $("lanes"), overview = $("overview"), axis = $("axis");
const scroller = $("scroll"), hair = $("hair");
const COLOURS = 16;
/* The ticks of the whole time line; at least one, as it is divided by. */
const SPAN = Math.max(1, data.span);

/* Make entries of the numbers in LIST; see tools/xray/flame_page.c. */
function decodeLane(list, depth, thread) {
	const calls = [];
	let start = 0;
	for (let i = 0; i < list.length;) {
		start += list[i++];
		const c = { start, end: start + list[i++], f: list[i] >> 3,
			    marks: list[i++] & 7, calls: 1, busy: 0, depth,
			    thread };
		c.busy = c.end - c.start;
		if (c.marks & 4) {
			c.calls = list[i++];
			c.busy = list[i++];
		}
		calls.push(c);
	}
	return calls;
}

function decodeThreads() {
	time.threads = data.threads.map(t => {
		const thread = { name: t.name, calls: t.calls, marks: [],
				 folded: false, deeper: t.deeper };
		thread.lanes = t.lanes.map((l, depth) =>
			decodeLane(l, depth, thread));
		let at = 0;
		for (const m of t.marks) {
			at += m.after;
			thread.marks.push({ ...m, start: at, end: at, thread });
		}
		return thread;
	});
}

/* ---- rows ---- */

/* Lay out the rows of the chosen threads. */
function arrange() {
	const only = Number($("thread").value);
	let y = 0;
	time.rows = [];
	time.threads.forEach((t, i) => {
		if (only > 0 && i !== only - 1) return;
		time.rows.push({ y, height: HEAD, head: t });
		y += HEAD;
		if (t.marks.length) {
			time.rows.push({ y, height: MARKS, marks: t.marks });
			y += MARKS;
		}
		for (const lane of t.folded ? t.lanes.slice(0, 1) : t.lanes) {
			time.rows.push({ y, height: LANE, lane });
			y += LANE;
		}
		y += GAP;
	});
	time.height = y;
	time.tops = [];
	$("tall").style.height = y + "px";
}

/* The number of entries between the times FROM and TO. */
const callsIn = ({ from, to }) => time.rows.reduce((sum, { lane }) =>
	lane ? sum + firstAt(lane, to) - firstAt(lane, from) : sum, 0);

/* The busiest part of the time line, of the threads that are shown: while the
 * calls cover less than a tenth of the time, the time is split where no call is
 * for a twentieth of it, and the part with the most calls is taken. */
function busiest() {
	let from = 0, to = SPAN;
	const all = [].concat(...time.rows.filter(r => r.head)
		.map(r => r.head.lanes[0] || []))
		.sort((a, b) => a.start - b.start);
	for (;;) {
		const parts = [], least = (to - from) / 20;
		let covered = 0, end = -1, part = null;
		for (const c of all) {
			if (c.start < from || c.end > to) continue;
			if (!part || c.start > end + least) {
				part = { from: c.start, to: c.end };
				parts.push(part);
			}
			covered += Math.max(0, c.end - Math.max(end, c.start));
			end = Math.max(end, c.end);
			part.to = end;
		}
		if (parts.length < 2 || covered > (to - from) / 10)
			return [from, to];
		const best = parts.reduce((a, b) =>
			callsIn(b) > callsIn(a) ? b : a);
		const margin = (best.to - best.from) / 50;
		if (best.to + margin - (best.from - margin) >= to - from)
			return [from, to];
		from = best.from - margin;
		to = best.to + margin;
	}
}

/* The index of the first entry of LIST that ends at AT or later. */
function firstAt(list, at) {
	let low = 0, high = list.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (list[middle].end < at) low = middle + 1;
		else high = middle;
	}
	return low;
}

/* ---- drawing ---- */

function prepare(canvas) {
	const ratio = devicePixelRatio || 1;
	const width = canvas.clientWidth, height = canvas.clientHeight;
	if (canvas.width !== Math.round(width * ratio) ||
	    canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	const to = canvas.getContext("2d");
	to.setTransform(ratio, 0, 0, ratio, 0, 0);
	to.clearRect(0, 0, width, height);
	to.font = "11.5px system-ui, sans-serif";
	to.textBaseline = "middle";
	return to;
}

function readColours() {
	const style = getComputedStyle(document.documentElement);
	const of = name => style.getPropertyValue("--" + name).trim();
	for (const name of ["page", "panel", "line", "text", "faint",
			    "accent", "hit", "hit-text"])
		time.colours[name] = of(name);
	/* An invisible image has the classes of frames in turn, and so their
	 * colours. */
	time.colours.frames = Array.from({ length: COLOURS }, (_, i) => {
		const probe = $("probe");
		probe.setAttribute("class", "c" + i);
		const colour = getComputedStyle(probe).fill;
		document.documentElement.style.setProperty("--c" + i, colour);
		return colour;
	});
}

const scale = () => lanes.clientWidth / (time.to - time.from);
const xOf = at => (at - time.from) * scale();
const timeAt = x => time.from + x / scale();

/* Draw TEXT, cut to about WIDTH pixels. */
function drawText(to, text, x, y, width) {
	const chars = Math.floor(width / 5.9);
	if (chars < 2) return;
	to.fillText(text.length <= chars ? text
		: text.slice(0, chars - 1) + "\u2026", x, y, width);
}

function drawCall(to, c, x, end, y) {
	const hit = search.hits[c.f], merged = c.marks & 4;
	const left = Math.max(x, -2);
	const right = Math.min(end, lanes.clientWidth + 2);
	const width = Math.max(1, right - left - (right - left > 4 ? 1 : 0));
	to.globalAlpha = search.text && !hit ? 0.35 : merged ? 0.6 : 1;
	to.fillStyle = hit ? time.colours.hit
		: time.colours.frames[functions[c.f].colour];
	to.fillRect(left, y, width, LANE - 1);
	if (c === time.cursor || c === time.hover) {
		to.strokeStyle = time.colours.text;
		to.lineWidth = c === time.cursor ? 2 : 1;
		to.strokeRect(left + 1, y + 1, Math.max(0, width - 2),
			      LANE - 3);
	}
	if (c.marks & 3 && width > 3 && right === end) {
		/* The end of a call is missing: mark it. */
		to.strokeStyle = time.colours.hit;
		to.lineWidth = 2;
		to.setLineDash(c.marks & 2 ? [] : [3, 2]);
		to.beginPath();
		to.moveTo(left + width - 1, y);
		to.lineTo(left + width - 1, y + LANE - 1);
		to.stroke();
		to.setLineDash([]);
	}
	if (width < 24) return;
	to.globalAlpha = search.text && !hit ? 0.6 : 1;
	to.fillStyle = hit ? time.colours["hit-text"] : time.colours.text;
	const text = (c.marks & 2 ? "! " : "") + (c.marks & 1 ? "~ " : "") +
		(merged ? count(c.calls) + " \u00d7 \u2026 " : "") +
		label(functions[c.f], (width - 8) / 5.9);
	drawText(to, text, Math.max(left, 0) + 4, y + LANE / 2,
		 right - Math.max(left, 0) - 6);
}

/* Draw entries narrower than two pixels as whole pixels; THIN has left, right
 * and colour of each.  Neighbours of one colour are drawn as one, and each
 * pixel is drawn once. */
function drawThin(to, thin, y) {
	let done = -1;
	to.globalAlpha = 0.75;
	for (let i = 0; i < thin.length;) {
		const colour = thin[i + 2], from = Math.max(thin[i], done);
		let end = thin[i + 1];
		for (i += 3; i < thin.length && thin[i] <= end &&
		     (thin[i + 2] === colour || thin[i + 1] <= end); i += 3)
			end = Math.max(end, thin[i + 1]);
		if (end <= from) continue;
		to.fillStyle = colour;
		to.fillRect(from, y, end - from, LANE - 1);
		done = end;
	}
	to.globalAlpha = 1;
}

function colourOf(c) {
	const { hit, line, frames } = time.colours;
	return search.hits[c.f] ? hit : search.text ? line
		: frames[functions[c.f].colour];
}

function drawLane(to, list, y) {
	const thin = [], hits = [], per = scale(), left = time.from;
	for (let i = firstAt(list, time.from); i < list.length; i++) {
		const c = list[i];
		if (c.start > time.to) break;
		const x = (c.start - left) * per, end = (c.end - left) * per;
		const pixel = Math.floor(x);
		if (end - x >= 2 || c === time.cursor || c === time.hover)
			drawCall(to, c, x, end, y);
		else
			(search.hits[c.f] ? hits : thin).push(pixel,
				pixel + Math.max(1, Math.round(end - x)),
				colourOf(c));
	}
	drawThin(to, thin, y);
	drawThin(to, hits, y);
}

function drawMarks(to, list, y) {
	let done = -9;
	for (let i = firstAt(list, time.from); i < list.length; i++) {
		const x = xOf(list[i].start), middle = y + MARKS / 2;
		if (list[i].start > time.to) break;
		if (x < done + 1 && list[i] !== time.hover) continue;
		to.fillStyle = list[i] === time.hover || list[i] === time.cursor
			? time.colours.hit : time.colours.accent;
		to.beginPath();
		to.moveTo(x, middle - 5);
		to.lineTo(x + 5, middle);
		to.lineTo(x, middle + 5);
		to.lineTo(x - 5, middle);
		to.fill();
		done = x;
	}
}

function drawHead(to, t, y) {
	to.fillStyle = time.colours.panel;
	to.fillRect(0, y + 2, lanes.clientWidth, HEAD - 4);
	to.fillStyle = time.colours.text;
	to.fillText((t.folded ? "\u25b8 " : "\u25be ") + t.name + "   " +
		plural(t.calls, "call") +
		(t.deeper ? ", " + count(t.deeper) + " of them too deep to show"
			  : ""), 6, y + HEAD / 2);
}

/* The ticks between two labels of the axis: 1, 2 or 5 times a power of ten, and
 * at least 110 pixels. */
function step() {
	const unit = data.frequency ? 1e9 / data.frequency : 1;
	const least = 110 / scale() * unit;
	const ten = 10 ** Math.floor(Math.log10(least));
	const n = [1, 2, 5, 10].find(k => k * ten >= least) * ten;
	return n / unit;
}

function drawAxis() {
	const to = prepare(axis), every = step(), width = axis.clientWidth;
	for (let k = Math.floor(time.from / every); k * every <= time.to; k++) {
		const x = xOf(k * every);
		to.fillStyle = time.colours.line;
		to.fillRect(x, 18, 1, 8);
		for (let i = 1; i < 5; i++)
			to.fillRect(xOf((k + i / 5) * every), 22, 1, 4);
		to.fillStyle = time.colours.faint;
		if (x <= -60 || x >= width) continue;
		/* At the right edge the text is on the left of its tick. */
		const text = moment(k * every, every);
		const wide = to.measureText(text).width;
		to.fillText(text, x + 3 + wide < width ? x + 3 : x - 3 - wide,
			    11);
	}
	return every;
}

/* Find the depth of the stacks at each pixel of the overview. */
function skyline(width) {
	const tops = new Uint16Array(Math.max(1, width));
	time.deepest = 1;
	for (const row of time.rows) {
		if (!row.lane || !row.lane.length) continue;
		const depth = row.lane[0].depth + 1;
		time.deepest = Math.max(time.deepest, depth);
		for (const c of row.lane) {
			const end = Math.min(width - 1, c.end / SPAN * width);
			for (let x = Math.floor(c.start / SPAN * width);
			     x <= end; x++)
				if (tops[x] < depth) tops[x] = depth;
		}
	}
	time.tops = tops;
}

function drawOverview() {
	const to = prepare(overview);
	const width = overview.clientWidth, height = overview.clientHeight;
	if (time.tops.length !== width) skyline(width);
	to.fillStyle = time.colours.frames[10];
	time.tops.forEach((top, x) => to.fillRect(x, height, 1,
		-(height - 4) * top / time.deepest));
	const x = time.from / SPAN * width, end = time.to / SPAN * width;
	to.fillStyle = time.colours.page;
	to.globalAlpha = 0.65;
	to.fillRect(0, 0, x, height);
	to.fillRect(end, 0, width - end, height);
	to.globalAlpha = 1;
	to.strokeStyle = time.colours.accent;
	to.lineWidth = 2;
	to.strokeRect(x + 1, 1, Math.max(2, end - x - 2), height - 2);
}

/* Show how much of the time in view the functions found took, in the threads
 * that are shown.  A call within another one that was found adds no time. */
function showFoundInView() {
	const inView = c => c.busy * (Math.min(c.end, time.to) -
		Math.max(c.start, time.from)) / (c.end - c.start || 1);
	let part = 0, whole = 0, calls = 0, hits = [];
	const add = () => {
		let end = -1;
		hits.sort((a, b) => a.start - b.start || b.end - a.end);
		for (const c of hits) {
			calls += c.calls;
			if (c.start < end) continue;
			part += inView(c);
			end = c.end;
		}
		hits = [];
	};
	for (const { head, lane } of search.text ? time.rows : []) {
		if (head) add();
		for (let i = lane ? firstAt(lane, time.from) : Infinity;
		     lane && i < lane.length && lane[i].start <= time.to; i++) {
			if (!lane[i].depth) whole += inView(lane[i]);
			if (search.hits[lane[i].f]) hits.push(lane[i]);
		}
	}
	add();
	showShare(calls, " in view", part, whole);
}

/* Draw the range that a drag has marked so far. */
function drawBand(canvas, x) {
	if (!time.band) return;
	const to = canvas.getContext("2d"), left = x(time.band[0]);
	to.globalAlpha = 0.25;
	to.fillStyle = time.colours.accent;
	to.fillRect(left, 0, x(time.band[1]) - left, canvas.clientHeight);
	to.globalAlpha = 1;
	if (canvas !== lanes) return;
	to.fillStyle = time.colours.text;
	to.fillText(duration(Math.round(time.band[1] - time.band[0])),
		    left + 6, HEAD / 2);
}

/* Draw the line at the pointer, and its time. */
function drawHair() {
	const x = time.pointer;
	hair.hidden = x < 0;
	hair.style.left = lanes.offsetLeft + scroller.offsetLeft + x + "px";
	hair.classList.toggle("left", x > lanes.clientWidth - 140);
	hair.firstChild.textContent =
		moment(Math.round(timeAt(x)), 1 / scale());
}

function drawTime() {
	time.pending = false;
	if ($("time").hidden) return;
	lanes.style.width = scroller.clientWidth + "px";
	lanes.style.height = scroller.clientHeight + "px";
	axis.style.width = overview.style.width = lanes.style.width;
	const every = drawAxis(), to = prepare(lanes);
	const top = scroller.scrollTop, height = lanes.clientHeight;
	to.fillStyle = time.colours.line;
	to.globalAlpha = 0.5;
	for (let k = Math.ceil(time.from / every); k * every <= time.to; k++)
		to.fillRect(xOf(k * every), 0, 1, height);
	to.globalAlpha = 1;
	for (const row of time.rows) {
		const y = row.y - top;
		if (y > height) break;
		if (y + row.height < 0) continue;
		if (row.lane) drawLane(to, row.lane, y);
		else if (row.marks) drawMarks(to, row.marks, y);
		else drawHead(to, row.head, y);
	}
	drawOverview();
	drawBand(axis, xOf);
	drawBand(lanes, xOf);
	drawBand(overview, at => at / SPAN * overview.clientWidth);
	drawHair();
	showFoundInView();
	$("out").disabled = !time.past.length;
	$("reset").disabled = time.from === 0 && time.to === SPAN;
}

function drawTimeSoon() {
	if (time.pending) return;
	time.pending = true;
	requestAnimationFrame(drawTime);
}
