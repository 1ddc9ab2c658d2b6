package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unlink returns text in which Markdown renderers find no link, image or tag.
// Otherwise a caller could hide an address behind words such as "already
// approved". Unlink puts a space between the characters that would make one:
//
//   - "](", "][", "]:" and "![" of links, images and references
//   - "<" before a letter, "/", "!" or "?", of autolinks, tags and comments
//   - the slashes of "://", and "www." before its point, of bare addresses
//   - "&" of character references
//
// A space reads well in hosts that render Markdown and in hosts that do not.
// The alternatives fail in one or the other: a backslash is shown, or is
// removed before a host looks for bare addresses; a code span stays open if a
// host cuts the text; look-alike characters deceive readers who copy them. But
// a space changes a value; see [UnlinkJSON].
func Unlink(text string) string {
	var b strings.Builder
	last := 0
	for _, i := range joints(text) {
		b.WriteString(text[last:i] + " ")
		last = i
	}
	return b.String() + text[last:]
}

// UnlinkJSON is [Unlink] for JSON. It keeps the value: instead of adding a
// space, it writes one of the characters as a JSON escape.
func UnlinkJSON(raw string) string {
	var b strings.Builder
	last := 0
	for _, i := range joints(raw) {
		if c := raw[i-1]; c == '<' || c == '&' {
			i--
		}
		fmt.Fprintf(&b, `%s\u%04x`, raw[last:i], raw[i])
		last = i + 1
	}
	return b.String() + raw[last:]
}

// joints returns the index of each byte that makes a link with the byte before
// it.
func joints(text string) []int {
	if !strings.ContainsAny(text, "]!<:&") && indexFold(text, "www.") < 0 {
		return nil
	}
	var at []int
	for i := 1; i < len(text); i++ {
		if links(text, i) {
			at = append(at, i)
		}
	}
	return at
}

// links reports whether the byte at i makes a link with the byte before it.
func links(text string, i int) bool {
	c := text[i]
	switch text[i-1] {
	case ']':
		return c == '(' || c == '[' || c == ':'
	case '!':
		return c == '['
	case '<':
		return isLetter(c) || c == '/' || c == '!' || c == '?'
	case '&':
		name := strings.TrimLeftFunc(text[i:], func(r rune) bool { return r == '#' || r < utf8.RuneSelf && isWord(byte(r)) })
		return len(name) < len(text[i:]) && strings.HasPrefix(name, ";")
	case '/':
		return c == '/' && strings.HasSuffix(strings.TrimRight(text[:i], "/"), ":")
	case 'w', 'W':
		return c == '.' && i >= 3 && strings.EqualFold(text[i-3:i], "www") && (i == 3 || !isWord(text[i-4]))
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }
