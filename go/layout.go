// SPDX-License-Identifier: MIT

package gsym

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const (
	magic        = 0x4753594d
	headerSizeV1 = 48
	headerSizeV2 = 20
	maxUUIDV1    = 20
)

// The types of sections in the directory of version 2.
const (
	endOfList = iota
	addresses
	addressInfo
	stringTable
	fileTable
	functionRecords
	buildID
	sectionTypes
)

// layout tells where the tables of an image are.  All lie within data.
type layout struct {
	data        []byte
	big         bool // big-endian integers
	version     int
	base        uint64
	count       uint32
	addressSize int
	stringSize  int // bytes of string offsets: 4 or 8
	addresses   []byte
	info        []byte // address info: stringSize bytes an entry
	records     []byte // what the address info counts from
	files       []byte // the entries, without their count
	fileCount   uint32
	strings     []byte // up to the last NUL
	uuid        []byte
}

func isImage(data []byte) bool {
	return len(data) >= 4 &&
		(binary.LittleEndian.Uint32(data) == magic ||
			binary.BigEndian.Uint32(data) == magic)
}

func readLayout(data []byte) (*layout, error) {
	l := &layout{data: data}
	if !isImage(data) {
		return nil, fmt.Errorf("%w: no GSYM magic", ErrFormat)
	}
	l.big = binary.BigEndian.Uint32(data) == magic
	if len(data) < 8 {
		return nil, fmt.Errorf("%w: header ends after %d bytes",
			ErrCorrupt, len(data))
	}
	l.version = int(load16(data[4:], l.big))
	l.addressSize = int(data[6])
	var err error
	switch l.version {
	case 1:
		err = l.readV1()
	case 2:
		err = l.readV2()
	default:
		err = fmt.Errorf("%w: version %d", ErrUnsupported, l.version)
	}
	if err != nil {
		return nil, err
	}
	l.strings = l.strings[:bytes.LastIndexByte(l.strings, 0)+1]
	return l, nil
}

func (l *layout) checkAddressSize() error {
	switch l.addressSize {
	case 1, 2, 4, 8:
		return nil
	}
	return fmt.Errorf("%w: header has the address size %d", ErrCorrupt,
		l.addressSize)
}

// section returns size bytes of the image from offset on.
func (l *layout) section(name string, offset, size uint64) ([]byte, error) {
	all := uint64(len(l.data))
	if offset > all || size > all-offset {
		return nil, fmt.Errorf("%w: %s at offset %#x with %d bytes "+
			"reaches beyond the %d bytes of data", ErrCorrupt,
			name, offset, size, all)
	}
	return l.data[offset : offset+size : offset+size], nil
}

// readFiles takes the file table at the start of table.
func (l *layout) readFiles(table []byte) error {
	if len(table) < 4 {
		return fmt.Errorf("%w: no room for the count of the file table",
			ErrCorrupt)
	}
	l.fileCount = load32(table, l.big)
	if uint64(l.fileCount) > uint64(len(table)-4)/uint64(2*l.stringSize) {
		return fmt.Errorf("%w: no room for the %d files of the file "+
			"table", ErrCorrupt, l.fileCount)
	}
	l.files = table[4 : 4+int(l.fileCount)*2*l.stringSize]
	return nil
}

func alignUp(value, to uint64) uint64 { return (value + to - 1) &^ (to - 1) }

func (l *layout) readV1() (err error) {
	if len(l.data) < headerSizeV1 {
		return fmt.Errorf("%w: header ends after %d bytes of %d",
			ErrCorrupt, len(l.data), headerSizeV1)
	}
	if err = l.checkAddressSize(); err != nil {
		return err
	}
	uuidSize := int(l.data[7])
	if uuidSize > maxUUIDV1 {
		return fmt.Errorf("%w: header has the build ID size %d",
			ErrCorrupt, uuidSize)
	}
	l.uuid = l.data[28 : 28+uuidSize]
	l.base = load64(l.data[8:], l.big)
	l.count = load32(l.data[16:], l.big)
	l.stringSize = 4
	l.records = l.data
	at := alignUp(headerSizeV1, uint64(l.addressSize))
	size := uint64(l.count) * uint64(l.addressSize)
	if l.addresses, err = l.section("address table", at, size); err != nil {
		return err
	}
	at = alignUp(at+size, 4)
	size = uint64(l.count) * 4
	if l.info, err = l.section("address info", at, size); err != nil {
		return err
	}
	at = alignUp(at+size, 4)
	files, err := l.section("file table", at, 4)
	if err == nil {
		files = l.data[at:]
		err = l.readFiles(files)
	}
	if err != nil {
		return err
	}
	l.strings, err = l.section("string table",
		uint64(load32(l.data[20:], l.big)),
		uint64(load32(l.data[24:], l.big)))
	return err
}

