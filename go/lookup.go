// SPDX-License-Identifier: MIT

package gsym

import (
	"fmt"
	"math"
	"strings"
)

const (
	// lookBack records before the nearest one are tried, and equal records
	// with one start.
	lookBack = 64
	equal    = 256
	// maxInlineDepth levels of an inline tree are read.
	maxInlineDepth = 1024
)

// The types of information in a function record.
const (
	infoEnd = iota
	infoLines
	infoInlines
	infoMerged
)

// A Frame is one function on the stack of an address.  It has numbers instead
// of strings, so that a lookup allocates nothing but the slice; Function and
// Path make the strings.  Frames of a Reader with equal numbers have equal
// strings.
type Frame struct {
	reader *Reader
	// Name and File are the place of the function's name in the string
	// table and the index of the source file in the file table; 0 if they
	// are not known.
	Name uint64
	File uint32
	// Line is the line of the address in the innermost frame, and the line
	// of the call in all others; 0 if it is not known.
	Line uint32
	// Offset counts the bytes from the start of the function, or of the
	// first range of the inlined call.
	Offset uint64
	// Inlined tells that the function was inlined into that of the next
	// frame.
	Inlined bool
}

// Function returns the name in the file: as a rule the linkage name, not
// demangled; "" for an inlined function without a name.
func (f Frame) Function() string {
	l := f.reader.layout()
	if l == nil || f.Name == 0 {
		return ""
	}
	return l.text(f.Name)
}

// Directory and Base return the parts of the path of the source file, "" if it
// is not known.
func (f Frame) Directory() string {
	directory, _ := f.file()
	return directory
}

// Base returns the last part of the path of the source file.
func (f Frame) Base() string {
	_, base := f.file()
	return base
}

func (f Frame) file() (directory, base string) {
	l := f.reader.layout()
	if l == nil || f.File == 0 {
		return "", ""
	}
	d, b := l.file(f.File)
	return l.text(d), l.text(b)
}

// Path returns the path of the source file, "" if it is not known.
func (f Frame) Path() string {
	directory, base := f.file()
	if directory == "" || strings.HasSuffix(directory, "/") {
		return directory + base
	}
	if strings.Contains(directory, "/") ||
		!strings.Contains(directory, "\\") {
		return directory + "/" + base
	}
	return strings.TrimSuffix(directory, "\\") + "\\" + base
}

// Lookup appends the frames of address to frames, innermost first, and returns
// the longer slice.  ErrNotFound means that no function covers the address.
func (r *Reader) Lookup(address uint64, frames []Frame) ([]Frame, error) {
	l := r.layout()
	if l == nil {
		return frames, ErrClosed
	}
	index, record, err := l.search(address)
	if err != nil {
		return frames, err
	}
	return r.frames(l, record, l.base+l.start(index), address, frames)
}

// last returns the last function of those from 0 to count-1 that starts at or
// below relative; -1 if there is none.
func (l *layout) last(count int, relative uint64) int {
	at := 0
	if count == 0 || l.start(0) > relative {
		return -1
	}
	for count > 1 {
		half := count / 2
		if l.start(uint32(at+half)) <= relative {
			at += half
		}
		count -= half
	}
	return at
}

// search finds the record that covers address.
func (l *layout) search(address uint64) (index uint32, c cursor, err error) {
	relative := address - l.base
	last := l.last(int(l.count), relative)
	if address < l.base || last < 0 {
		return 0, c, ErrNotFound
	}
	start := l.start(uint32(last))
	first := last
	if last > 0 && l.start(uint32(last-1)) == start {
		first = 0
		if start > 0 {
			first = l.last(last, start-1) + 1
		}
	}
	damaged := false
	for i := first; i <= last && i-first < equal; i++ {
		c, size, ok := l.sized(uint32(i))
		if !ok {
			damaged = true
		} else if size == 0 || relative-start < uint64(size) {
			return uint32(i), c, nil
		}
	}
	if damaged {
		return 0, c, fmt.Errorf("%w: the address info of function %d "+
			"points beyond the records", ErrCorrupt, first)
	}
	return l.before(first, relative)
}

