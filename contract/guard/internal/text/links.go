package text

import (
	"strings"
	"unicode/utf8"
)

// Unlink returns a text of which no renderer of Markdown makes a link, an image
// or a tag, because a caller could hide an address behind words such as
// "already approved". A space separates the characters that would make one:
//
//   - "](", "][", "]:" and "![" of links, images and references
//   - "<" before a letter, "/", "!" or "?", of autolinks, tags and comments
//   - the slashes of "://", and "www." before its point, of bare addresses
//   - "&" of character references
//
// A space reads well in hosts that render Markdown and in hosts that do not.
// The other ways fail in one of the two. A backslash is shown, or it is removed
// before a host searches for bare addresses. JSON escapes are hard to read. A
// code span stays open if a host cuts the text. Similar characters deceive
// readers that copy them.
func Unlink(text string) string {
	if !strings.ContainsAny(text, "]!<:&") && indexFold(text, "www.") < 0 {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if i > 0 && links(text, i) {
			b.WriteByte(' ')
		}
		b.WriteByte(text[i])
	}
	return b.String()
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
