// SPDX-License-Identifier: MIT

/** One function on the stack of an address. */
export interface Frame {
	/** The name in the file, as a rule the linkage name. */
	name: string;
	/** The name in readable form; if gsym.wasm was built without libiberty,
	 *  the same as name. */
	function: string;
	/** The path of the source file; "" if it is not known. */
	file: string;
	/** From 1 on; 0 if it is not known. */
	line: number;
	/** The address minus the start of the function or of the inlined call. */
	offset: bigint;
	/** The function was inlined into that of the next frame. */
	inlined: boolean;
}

export interface Answers {
	/** The number of addresses. */
	readonly length: number;
	/** The number of frames of address i; 0: no function covers it. */
	count(i: number): number;
	/** The frames of address i, the innermost first. */
	frames(i: number): Frame[];
}

export interface Reader {
	/** The number of functions in the file. */
	readonly functionCount: number;
	/** The frames of the address, the innermost first; [] if no function
	 *  covers it. */
	lookup(address: bigint | number): Frame[];
	/** The frames of all addresses: much faster than one call for each. */
	lookupMany(addresses: BigUint64Array | Iterable<bigint | number>): Answers;
	/** The name in readable form, or as it is if it is not mangled. */
	demangle(name: string): string;
	/** Free the memory.  The answers of lookupMany become useless. */
	close(): void;
}

/** Load gsym.wasm: its bytes, a compiled module, or by default the file beside
 *  this package's script.  To be awaited once before open. */
export function load(
	source?: BufferSource | WebAssembly.Module): Promise<void>;

/** Open the GSYM file that consists of the bytes, which are copied.  Throws an
 *  Error that says what is wrong with them. */
export function open(bytes: Uint8Array): Reader;