// sized returns record index and the bytes of its function.
func (l *layout) sized(index uint32) (cursor, uint32, bool) {
	c, ok := l.record(index)
	if !ok || c.left() < 4 {
		return c, 0, false
	}
	return c, load32(c.data, l.big), true
}

// before finds the nearest record before first that covers relative.  Of
// several such records with one start, the first counts.
func (l *layout) before(first int, relative uint64) (uint32, cursor, error) {
	var found struct {
		index uint32
		c     cursor
		start uint64
		any   bool
	}
	for i := first - 1; i >= 0 && i >= first-lookBack; i-- {
		start := l.start(uint32(i))
		if found.any && start != found.start {
			break
		}
		c, size, ok := l.sized(uint32(i))
		if !ok || start > relative || relative-start >= uint64(size) {
			continue
		}
		found.index, found.c = uint32(i), c
		found.start, found.any = start, true
	}
	if !found.any {
		return 0, found.c, ErrNotFound
	}
	return found.index, found.c, nil
}

// frames appends the frames of the record at c, of the function at start.
func (r *Reader) frames(l *layout, c cursor, start, address uint64,
	frames []Frame) ([]Frame, error) {
	c.u32() // bytes of the function
	name := c.uint(l.stringSize)
	if c.failed || name == 0 || name >= uint64(len(l.strings)) {
		return frames, fmt.Errorf("%w: the function record of %#x has "+
			"no name", ErrCorrupt, start)
	}
	var lines, inlines []byte
	for {
		kind, size := c.u32(), c.u32()
		if c.failed || kind == infoEnd {
			break
		}
		data := c.bytes(uint64(size))
		if c.failed {
			break
		}
		switch kind {
		case infoLines:
			lines = data
		case infoInlines:
			inlines = data
		}
	}
	first := len(frames)
	frames = append(frames, Frame{reader: r, Name: name,
		Offset: address - start})
	if inlines != nil {
		frames = r.descend(l, inlines, start, address, frames)
	}
	if lines != nil {
		file, line, ok := findLine(lines, start, address)
		if ok {
			frames[len(frames)-1].place(l, file, line)
		}
	}
	// The outermost frame was found first.
	for a, b := first, len(frames)-1; a < b; a, b = a+1, b-1 {
		frames[a], frames[b] = frames[b], frames[a]
	}
	return frames, nil
}

// place sets file and line, unless the file has no name.
func (f *Frame) place(l *layout, file, line uint32) {
	directory, base := l.file(file)
	if l.empty(directory) && l.empty(base) {
		return
	}
	f.File, f.Line = file, line
}

// empty tells whether the string at offset is empty.
func (l *layout) empty(offset uint64) bool {
	return offset >= uint64(len(l.strings)) || l.strings[offset] == 0
}

// descend appends a frame for each node of the inline tree that holds address.
// Damage ends the descent: the frames that were found remain.
func (r *Reader) descend(l *layout, tree []byte, start, address uint64,
	frames []Frame) []Frame {
	c := cursor{data: tree, big: l.big}
	base := start
	for level := 0; ; {
		n, ok := readNode(&c, l.stringSize, address-base)
		if !ok {
			return frames
		}
		if !n.holds {
			if level == 0 || n.children &&
				!skipNodes(&c, l.stringSize, level+1) {
				return frames
			}
			continue
		}
		base += n.first
		if level > 0 {
			frames[len(frames)-1].place(l, n.callFile, n.callLine)
			name := n.name
			if name >= uint64(len(l.strings)) {
				name = 0
			}
			frames = append(frames, Frame{reader: r, Name: name,
				Offset: address - base, Inlined: true})
		}
		level++
		if !n.children || level > maxInlineDepth {
			return frames
		}
	}
}

