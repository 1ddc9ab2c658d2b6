package strictjson

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrNotPointer means that a text is not a JSON Pointer. Match it with
// [errors.Is].
var ErrNotPointer = errors.New("strictjson: not a JSON Pointer")

// ErrNotFound means that a pointer leads to no value. Match it with
// [errors.Is].
var ErrNotFound = errors.New("strictjson: nothing at this pointer")

// escape writes "~" as "~0" and "/" as "~1" (RFC 6901, section 3).
func escape(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// UnescapeToken undoes the escaping of a token. A text that is not validly
// escaped is returned unchanged.
func UnescapeToken(text string) string {
	token, err := unescape(text)
	if err != nil {
		return text
	}
	return token
}

// Pointer returns base, a JSON Pointer (RFC 6901), with each token escaped and
// appended. The base "" is the whole document. The base is not validated.
func Pointer(base string, tokens ...string) string {
	var b strings.Builder
	b.WriteString(base)
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(escape(token))
	}
	return b.String()
}

// PointerIndex returns the pointer of an item of the array at base.
func PointerIndex(base string, index int) string {
	return base + "/" + strconv.Itoa(index)
}

// SplitPointer returns the unescaped tokens of a pointer. The empty pointer has
// none, and the pointer "/" has one, "". The error is [ErrNotPointer] for text
// that is neither empty nor starts with "/", and for a "~" that is not followed
// by 0 or 1.
func SplitPointer(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	if pointer[0] != '/' {
		return nil, ErrNotPointer
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

// Lookup returns the value at a pointer in a tree of map[string]any and []any.
// The error is [ErrNotPointer] or [ErrNotFound]. An index has no leading zero,
// and "-" (one past the end) is not found.
func Lookup(tree any, pointer string) (any, error) {
	tokens, err := SplitPointer(pointer)
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

// MaxPrintablePointer is the maximum length of what [PrintablePointer] returns,
// in bytes.
const MaxPrintablePointer = 256

// PrintablePointer returns a pointer that is safe to show, because a caller may
// have chosen the names in it. Invalid UTF-8, control, format and bidirectional
// characters become U+FFFD. A pointer longer than [MaxPrintablePointer] bytes
// is cut and ends with an ellipsis. The result starts with "/" if the pointer
// does.
func PrintablePointer(pointer string) string {
	var b strings.Builder
	b.Grow(min(len(pointer), MaxPrintablePointer))
	for _, r := range pointer {
		if !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		if b.Len()+utf8.RuneLen(r) > MaxPrintablePointer-len("…") {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
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
			return "", ErrNotPointer
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
