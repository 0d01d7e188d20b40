package explain

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// scanner finds many literals in one pass. It looks at four bytes at every
// stride-th place only: of each literal it knows the blocks of four bytes of
// which one must fall on such a place, whatever the literal's position. The
// blocks are taken from the literal's rarest part.
type scanner struct {
	literals []string
	stride   int
	bits     [1 << hashBits / 64]uint64 // hashes of blocks
	starts   [1<<startBits + 1]uint16   // by the hash's upper bits: the first slot
	slots    []slot
}

// slot is one block of a literal, and a second one to look at before all of
// it is compared.
type slot struct {
	block, second uint32
	secondAt      int16 // from the block
	offset        int16 // of the block in the literal
	lit           uint16
}

// hit is a literal found.
type hit struct {
	lit int32
	at  int32
}

const (
	blockSize = 4
	hashBits  = 17
	startBits = 13
)

// shortest is the length that a literal must have for this stride.
func shortest(stride int) int { return blockSize + stride - 1 }

// newScanner makes a scanner; literals shorter than shortest(stride) are
// never found.
func newScanner(literals []string, stride int) *scanner {
	s := &scanner{literals: literals, stride: stride, slots: make([]slot, 0, len(literals)*stride)}
	common := newCommon()
	for i, l := range literals {
		if len(l) < shortest(stride) {
			continue
		}
		from := common.rarest(l, shortest(stride))
		for o := from; o < from+stride; o++ {
			second := 0
			if len(l)-blockSize-o > o {
				second = len(l) - blockSize
			}
			s.slots = append(s.slots, slot{block32(l[o:]), block32(l[second:]), int16(second - o), int16(o), uint16(i)})
		}
	}
	slices.SortFunc(s.slots, func(a, b slot) int { return int(hash(a.block)) - int(hash(b.block)) })
	for _, sl := range s.slots {
		h := hash(sl.block)
		s.bits[h>>6] |= 1 << (h & 63)
		s.starts[h>>(hashBits-startBits)+1]++
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	return s
}

func block32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func hash(block uint32) uint32 { return block * 0x9E3779B1 >> (32 - hashBits) }

// scan appends every hit in text, in no special order.
func (s *scanner) scan(text []byte, hits []hit) []hit {
	for at := 0; at+blockSize <= len(text); at += s.stride {
		block := binary.LittleEndian.Uint32(text[at:])
		h := hash(block)
		if s.bits[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		bucket := h >> (hashBits - startBits)
		for i := s.starts[bucket]; i < s.starts[bucket+1]; i++ {
			if sl := &s.slots[i]; sl.block == block && s.stands(text, at, sl) {
				hits = append(hits, hit{int32(sl.lit), int32(at - int(sl.offset))})
			}
		}
	}
	return hits
}

// next is the place of a literal at or after from, -1 where there is none. It
// is not always the first: two may overlap.
func (s *scanner) next(text []byte, from int) int {
	bits := &s.bits
	for at := from; at+blockSize <= len(text); at += s.stride {
		block := binary.LittleEndian.Uint32(text[at:])
		h := hash(block)
		if bits[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		bucket := h >> (hashBits - startBits)
		for i := s.starts[bucket]; i < s.starts[bucket+1]; i++ {
			if sl := &s.slots[i]; sl.block == block && at-int(sl.offset) >= from && s.stands(text, at, sl) {
				return at - int(sl.offset)
			}
		}
	}
	return -1
}

// stands tells whether the slot's literal is in text with its block at at.
func (s *scanner) stands(text []byte, at int, sl *slot) bool {
	second := at + int(sl.secondAt)
	if second < 0 || second+blockSize > len(text) || binary.LittleEndian.Uint32(text[second:]) != sl.second {
		return false
	}
	l := s.literals[sl.lit]
	from := at - int(sl.offset)
	return from >= 0 && from+len(l) <= len(text) && string(text[from:from+len(l)]) == l
}

// common tells how much of ordinary text bytes and blocks are.
type common struct {
	blocks [1 << 12]bool // by a part of their hash: it may hold others too
	bytes  [256]uint8
}

// newCommon counts the blocks of the common words.
func newCommon() *common {
	var c common
	for i := 0; i+blockSize <= len(commonWords); i++ {
		c.blocks[hash(block32(commonWords[i:]))>>(hashBits-12)] = true
	}
	for i := range c.bytes {
		c.bytes[i] = commonness(byte(i))
	}
	return &c
}

// rarest is the offset of the n bytes of l that ordinary text has least.
func (c *common) rarest(l string, n int) int {
	best, least := 0, 1<<30
	sum, block, blocks := 0, uint32(0), uint(0) // of the bytes up to i: their commonness, the last block, which blocks are common
	inside := uint(1)<<(n-blockSize+1) - 1      // the blocks of n bytes
	for i := range len(l) {
		sum += int(c.bytes[l[i]])
		if i >= n {
			sum -= int(c.bytes[l[i-n]])
		}
		block = block>>8 | uint32(lowered(l[i]))<<24
		blocks <<= 1
		if c.blocks[hash(block)>>(hashBits-12)] {
			blocks |= 1
		}
		if score := sum + 200*bits.OnesCount(blocks&inside); i >= n-1 && score < least {
			best, least = i-n+1, score
		}
	}
	return best
}

func lowered(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// commonWords are those of which logs are made.
const commonWords = " request requests requested response responses connection connected server client error message status code " +
	" time times timeout level info debug warn warning error http https host hostname user service logger thread method path bytes" +
	" elapsed remote from with that this http/1.1 http/2.0 text/html version name type data value order orders item items process" +
	" start started stop stopped running update updated create created delete query database cache session token result results" +
	" received sending sent reading read write written file files found available invalid failed failure success successful close" +
	" closed open opened attempt attempts after before waiting limit rate cannot could not unable system application exception" +
	" java.lang. org.apache. com. at node content-type content-length application/json keep-alive user-agent upstream address" +
	" 2023-2024-2025-2026- 200 201 204 301 302 304 000 100 127.0.0.1 192.168. 10.0. 443 8080 INFO WARN ERROR DEBUG the and for"

// commonness of a byte in logs and prose, roughly.
func commonness(c byte) uint8 {
	const letters = "etaoinsrhldcumfpgwybvkxjqz"
	switch {
	case c >= 'a' && c <= 'z':
		return 30 - uint8(strings.IndexByte(letters, c))
	case c == ' ':
		return 30
	case c >= '0' && c <= '9':
		return 28
	case c == '"', c == ':', c == '.', c == '/', c == '-', c == '=':
		return 20
	}
	return 8
}
