package jsonptr

import (
	"errors"
	"strconv"
	"strings"
)

// ErrSyntax is matched, with [errors.Is], by the error for text that is not a
// JSON Pointer.
var ErrSyntax = errors.New("jsonptr: not a JSON Pointer")

// ErrNotFound is matched, with [errors.Is], by the error for a pointer to a
// value that does not exist.
var ErrNotFound = errors.New("jsonptr: nothing at this pointer")

// Escape returns a reference token in which "~" is "~0" and "/" is "~1" (RFC
// 6901, section 3).
func Escape(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// Unescape returns the token of which text is the escaped form. A text that is
// no such form stays as it is.
func Unescape(text string) string {
	token, err := unescape(text)
	if err != nil {
		return text
	}
	return token
}

// Join returns the pointer of some tokens, each escaped. Without tokens it
// returns "", the whole document.
func Join(tokens ...string) string {
	return Append("", tokens...)
}

// Append returns a pointer with more tokens, each escaped. The pointer is not
// validated.
func Append(pointer string, tokens ...string) string {
	var b strings.Builder
	b.WriteString(pointer)
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(Escape(token))
	}
	return b.String()
}

// AppendIndex returns a pointer with an array index as its last token.
func AppendIndex(pointer string, index int) string {
	return pointer + "/" + strconv.Itoa(index)
}

// Split returns the unescaped tokens of a pointer. The empty pointer has none,
// and the pointer "/" has one, "". The error is [ErrSyntax] for text that is
// neither empty nor starts with "/", and for a "~" that is not followed by 0 or
// 1.
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

// Lookup returns the value that a pointer has in a tree of map[string]any and
// []any. The error is [ErrSyntax] or [ErrNotFound]. An index has no leading
// zero, and "-" (one past the end) is not found.
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
