package text

import (
	"regexp"
	"strconv"
	"strings"
)

// The parts of a text that may be bytes in another form: numbers as %v and JSON
// write them, or as %#v and "% x" do, hexadecimal, and base64 in both
// alphabets.
var (
	decimalList = regexp.MustCompile(`[0-9]{1,3}(?:[ ,]{1,2}[0-9]{1,3})+`)
	hexList     = regexp.MustCompile(`(?:0[xX])?[0-9a-fA-F]{1,2}(?:[ ,:]{1,2}(?:0[xX])?[0-9a-fA-F]{1,2})+`)
	hexRun      = regexp.MustCompile(`[0-9a-fA-F]{8,}`)
	base64Run   = regexp.MustCompile(`[A-Za-z0-9+/_-]{6,}={0,2}`)
	listItem    = regexp.MustCompile(`[0-9a-fA-F]+(?:[xX][0-9a-fA-F]+)?`)
)

// encoded decodes the bytes that a reading may contain in other forms. A value
// may begin anywhere in a run, so it reads each run from several offsets.
func (r *reading) encoded() []reading {
	var all []reading
	for _, at := range decimalList.FindAllIndex(r.data, -1) {
		all = append(all, r.list(at, 10))
	}
	for _, at := range hexList.FindAllIndex(r.data, -1) {
		all = append(all, r.list(at, 16))
	}
	for _, at := range hexRun.FindAllIndex(r.data, -1) {
		for skip := range 2 {
			all = append(all, r.packed(at[0]+skip, at[1], 4, hexDigit))
		}
	}
	for _, at := range base64Run.FindAllIndex(r.data, -1) {
		for skip := range 4 {
			all = append(all, r.packed(at[0]+skip, at[1], 6, base64Digit))
		}
	}
	return all
}

// list reads bytes written as a list of numbers.
func (r *reading) list(at []int, base int) reading {
	found := reading{form: numbers}
	for _, i := range listItem.FindAllIndex(r.data[at[0]:at[1]], -1) {
		begin, end := at[0]+i[0], at[0]+i[1]
		written := strings.TrimPrefix(strings.ToLower(string(r.data[begin:end])), "0x")
		if code, err := strconv.ParseUint(written, base, 8); err == nil {
			found.add([]byte{byte(code)}, r.from[begin], r.to[end-1])
		}
	}
	return found
}

// packed reads digits of the given number of bits. Padding belongs to the last
// byte.
func (r *reading) packed(begin, end, bits int, digit func(byte) int) reading {
	found := reading{form: digits}
	padded := end
	for end > begin && r.data[end-1] == '=' {
		end--
	}
	for n := 0; begin+(8*n+8+bits-1)/bits <= end; n++ {
		first, last := begin+8*n/bits, begin+(8*n+7)/bits
		code := 0
		for i := first; i <= last; i++ {
			code = code<<bits | digit(r.data[i])
		}
		code >>= (bits - (8*n+8)%bits) % bits
		found.add([]byte{byte(code)}, r.from[first], r.to[last])
	}
	if n := len(found.to); n > 0 && end-begin == (8*n+bits-1)/bits {
		found.to[n-1] = r.to[padded-1]
	}
	return found
}

func hexDigit(c byte) int {
	return strings.IndexByte("0123456789abcdef", c|0x20)
}

func base64Digit(c byte) int {
	digit := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", c)
	if digit > 63 {
		digit -= 2
	}
	return digit
}