// node is a node of an inline tree.
type node struct {
	first              uint64 // start of the first range minus the base
	holds              bool   // a range holds the address
	children           bool
	name               uint64
	callFile, callLine uint32
}

// readNode reads the node at c; false at the end of a list of siblings, and at
// damage.  relative is the address minus the base of the node's ranges.
func readNode(c *cursor, stringSize int, relative uint64) (n node, ok bool) {
	count := c.uleb()
	// A loop over more ranges than bytes would take too long.
	if count == 0 || count > uint64(c.left()) {
		return n, false
	}
	for i := uint64(0); i < count; i++ {
		offset, size := c.uleb(), c.uleb()
		if i == 0 {
			n.first = offset
		}
		if relative >= offset && relative-offset < size {
			n.holds = true
		}
	}
	n.children = c.u8() != 0
	n.name = c.uint(stringSize)
	n.callFile = narrow(c.uleb())
	n.callLine = uint32(c.uleb())
	return n, !c.failed
}

// narrow returns file as a number of 32 bits.  A larger one becomes one that no
// file table has.
func narrow(file uint64) uint32 {
	if file < math.MaxUint32 {
		return uint32(file)
	}
	return math.MaxUint32
}

// skipNodes skips a list of siblings, level levels below the root, and all
// nodes below them; false if it is damaged or too deep.
func skipNodes(c *cursor, stringSize, level int) bool {
	for deepest := level; deepest >= level; {
		count := c.uleb()
		if c.failed {
			return false
		}
		if count == 0 {
			deepest--
			continue
		}
		if deepest > maxInlineDepth || count > uint64(c.left()) {
			return false
		}
		for ; count > 0 && !c.failed; count-- {
			c.uleb()
			c.uleb()
		}
		if c.u8() != 0 {
			deepest++
		}
		c.bytes(uint64(stringSize))
		c.uleb()
		c.uleb()
		if c.failed {
			return false
		}
	}
	return true
}

// findLine returns file and line of the last row at or before address of the
// line table of the function at start; false if there is no such row, or if the
// table is damaged before the end of that row is known.
func findLine(table []byte, start, address uint64) (file, line uint32, ok bool) {
	c := cursor{data: table}
	min, max := c.sleb(), c.sleb()
	row := rowState{file: 1, line: uint32(c.uleb()), address: start}
	if c.failed || max < min {
		return 0, 0, false
	}
	row.min, row.width = min, uint64(max)-uint64(min)+1
	for {
		switch row.next(&c) {
		case damage:
			return 0, 0, false
		case end:
			return file, line, ok
		}
		if row.address > address {
			return file, line, ok
		}
		file, line, ok = row.file, row.line, true
	}
}

// rowState is the state of a line table's program.
type rowState struct {
	min        int64
	width      uint64 // 0 stands for 2^64
	address    uint64
	file, line uint32
}

type step int

const (
	emitted step = iota
	end
	damage
)

// The opcodes of line tables; larger ones are special.
const (
	opEnd = iota
	opSetFile
	opAdvancePC
	opAdvanceLine
	firstSpecial
)

// next reads up to the next row.
func (row *rowState) next(c *cursor) step {
	for c.at < len(c.data) {
		op := c.u8()
		var by uint64
		switch op {
		case opEnd:
			return end
		case opSetFile:
			row.file = narrow(c.uleb())
			continue
		case opAdvanceLine:
			row.line += uint32(c.sleb())
			continue
		case opAdvancePC:
			by = c.uleb()
		default:
			special := uint64(op - firstSpecial)
			rest := special
			if row.width != 0 {
				by, rest = special/row.width, special%row.width
			}
			row.line += uint32(row.min + int64(rest))
		}
		row.address += by
		if c.failed || row.address < by {
			return damage
		}
		return emitted
	}
	return damage
}
