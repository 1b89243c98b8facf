// SPDX-License-Identifier: MIT

package gsym

import "encoding/binary"

// cursor reads untrusted bytes.  A read beyond their end makes it fail: that
// read and all later ones return 0.
type cursor struct {
	data   []byte
	at     int
	big    bool // big-endian integers
	failed bool
}

// load32 and load64 read an integer at the start of b.  A test of a bool costs
// less than a call of binary.ByteOrder.
func load32(b []byte, big bool) uint32 {
	if big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func load64(b []byte, big bool) uint64 {
	if big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

func (c *cursor) fail() {
	c.failed = true
	c.at = len(c.data)
}

// left returns how many bytes are left; 0 after a failure.
func (c *cursor) left() int { return len(c.data) - c.at }

func (c *cursor) bytes(size uint64) []byte {
	if c.failed || size > uint64(c.left()) {
		c.fail()
		return nil
	}
	b := c.data[c.at : c.at+int(size)]
	c.at += int(size)
	return b
}

func (c *cursor) u8() byte {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return load32(b, c.big)
	}
	return 0
}

// uint reads an integer of size bytes: 4 or 8.
func (c *cursor) uint(size int) uint64 {
	if size == 4 {
		return uint64(c.u32())
	}
	if b := c.bytes(8); b != nil {
		return load64(b, c.big)
	}
	return 0
}

// uleb reads a ULEB128 and fails if it needs more than 64 bits.
func (c *cursor) uleb() uint64 {
	// Nearly all numbers have one byte.
	if c.at < len(c.data) && c.data[c.at] < 0x80 {
		c.at++
		return uint64(c.data[c.at-1])
	}
	return c.longULEB()
}

func (c *cursor) longULEB() uint64 {
	var value uint64

	for shift := uint(0); c.at < len(c.data); {
		b := c.data[c.at]
		bits := uint64(b & 0x7f)
		c.at++
		if shift < 64 {
			value |= bits << shift
		}
		if shift >= 64 && bits != 0 || shift == 63 && bits > 1 {
			break
		}
		if b < 0x80 {
			return value
		}
		if shift < 64 {
			shift += 7
		}
	}
	c.fail()
	return 0
}

// sleb reads a SLEB128 and fails if it needs more than 64 bits.
func (c *cursor) sleb() int64 {
	var value uint64

	for shift := uint(0); c.at < len(c.data); {
		b := c.data[c.at]
		bits := uint64(b & 0x7f)
		c.at++
		if shift < 63 {
			value |= bits << shift
		} else {
			// All bits above bit 62 have to equal the sign.
			negative := value >> 63
			if shift == 63 {
				negative = bits & 1
			}
			if bits != negative*0x7f {
				break
			}
			value |= negative << 63
		}
		if b < 0x80 {
			if shift < 63 && b&0x40 != 0 {
				value |= ^uint64(0) << (shift + 7)
			}
			return int64(value)
		}
		if shift < 63 {
			shift += 7
		} else {
			shift = 64
		}
	}
	c.fail()
	return 0
}