func (l *layout) readV2() error {
	if len(l.data) < headerSizeV2 {
		return fmt.Errorf("%w: header ends after %d bytes of %d",
			ErrCorrupt, len(l.data), headerSizeV2)
	}
	if err := l.checkAddressSize(); err != nil {
		return err
	}
	if l.data[7] != 0 {
		return fmt.Errorf("%w: string encoding %d", ErrUnsupported,
			l.data[7])
	}
	l.base = load64(l.data[8:], l.big)
	l.count = load32(l.data[16:], l.big)
	l.stringSize = 8
	sections, err := l.readDirectory()
	if err != nil {
		return err
	}
	for t := addresses; t < buildID; t++ {
		if sections[t] == nil {
			return fmt.Errorf("%w: the directory has no section "+
				"of type %d", ErrCorrupt, t)
		}
	}
	l.addresses, l.info = sections[addresses], sections[addressInfo]
	l.strings, l.records = sections[stringTable], sections[functionRecords]
	l.uuid = sections[buildID]
	if uint64(len(l.addresses)) != uint64(l.count)*uint64(l.addressSize) ||
		uint64(len(l.info)) != uint64(l.count)*8 {
		return fmt.Errorf("%w: a table does not have %d entries",
			ErrCorrupt, l.count)
	}
	return l.readFiles(sections[fileTable])
}

// readDirectory returns the sections of version 2 by type.
func (l *layout) readDirectory() (sections [sectionTypes][]byte, err error) {
	c := cursor{data: l.data, at: headerSizeV2, big: l.big}
	for {
		kind, offset, size := c.u32(), c.uint(8), c.uint(8)
		if c.failed {
			return sections, fmt.Errorf("%w: the directory has no "+
				"end", ErrCorrupt)
		}
		if kind == endOfList {
			return sections, nil
		}
		b, err := l.section(fmt.Sprintf("section of type %d", kind),
			offset, size)
		if err == nil && size == 0 {
			err = fmt.Errorf("%w: section of type %d is empty",
				ErrCorrupt, kind)
		}
		if err == nil && kind < sectionTypes && sections[kind] != nil {
			err = fmt.Errorf("%w: two sections of type %d",
				ErrCorrupt, kind)
		}
		if err != nil {
			return sections, err
		}
		if kind < sectionTypes {
			sections[kind] = b
		}
	}
}

func load16(b []byte, big bool) uint16 {
	if big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

// load reads entry index of a table whose entries have size bytes.
func (l *layout) load(table []byte, index uint32, size int) uint64 {
	b := table[int(index)*size:]
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(load16(b, l.big))
	case 4:
		return uint64(load32(b, l.big))
	}
	return load64(b, l.big)
}

// start returns the start of function index minus the base address.
func (l *layout) start(index uint32) uint64 {
	return l.load(l.addresses, index, l.addressSize)
}

// record returns a cursor from record index on; false if it is not there.
func (l *layout) record(index uint32) (cursor, bool) {
	offset := l.load(l.info, index, l.stringSize)
	if offset >= uint64(len(l.records)) {
		return cursor{}, false
	}
	return cursor{data: l.records[offset:], big: l.big}, true
}

// text returns a copy of the string at offset; "" beyond the table.
func (l *layout) text(offset uint64) string {
	if offset >= uint64(len(l.strings)) {
		return ""
	}
	s := l.strings[offset:]
	return string(s[:bytes.IndexByte(s, 0)])
}

// file returns the strings' offsets of entry index of the file table.
func (l *layout) file(index uint32) (directory, base uint64) {
	if index >= l.fileCount {
		return 0, 0
	}
	return l.load(l.files, 2*index, l.stringSize),
		l.load(l.files, 2*index+1, l.stringSize)
}
