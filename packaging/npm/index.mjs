// SPDX-License-Identifier: MIT
// Reads GSYM files in memory: addresses to functions, files and lines, with
// inlined calls.  The work is done by gsym.wasm, which needs no system calls.

// struct gsym_frame of gsym/reader.h; module.c checks the layout.
const FRAME = {
	size: 48, function: 0, directory: 4, basename: 8, line: 12, offset: 24,
	inlined: 40,
};
// Addresses of one call, and frames for them.
const BATCH = 1 << 16;
const FRAMES = BATCH * 6;

const decoder = new TextDecoder();
let module;

/** Load gsym.wasm: its bytes, a compiled module, or by default the file beside
 *  this one.  To be awaited once before open. */
export async function load(source) {
	if (!source) {
		const url = new URL('gsym.wasm', import.meta.url);
		source = url.protocol === 'file:'
			? await (await import('node:fs/promises')).readFile(url)
			: await (await fetch(url)).arrayBuffer();
	}
	module = source instanceof WebAssembly.Module
		? source : await WebAssembly.compile(source);
}

// The module calls nothing of a system.  C libraries import some calls all the
// same, for standard output and the end of the process: they fail.
function imports() {
	const refuse = () => 52; // ENOSYS of WASI
	const ret = {};
	for (const { module: from, name } of WebAssembly.Module.imports(module)) {
		ret[from] ??= {};
		ret[from][name] = name === 'proc_exit'
			? () => { throw new Error('gsym.wasm ended'); } : refuse;
	}
	return ret;
}

/** Open the GSYM file that consists of BYTES, which are copied. */
export function open(bytes) {
	if (!module)
		throw new Error('await load() first');
	if (!(bytes instanceof Uint8Array))
		throw new TypeError('open takes an Uint8Array');
	return new Reader(bytes);
}

class Reader {
	#wasm;
	#reader = 0;
	#data = 0;
	#frames = 0;
	#first = 0;
	#addresses = 0;
	#texts = new Map();
	#demangled = new Map();

	constructor(bytes) {
		// A module of its own: nothing that this file does reaches the
		// data of another one.
		const instance = new WebAssembly.Instance(module, imports());
		const wasm = this.#wasm = instance.exports;
		wasm._initialize?.();
		this.#data = this.#alloc(bytes.length);
		new Uint8Array(wasm.memory.buffer).set(bytes, this.#data);
		this.#reader = wasm.module_open(this.#data, bytes.length);
		if (!this.#reader)
			throw new Error(this.#decode(wasm.module_error()));
	}

	/** The number of functions in the file. */
	get functionCount() {
		return this.#wasm.module_functions(this.#opened());
	}

	/** The frames of ADDRESS, the innermost first; [] if there is none. */
	lookup(address) {
		return this.lookupMany([address]).frames(0);
	}

	/** The frames of all ADDRESSES. */
	lookupMany(addresses) {
		const reader = this.#opened();
		const wasm = this.#wasm;
		const input = addresses instanceof BigUint64Array
			? addresses : BigUint64Array.from(addresses, toAddress);
		const first = new Uint32Array(input.length + 1);
		const parts = [];
		let capacity = FRAMES, total = 0;
		if (!this.#frames) {
			this.#frames = this.#alloc(capacity * FRAME.size);
			this.#first = this.#alloc((BATCH + 1) * 4);
			this.#addresses = this.#alloc(BATCH * 8);
		}
		for (let at = 0; at < input.length;) {
			const some = input.subarray(at, at + BATCH);
			new BigUint64Array(wasm.memory.buffer, this.#addresses,
				some.length).set(some);
			const done = wasm.module_lookup(reader, this.#addresses,
				some.length, this.#frames, capacity,
				this.#first);
			if (!done)
				throw new Error('an address has too many frames');
			const ends = new Uint32Array(wasm.memory.buffer,
				this.#first, done + 1);
			for (let i = 0; i <= done; i++)
				first[at + i] = total + ends[i];
			parts.push(wasm.memory.buffer.slice(this.#frames,
				this.#frames + ends[done] * FRAME.size));
			total += ends[done];
			at += done;
		}
		return new Answers(first, parts, this.#text, this.#readable);
	}

	/** NAME in readable form, or NAME itself if it is not mangled. */
	demangle(name) {
		const bytes = new TextEncoder().encode(name + '\0');
		const wasm = this.#wasm;
		const at = this.#alloc(bytes.length);
		new Uint8Array(wasm.memory.buffer).set(bytes, at);
		const text = wasm.module_demangle(at);
		const ret = text ? this.#decode(text) : name;
		wasm.module_free(text);
		wasm.module_free(at);
		return ret;
	}

	/** Free the memory; the answers of lookupMany become useless. */
	close() {
		if (this.#reader)
			this.#wasm.module_close(this.#reader);
		this.#reader = 0;
		this.#wasm = undefined;
	}

	#opened() {
		if (!this.#reader)
			throw new Error('the reader is closed');
		return this.#reader;
	}

	#alloc(size) {
		const at = this.#wasm.module_alloc(Math.max(size, 1)) >>> 0;
		if (!at)
			throw new RangeError('out of memory');
		return at;
	}

	#decode(at) {
		const bytes = new Uint8Array(this.#wasm.memory.buffer);
		return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
	}

	// The text at AT: texts of a file are decoded once.
	#text = at => {
		let ret = this.#texts.get(at);
		if (ret === undefined) {
			this.#opened();
			ret = this.#decode(at);
			this.#texts.set(at, ret);
		}
		return ret;
	};

	#readable = at => {
		let ret = this.#demangled.get(at);
		if (ret === undefined) {
			ret = this.demangle(this.#text(at));
			this.#demangled.set(at, ret);
		}
		return ret;
	};
}

function toAddress(value) {
	const address = BigInt(value);
	if (address < 0n || address >> 64n)
		throw new RangeError(`${value} is no address of 64 bits`);
	return address;
}

class Answers {
	#first;
	#parts;
	#text;
	#readable;

	constructor(first, parts, text, readable) {
		this.#first = first;
		this.#text = text;
		this.#readable = readable;
		this.#parts = [];
		let start = 0;
		for (const buffer of parts) {
			const end = start + buffer.byteLength / FRAME.size;
			this.#parts.push({ start, end, view: new DataView(buffer) });
			start = end;
		}
	}

	/** The number of addresses. */
	get length() {
		return this.#first.length - 1;
	}

	/** The number of frames of address I; 0: there is none. */
	count(i) {
		return this.#first[i + 1] - this.#first[i];
	}

	/** The frames of address I, the innermost first. */
	frames(i) {
		const ret = [];
		for (let n = this.#first[i]; n < this.#first[i + 1]; n++)
			ret.push(this.#frame(n));
		return ret;
	}

	#frame(n) {
		const part = this.#parts.find(p => n < p.end);
		const at = (n - part.start) * FRAME.size;
		const { view } = part;
		const name = view.getUint32(at + FRAME.function, true);
		const directory = this.#text(
			view.getUint32(at + FRAME.directory, true));
		const base = this.#text(
			view.getUint32(at + FRAME.basename, true));
		return {
			name: this.#text(name),
			function: this.#readable(name),
			file: join(directory, base),
			line: view.getUint32(at + FRAME.line, true),
			offset: view.getBigUint64(at + FRAME.offset, true),
			inlined: view.getUint8(at + FRAME.inlined) !== 0,
		};
	}
}

function join(directory, base) {
	if (!directory)
		return base;
	const back = directory.includes('\\') && !directory.includes('/');
	return directory + (back ? '\\' : '/') + base;
}
