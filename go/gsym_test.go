// SPDX-License-Identifier: MIT

package gsym

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const fixtures = "../testdata/gsym"

func fixture(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// form returns the frames in the form of llvm-gsymutil.
func form(address uint64, frames []Frame, err error) string {
	if err != nil {
		return fmt.Sprintf("0x%016x: error: address %#x is not in GSYM\n",
			address, address)
	}
	s := fmt.Sprintf("0x%016x: ", address)
	for i, f := range frames {
		if i > 0 {
			s += "\n" + strings.Repeat(" ", 20)
		}
		s += f.Function()
		if f.Offset != 0 {
			s += fmt.Sprintf(" + %d", f.Offset)
		}
		if f.Path() != "" {
			s += fmt.Sprintf(" @ %s:%d", f.Path(), f.Line)
		}
		if f.Inlined {
			s += " [inlined]"
		}
	}
	return s + "\n"
}

// The answers are those that llvm-gsymutil gave for the fixtures.
func TestLLVM(t *testing.T) {
	for _, name := range []string{"little", "big"} {
		r, err := Open(filepath.Join(fixtures, name+".gsym"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		answers := strings.Split(string(fixture(t, name+".expected")),
			"\n\n")
		tried := 0
		for _, want := range answers {
			if want == "" {
				continue
			}
			address, err := strconv.ParseUint(want[:18], 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			frames, err := r.Lookup(address, nil)
			got := form(address, frames, err)
			if got != want+"\n" {
				t.Errorf("%s: %s, not %s", name, got, want)
			}
			tried++
		}
		if tried < 20 {
			t.Errorf("%s: only %d answers", name, tried)
		}
	}
}

func TestLEB(t *testing.T) {
	max := strings.Repeat("\xff", 9)
	for _, c := range []struct {
		bytes    string
		unsigned uint64
		uok      bool
		signed   int64
		sok      bool
	}{
		{"\x00", 0, true, 0, true},
		{"\x7f", 127, true, -1, true},
		{"\x80\x01", 128, true, 128, true},
		{"\x80\x7f", 16256, true, -128, true},
		{"\x80\x80\x00", 0, true, 0, true},
		{max + "\x01", 1<<64 - 1, true, 0, false},
		{max + "\x00", 1<<63 - 1, true, 1<<63 - 1, true},
		{max + "\x7f", 0, false, -1, true},
		{max + "\x02", 0, false, 0, false},
		{max + "\x80\x00", 1<<63 - 1, true, 1<<63 - 1, true},
		{max + "\x81\x00", 1<<64 - 1, true, 0, false},
		{"\x80", 0, false, 0, false},
		{"", 0, false, 0, false},
	} {
		u := cursor{data: []byte(c.bytes)}
		if v := u.uleb(); v != c.unsigned || u.failed == c.uok {
			t.Errorf("uleb %x: %d, %v", c.bytes, v, u.failed)
		}
		s := cursor{data: []byte(c.bytes)}
		if v := s.sleb(); v != c.signed || s.failed == c.sok {
			t.Errorf("sleb %x: %d, %v", c.bytes, v, s.failed)
		}
	}
}

// image returns version 2 with the functions of the starts and sizes, at base
// 0x1000, all called f.
func image(starts []byte, sizes []uint32) []byte {
	var records, info, out bytes.Buffer
	le := binary.LittleEndian
	for i := range starts {
		binary.Write(&info, le, uint64(records.Len()))
		binary.Write(&records, le, sizes[i])
		binary.Write(&records, le, uint64(1))
		binary.Write(&records, le, uint64(0))
	}
	sections := [][]byte{starts, info.Bytes(), []byte("\x00f\x00"),
		{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		records.Bytes()}
	binary.Write(&out, le, uint32(magic))
	out.Write([]byte{2, 0, 1, 0})
	binary.Write(&out, le, uint64(0x1000))
	binary.Write(&out, le, uint32(len(starts)))
	at := uint64(headerSizeV2 + 20*(len(sections)+1))
	for i, s := range sections {
		binary.Write(&out, le, uint32(i+1))
		binary.Write(&out, le, at)
		binary.Write(&out, le, uint64(len(s)))
		at += uint64(len(s))
	}
	out.Write(make([]byte, 20))
	for _, s := range sections {
		out.Write(s)
	}
	return out.Bytes()
}

// Which function answers: the nearest one that covers the address, of equal
// starts the first, and one without a size up to the next.
func TestSearch(t *testing.T) {
	r, err := New(image([]byte{0, 4, 4, 8, 40, 60},
		[]uint32{30, 2, 8, 4, 0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for address, start := range map[uint64]uint64{
		0x1000: 0x1000, 0x1003: 0x1000, 0x1004: 0x1004, 0x1006: 0x1004,
		0x1008: 0x1008, 0x100c: 0x1000, 0x101d: 0x1000, 0x101e: 0,
		0x1028: 0x1028, 0x103b: 0x1028, 0x103c: 0x103c, 0x103d: 0,
		0xfff: 0, 0: 0, 1<<64 - 1: 0,
	} {
		frames, err := r.Lookup(address, nil)
		if start == 0 {
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%#x: %v, %v", address, frames, err)
			}
			continue
		}
		if err != nil || len(frames) != 1 ||
			frames[0].Offset != address-start ||
			frames[0].Function() != "f" {
			t.Errorf("%#x: %v, %v", address, frames, err)
		}
	}
}

// A lookup with room for its frames allocates nothing.
func TestAllocations(t *testing.T) {
	r, err := New(fixture(t, "little.gsym"))
	if err != nil {
		t.Fatal(err)
	}
	frames := make([]Frame, 0, 16)
	if n := testing.AllocsPerRun(100, func() {
		frames, _ = r.Lookup(0x40103f, frames[:0])
	}); n != 0 || len(frames) != 3 {
		t.Errorf("%v allocations, %d frames", n, len(frames))
	}
}

// use reads all that a damaged file can be asked.
func use(data []byte) {
	r, err := New(data)
	if err != nil {
		return
	}
	var frames []Frame
	for i := 0; i < r.Functions() && i < 64; i++ {
		for _, add := range []uint64{0, 1, 17, 60, 1 << 40} {
			frames, _ = r.Lookup(r.Start(i)+add, frames[:0])
			for _, f := range frames {
				_, _ = f.Function(), f.Path()
			}
		}
	}
	r.BuildID()
	r.Close()
}

// Cut and changed files are no reason to panic.
func TestDamage(t *testing.T) {
	for _, name := range []string{"little.gsym", "big.gsym", "merged.gsym"} {
		data := fixture(t, name)
		for size := range data {
			use(data[:size:size])
		}
		random := rand.New(rand.NewSource(1))
		for i := 0; i < 20000; i++ {
			changed := append([]byte(nil), data...)
			for n := random.Intn(4); n >= 0; n-- {
				changed[random.Intn(len(changed))] =
					byte(random.Intn(256))
			}
			use(changed)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, name := range []string{"little.gsym", "big.gsym", "merged.gsym"} {
		f.Add(fixture(f, name))
	}
	f.Add(image([]byte{0, 4}, []uint32{4, 4}))
	f.Fuzz(func(_ *testing.T, data []byte) { use(data) })
}

func TestHeaders(t *testing.T) {
	good := image([]byte{0}, []uint32{1})
	change := func(at int, value byte) []byte {
		data := append([]byte(nil), good...)
		data[at] = value
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":        {nil, ErrFormat},
		"no magic":     {[]byte("GSYN and more"), ErrFormat},
		"version":      {change(4, 3), ErrUnsupported},
		"address size": {change(6, 3), ErrCorrupt},
		"encoding":     {change(7, 1), ErrUnsupported},
		"count":        {change(16, 2), ErrCorrupt},
		"twice":        {change(headerSizeV2+20, 1), ErrCorrupt},
		"missing":      {change(headerSizeV2, 77), ErrCorrupt},
		"beyond":       {change(headerSizeV2+12, 255), ErrCorrupt},
		"files":        {change(len(good)-20-20, 9), ErrCorrupt},
		"elf":          {[]byte("\x7fELF"), ErrFormat},
	} {
		if _, err := New(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, not %v", name, err, c.want)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}

func TestClosed(t *testing.T) {
	r, err := Open(filepath.Join(fixtures, "little.gsym"))
	if err != nil {
		t.Fatal(err)
	}
	frames, err := r.Lookup(0x40103f, nil)
	if err != nil || frames[0].Function() != "square" {
		t.Fatal(frames, err)
	}
	if r.Close() != nil || r.Close() != nil {
		t.Error("Close fails")
	}
	if frames[0].Function() != "" || frames[0].Path() != "" {
		t.Error("a frame of a closed reader has strings")
	}
	if _, err := r.Lookup(0x40103f, nil); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	data := fixture(t, "little.gsym")
	r, err := New(data)
	if err != nil {
		t.Fatal(err)
	}
	id := r.BuildID()
	folder := t.TempDir()
	name := hex.EncodeToString(id)
	other := append([]byte(nil), id...)
	other[len(other)-1] ^= 1
	for _, id := range [][]byte{id, other} {
		name := hex.EncodeToString(id)
		path := filepath.Join(folder, ".build-id", name[:2])
		os.MkdirAll(path, 0o777)
		path = filepath.Join(path, name[2:]+".debug.gsym")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if r, err = Find(id, filepath.Join(folder, "none"), folder); err != nil {
		t.Fatal(err)
	}
	r.Close()
	// The file has another build ID than its name says.
	if _, err = Find(other, folder); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err = Find(id[:1], folder); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	flat := t.TempDir()
	os.WriteFile(filepath.Join(flat, name[2:]+".debug.gsym"), data, 0o666)
	if r, err = Find(id, flat); err != nil {
		t.Fatal(err)
	}
	r.Close()
}

// Segments answer from the file whose functions begin at or before the address.
func TestSegments(t *testing.T) {
	folder := t.TempDir()
	for start, size := range map[byte]uint32{0: 4, 8: 4} {
		path := filepath.Join(folder, fmt.Sprintf("out-%#x",
			0x1000+uint64(start)))
		os.WriteFile(path, image([]byte{start}, []uint32{size}), 0o666)
	}
	os.WriteFile(filepath.Join(folder, "other-0x1"), nil, 0o666)
	s, err := OpenSegments(filepath.Join(folder, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for address, found := range map[uint64]bool{0xfff: false, 0x1000: true,
		0x1003: true, 0x1004: false, 0x1008: true, 0x100c: false} {
		_, err := s.Lookup(address, nil)
		if found != (err == nil) {
			t.Errorf("%#x: %v", address, err)
		}
	}
	if _, err := OpenSegments(filepath.Join(folder, "no")); !errors.Is(err,
		os.ErrNotExist) {
		t.Error(err)
	}
}

func TestNoRegularFile(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
}
