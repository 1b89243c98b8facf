/* The flame graph: a frame for each stack, as wide as the time of its calls. */
const ROW = 18;
const graph = { trees: [], root: null, zoomed: null, cursor: null,
		down: true, rows: 0, visible: [] };
const frames = $("frames"), canvasOfFrames = element("div");
frames.append(canvasOfFrames);

/* Make a tree of the numbers in LIST; see tools/xray/flame_page.c. */
function decodeTree(list) {
	const root = { f: -1, kids: [], calls: 0, self: 0, sum: 0, up: null };
	const open = [[root, -1]];
	for (let i = 0; i < list.length;) {
		const code = list[i++], kids = list[i++];
		/* The number of hidden callees may need more bits than >>
		 * keeps. */
		const n = { f: Math.floor(code / 8), kids: [], calls: list[i++],
			    self: list[i], sum: list[i++],
			    up: open[open.length - 1][0],
			    inferred: code & 1 ? list[i++] : 0,
			    unfinished: code & 2 ? list[i++] : 0,
			    shorter: code & 4 };
		n.up.kids.push(n);
		open[open.length - 1][1]--;
		open.push([n, kids]);
		while (open.length > 1 && !open[open.length - 1][1]) {
			const done = open.pop()[0];
			done.up.sum += done.sum;
		}
	}
	for (const kid of root.kids) root.calls += kid.calls;
	return root;
}

const nameOf = n => n.f < 0 ? "all" : n.shorter
	? plural(n.f, "stack") + " of less time" : functions[n.f].name;

function labelOf(n, chars) {
	if (n.f < 0 || n.shorter) return nameOf(n);
	return marksOf(n) + label(functions[n.f], chars);
}

function isHit(n) {
	return n.f >= 0 && !n.shorter && search.hits[n.f];
}

/* Find the places of all nodes below the zoomed one that are at least half a
 * pixel wide. */
function layOut() {
	const width = canvasOfFrames.clientWidth || 1;
	const least = 0.5 / width, todo = [[graph.zoomed, 0, 1, 0]];
	graph.visible = [];
	graph.rows = 0;
	while (todo.length) {
		const [n, x, w, row] = todo.pop();
		graph.visible.push({ n, x, w, row });
		graph.rows = Math.max(graph.rows, row + 1);
		let at = x;
		for (const kid of n.kids) {
			const part = n.sum ? w * kid.sum / n.sum : 0;
			if (part >= least) todo.push([kid, at, part, row + 1]);
			at += part;
		}
	}
}

function frameOf({ n, x, w, row }, width) {
	const e = element("div");
	const pixels = w * width;
	e.className = ["f", n.f < 0 && "rest", n.shorter && "rest shorter",
		       pixels < 4 && "thin", isHit(n) && "hit",
		       n.beyond && "beyond", n === graph.cursor && "cursor"]
		.filter(Boolean).join(" ");
	if (paint(n)) e.style.setProperty("--c", paint(n));
	e.style.left = 100 * x + "%";
	e.style.width = pixels < 1 ? "1px" : 100 * w + "%";
	e.style.top = ROW * (graph.down ? row : graph.rows - 1 - row) + "px";
	if (pixels > 20) e.textContent = labelOf(n, (pixels - 8) / 6.2);
	e.setAttribute("role", "treeitem");
	e.setAttribute("aria-level", row + 1);
	e.node = n;
	if (n === graph.cursor) e.id = "cursor";
	return e;
}

/* Make elements for the frames near the visible part of the page, or for ALL
 * frames: stacks may be very deep. */
function drawFrames(all) {
	const width = canvasOfFrames.clientWidth;
	const from = frames.scrollTop / ROW - 40;
	const to = (frames.scrollTop + frames.clientHeight) / ROW + 40;
	const shown = graph.visible.filter(({ row }) => {
		const line = graph.down ? row : graph.rows - 1 - row;
		return all || line >= from && line <= to;
	});
	canvasOfFrames.style.height = ROW * graph.rows + "px";
	canvasOfFrames.replaceChildren(
		...shown.map(v => frameOf(v, width)));
	graph.from = from;
	frames.classList.toggle("searching", search.text !== "");
	if (graph.cursor)
		frames.setAttribute("aria-activedescendant", "cursor");
}

function drawGraph() {
	layOut();
	canvasOfFrames.style.height = ROW * graph.rows + "px";
	drawFrames();
	showFound();
	$("out").disabled = $("reset").disabled = graph.zoomed === graph.root;
}

/* ---- zoom and path ---- */

function crumb(n) {
	const b = element("button", n.f < 0 ? "all"
		: label(functions[n.f], n === graph.zoomed ? 80 : 24));
	b.title = nameOf(n);
	b.onclick = () => zoomTo(n);
	return b;
}

