/* The frames of a flame graph of one side: their colours and details. */
const paint = n => n.f < 0 || n.shorter ? ""
	: "var(--c" + functions[n.f].colour + ")";

const marksOf = n => (n.unfinished ? "! " : "") + (n.inferred ? "~ " : "");

function tipOf(n) {
	const f = !n.shorter && functions[n.f];
	const all = graph.root.sum, rows = [];
	rows.push(["total", duration(n.sum), share(n.sum, all) + " of all"]);
	if (n.up && n.up.f >= 0)
		rows.push(["", "", share(n.sum, n.up.sum) + " of its caller"]);
	if (n.f >= 0 && !n.shorter)
		rows.push(["self", duration(n.self),
			   share(n.self, all) + " of all"]);
	rows.push(["calls", count(n.calls), n.calls > 1
		? "\u00f8 " + duration(Math.round(n.sum / n.calls)) : ""]);
	const marks = [];
	if (n.inferred)
		marks.push("~ " + plural(n.inferred, "call") +
			   " without an exit: at most that long");
	if (n.unfinished)
		marks.push("! " + plural(n.unfinished, "call") +
			   " not finished when the trace ended");
	fillTip(nameOf(n), f ? placeOf(f) : "", rows, marks);
}
