package jsonptr

import (
	"errors"
	"strconv"
	"strings"
)

// ErrSyntax is returned, for [errors.Is], for text that is not a JSON Pointer.
var ErrSyntax = errors.New("jsonptr: not a JSON Pointer")

// ErrNotFound is returned, for [errors.Is], for a pointer that leads nowhere in the given tree.
var ErrNotFound = errors.New("jsonptr: nothing at this pointer")

// Escape writes one reference token: "~" becomes "~0" and "/" becomes "~1" (RFC 6901, section 3).
func Escape(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// Join makes a pointer of tokens, each escaped. No token gives "", the whole document.
func Join(tokens ...string) string {
	return Append("", tokens...)
}

// Append extends a pointer by tokens, each escaped. The pointer itself is taken as it is.
func Append(pointer string, tokens ...string) string {
	var b strings.Builder
	b.WriteString(pointer)
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(Escape(token))
	}
	return b.String()
}

// AppendIndex extends a pointer by an array index.
func AppendIndex(pointer string, index int) string {
	return pointer + "/" + strconv.Itoa(index)
}

// Split reads a pointer into its tokens, unescaped. The empty pointer has none; the pointer "/" has one, "".
// Text that is neither empty nor starts with "/", and a "~" that is not followed by 0 or 1, is [ErrSyntax].
func Split(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if pointer[0] != '/' {
		return nil, ErrSyntax
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		plain, err := unescape(token)
		if err != nil {
			return nil, err
		}
		tokens[i] = plain
	}
	return tokens, nil
}

// Lookup follows a pointer through a tree of map[string]any and []any and returns what it points to.
// The error is [ErrSyntax] or [ErrNotFound]. An index has no leading zero, and "-" (one past the end) is not found.
func Lookup(tree any, pointer string) (any, error) {
	tokens, err := Split(pointer)
	if err != nil {
		return nil, err
	}
	at := tree
	for _, token := range tokens {
		switch node := at.(type) {
		case map[string]any:
			value, ok := node[token]
			if !ok {
				return nil, ErrNotFound
			}
			at = value
		case []any:
			index, ok := parseIndex(token)
			if !ok || index >= len(node) {
				return nil, ErrNotFound
			}
			at = node[index]
		default:
			return nil, ErrNotFound
		}
	}
	return at, nil
}

func unescape(token string) (string, error) {
	if !strings.Contains(token, "~") {
		return token, nil
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '~' {
			b.WriteByte(token[i])
			continue
		}
		i++
		switch {
		case i < len(token) && token[i] == '0':
			b.WriteByte('~')
		case i < len(token) && token[i] == '1':
			b.WriteByte('/')
		default:
			return "", ErrSyntax
		}
	}
	return b.String(), nil
}

func parseIndex(token string) (int, bool) {
	if token == "" || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	index, err := strconv.Atoi(token)
	return index, err == nil
}