function drawPath(whole) {
	const path = [], nav = $("path");
	for (let n = graph.zoomed; n; n = n.up) path.unshift(n);
	nav.replaceChildren();
	path.forEach((n, i) => {
		if (i) nav.append(element("i", "\u203a"));
		if (!whole && path.length > 8 && i === 2) {
			const b = element("button", "\u2026 " +
				(path.length - 6) + " more \u2026");
			b.onclick = () => drawPath(true);
			nav.append(b);
		} else if (whole || path.length <= 8 || i < 2 ||
			   i > path.length - 5) {
			nav.append(crumb(n));
		} else {
			nav.lastChild.remove();
		}
	});
	nav.append(element("i", " " + duration(graph.zoomed.sum) +
		(graph.zoomed === graph.root ? ""
			: ", " + share(graph.zoomed.sum, graph.root.sum) +
			  " of all")));
}

function zoomTo(n) {
	if (n.shorter) return;
	graph.zoomed = graph.cursor = n;
	hideTip();
	drawPath(false);
	drawGraph();
	frames.scrollTop = graph.down ? 0 : frames.scrollHeight;
	drawFrames();
}

function showTree(index) {
	graph.trees[index] = graph.trees[index] ||
		decodeTree(data.trees[index]);
	graph.root = graph.trees[index];
	zoomTo(graph.root);
}

/* Show that the search has found functions, which have CALLS and take PART of
 * the time WHOLE.  WHERE says what WHOLE is of, if not of all. */
function showShare(calls, where, part, whole) {
	$("found").textContent = !search.text ? "" : !search.count
		? "nothing found"
		: plural(search.count, "function") + ", " +
		  plural(calls, "call") + where + ", " +
		  (share(part, whole) || "0 %");
}

/* Show how much of the zoomed frame's time the functions found took.  A frame
 * within another one that was found adds no time. */
function showFound() {
	let sum = 0, calls = 0;
	const todo = [[graph.zoomed, false]];
	while (search.text && todo.length) {
		const [n, within] = todo.pop(), hit = isHit(n);
		if (hit) calls += n.calls;
		if (hit && !within) sum += n.sum;
		for (const kid of n.kids) todo.push([kid, within || hit]);
	}
	showShare(calls, "", sum, graph.zoomed.sum);
}

/* ---- details: tipOf, paint and marksOf are the page's ---- */

frames.addEventListener("pointermove", event => {
	const e = event.target.closest(".f");
	if (!e) return hideTip();
	graph.hover = e.node;
	tipOf(e.node);
	placeTip(event.clientX, event.clientY);
});
frames.addEventListener("pointerleave", () => {
	graph.hover = null;
	hideTip();
});
frames.addEventListener("click", event => {
	const e = event.target.closest(".f");
	if (e) zoomTo(e.node);
});
frames.addEventListener("scroll", () => {
	if (Math.abs(frames.scrollTop / ROW - 40 - graph.from) > 20)
		drawFrames();
});
addEventListener("beforeprint", () => drawFrames(true));
addEventListener("afterprint", () => drawFrames());

/* ---- keys ---- */

function goTo(n) {
	const at = graph.visible.find(v => v.n === n);
	if (!at) return;
	graph.cursor = n;
	const top = ROW * (graph.down ? at.row : graph.rows - 1 - at.row);
	if (top < frames.scrollTop || top + ROW > frames.scrollTop +
	    frames.clientHeight)
		frames.scrollTop = top - frames.clientHeight / 2;
	drawFrames();
	const box = $("cursor").getBoundingClientRect();
	tipOf(n);
	placeTip(Math.max(box.left, 0), box.bottom - 12);
	say();
}

/* The next node in N's row, to the left (STEP -1) or to the right (STEP 1). */
function neighbour(n, step) {
	const here = graph.visible.find(v => v.n === n);
	let best = null;
	for (const v of graph.visible)
		if (v.row === here.row && (v.x - here.x) * step > 0 &&
		    (!best || (best.x - v.x) * step > 0))
			best = v;
	return best && best.n;
}

function graphKey(key) {
	const n = graph.cursor || graph.zoomed;
	const callee = graph.down ? "ArrowDown" : "ArrowUp";
	const caller = graph.down ? "ArrowUp" : "ArrowDown";
	if (key === callee) goTo(n.kids[0] || n);
	else if (key === caller) goTo(n === graph.zoomed ? n : n.up);
	else if (key === "ArrowLeft") goTo(neighbour(n, -1) || n);
	else if (key === "ArrowRight") goTo(neighbour(n, 1) || n);
	else if (key === "Enter" || key === " ") zoomTo(n);
	else if (key === "Backspace") zoomTo(graph.zoomed.up || graph.root);
	else if (key === "f") flip();
	else return false;
	return true;
}

function flip() {
	graph.down = !graph.down;
	drawGraph();
	frames.scrollTop = graph.down ? 0 : frames.scrollHeight;
	drawFrames();
}
