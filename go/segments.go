// SPDX-License-Identifier: MIT

package gsym

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Segments are the files of gsym-create --segment-size: each holds the
// functions from its first one on.
type Segments struct {
	readers []*Reader // by their first functions
}

// OpenSegments opens all files out-0xADDRESS, where out is the output that
// gsym-create was given.
func OpenSegments(out string) (*Segments, error) {
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil {
		return nil, err
	}
	s := &Segments{}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, filepath.Base(out)+"-0x") {
			continue
		}
		r, err := Open(filepath.Join(filepath.Dir(out), name))
		if err != nil {
			s.Close()
			return nil, err
		}
		s.readers = append(s.readers, r)
	}
	if s.readers == nil {
		return nil, fmt.Errorf("%s-0x*: %w", out, os.ErrNotExist)
	}
	sort.SliceStable(s.readers, func(a, b int) bool {
		return s.readers[a].Start(0) < s.readers[b].Start(0)
	})
	return s, nil
}

// Close closes all files.
func (s *Segments) Close() error {
	var first error
	for _, r := range s.readers {
		if err := r.Close(); first == nil {
			first = err
		}
	}
	return first
}

// Lookup is Reader.Lookup in the file whose functions begin at or before
// address.
func (s *Segments) Lookup(address uint64, frames []Frame) ([]Frame, error) {
	i := sort.Search(len(s.readers), func(i int) bool {
		return s.readers[i].Start(0) > address
	})
	if i == 0 {
		return frames, ErrNotFound
	}
	return s.readers[i-1].Lookup(address, frames)
}

// Find opens the GSYM data of the program with the build ID id in the first of
// the folders that has them: in FOLDER/.build-id/NN/REST.debug.gsym, where
// gsym-create --install puts them, in FOLDER/REST.debug.gsym, or in the section
// .gsym of FOLDER/.build-id/NN/REST.debug.  A file of another program is passed
// over.
func Find(id []byte, folders ...string) (*Reader, error) {
	if len(id) < 2 {
		return nil, ErrNotFound
	}
	name := hex.EncodeToString(id)
	first, rest := name[:2], name[2:]+".debug"
	for _, folder := range folders {
		for _, path := range []string{
			filepath.Join(folder, ".build-id", first, rest+".gsym"),
			filepath.Join(folder, rest+".gsym"),
			filepath.Join(folder, ".build-id", first, rest),
		} {
			r, err := Open(path)
			switch {
			case errors.Is(err, os.ErrNotExist),
				errors.Is(err, ErrFormat):
				continue
			case err != nil:
				return nil, err
			case sameID(r.BuildID(), id):
				return r, nil
			}
			r.Close()
		}
	}
	return nil, ErrNotFound
}

// sameID tells whether a and b are of one program: they are equal, or the
// shorter one has 8 bytes at least and the longer one begins with it.
func sameID(a, b []byte) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && (len(a) == len(b) || len(a) >= 8) &&
		string(a) == string(b[:len(a)])
}
