// SPDX-License-Identifier: MIT

package gsym

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
)

// The errors that a caller may want to tell apart, with errors.Is.
var (
	// ErrNotFound: no function covers the address; no file has the build
	// ID.
	ErrNotFound = errors.New("not found")
	// ErrFormat: neither a GSYM file nor an ELF file with a section .gsym.
	ErrFormat = errors.New("no GSYM data")
	// ErrUnsupported: a version or encoding that is not known.
	ErrUnsupported = errors.New("not supported")
	// ErrCorrupt: the data contradict themselves or are cut off.
	ErrCorrupt = errors.New("damaged GSYM data")
	// ErrClosed: the reader was closed.
	ErrClosed = errors.New("the reader was closed")
)

// A Reader is an open GSYM file.
type Reader struct {
	image *layout // nil after Close
	unmap func() error
}

func (r *Reader) layout() *layout {
	if r == nil {
		return nil
	}
	return r.image
}

// New reads GSYM data, or an ELF file with a section .gsym, in memory.  The
// bytes must not change while the reader is in use.
func New(data []byte) (*Reader, error) {
	image := data
	if !isImage(data) {
		var err error
		if image, err = embedded(data); err != nil {
			return nil, err
		}
	}
	l, err := readLayout(image)
	if err != nil {
		return nil, err
	}
	return &Reader{image: l}, nil
}

// embedded returns the section .gsym of an ELF file.
func embedded(data []byte) ([]byte, error) {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	s := file.Section(".gsym")
	if s == nil || s.Type == elf.SHT_NOBITS {
		return nil, fmt.Errorf("%w: ELF file without a section .gsym",
			ErrFormat)
	}
	if s.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, fmt.Errorf("%w: compressed section .gsym",
			ErrUnsupported)
	}
	all := uint64(len(data))
	if s.Offset > all || s.FileSize > all-s.Offset {
		return nil, fmt.Errorf("%w: section .gsym reaches beyond the "+
			"file", ErrCorrupt)
	}
	return data[s.Offset : s.Offset+s.FileSize], nil
}

// Open maps the file path, a GSYM file or an ELF file with a section .gsym.
// Where files cannot be mapped, they are read.  A mapped file that another
// process cuts off while it is open ends the program, as with any mapping;
// OpenCopy does not mind.
func Open(path string) (*Reader, error) {
	data, unmap, err := mapFile(path)
	if err != nil {
		return nil, err
	}
	r, err := New(data)
	if err != nil {
		unmap()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.unmap = unmap
	return r, nil
}

// OpenCopy is Open with a file that is read to memory.
func OpenCopy(path string) (*Reader, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := New(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// Close frees the reader.  Its frames have no strings any more; strings that
// were made stay.
func (r *Reader) Close() error {
	unmap := r.unmap
	r.image, r.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}

// BuildID returns a copy of the build ID of the program, nil if the file has
// none.
func (r *Reader) BuildID() []byte {
	if l := r.layout(); l != nil && len(l.uuid) > 0 {
		return append([]byte(nil), l.uuid...)
	}
	return nil
}

// Functions returns the number of function records.
func (r *Reader) Functions() int {
	if l := r.layout(); l != nil {
		return int(l.count)
	}
	return 0
}

// Start returns the start address of function index, which is below
// Functions().
func (r *Reader) Start(index int) uint64 {
	l := r.layout()
	if l == nil || index < 0 || index >= int(l.count) {
		return 0
	}
	return l.base + l.start(uint32(index))
}
