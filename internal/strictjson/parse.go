package strictjson

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits limit what [Parse] accepts. A zero field means the default, and a
// negative one accepts nothing.
type Limits struct {
	Depth        int // arrays and objects inside each other; default 64
	Elements     int // values in all, at every depth; default 100 000
	NameLength   int // bytes of one member's name, unescaped; default 1024
	NumberLength int // bytes of one number; default 64
}

// The defaults of [Limits].
const (
	DefaultDepth        = 64
	DefaultElements     = 100_000
	DefaultNameLength   = 1024
	DefaultNumberLength = 64
)

// Parse reads data as exactly one JSON value. The package comment describes the
// tree and what is refused. The error is an [*Error].
//
// A number with an integer value becomes an int64, or a uint64 if it fits only
// there, however it is written: 1, 1.0 and 10e-1 are the same int64, and -0 is
// 0. Other numbers become the nearest float64, as in RFC 8785 and I-JSON. So
// digits beyond a double's precision are rounded, even to an integer. An
// integer literal outside 64 bits is refused unless it spells a double, exactly
// or in its shortest form.
//
// Time and memory are linear in len(data).
func Parse(data []byte, lim Limits) (any, error) {
	if !utf8.Valid(data) {
		return nil, &Error{Rule: RuleUTF8, Message: "must be valid UTF-8"}
	}
	dec, done := decoderOf(data)
	defer done()
	r := reader{
		data: data,
		dec:  dec,
		lim: Limits{
			Depth:        cmp.Or(lim.Depth, DefaultDepth),
			Elements:     cmp.Or(lim.Elements, DefaultElements),
			NameLength:   cmp.Or(lim.NameLength, DefaultNameLength),
			NumberLength: cmp.Or(lim.NumberLength, DefaultNumberLength),
		},
	}
	tree, err := r.value()
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, &Error{Rule: RuleSyntax, Message: "has more after the value"}
	}
	return tree, nil
}

// maxReused is the longest text, in bytes, whose decoder is reused. It bounds
// the memory that decoders keep for names.
const maxReused = 64 << 10

var (
	decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(noText) }}
	noText   = strings.NewReader("") // for decoders in the pool, which do not read it
)

// decoderOf returns a decoder of data. The caller must call done when finished
// with it.
func decoderOf(data []byte) (dec *jsontext.Decoder, done func()) {
	if len(data) > maxReused {
		return jsontext.NewDecoder(bytes.NewBuffer(data)), func() {}
	}
	dec = decoders.Get().(*jsontext.Decoder) //nolint:forcetypeassert // New makes them
	dec.Reset(bytes.NewBuffer(data))
	return dec, func() {
		dec.Reset(noText) // drops data
		decoders.Put(dec)
	}
}

// A reader builds one tree.
type reader struct {
	data  []byte
	dec   *jsontext.Decoder
	lim   Limits
	count int
}

func (r *reader) value() (any, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, r.syntaxError(err)
	}
	if r.count++; r.count > r.lim.Elements {
		return nil, r.fail(RuleSize, fmt.Sprintf("has more than %d values", r.lim.Elements))
	}
	switch token.Kind() {
	case jsontext.KindNull:
		return nil, nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return r.number(token.String())
	case jsontext.KindBeginArray:
		return r.array()
	default:
		return r.object()
	}
}

func (r *reader) array() (any, error) {
	if r.dec.StackDepth() > r.lim.Depth {
		return nil, r.tooDeep()
	}
	list := []any{}
	for r.dec.PeekKind() != jsontext.KindEndArray {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, r.syntaxError(err)
	}
	return list, nil
}

func (r *reader) object() (any, error) {
	if r.dec.StackDepth() > r.lim.Depth {
		return nil, r.tooDeep()
	}
	members := map[string]any{}
	for r.dec.PeekKind() != jsontext.KindEndObject {
		token, err := r.dec.ReadToken()
		if err != nil {
			return nil, r.syntaxError(err)
		}
		name := token.String()
		if len(name) > r.lim.NameLength {
			return nil, r.fail(RuleName, fmt.Sprintf("has a name of more than %d bytes", r.lim.NameLength))
		}
		if members[name], err = r.value(); err != nil {
			return nil, err
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, r.syntaxError(err)
	}
	return members, nil
}

func (r *reader) number(literal string) (any, error) {
	if len(literal) > r.lim.NumberLength {
		return nil, r.fail(RuleNumber, fmt.Sprintf("must be a number of at most %d characters", r.lim.NumberLength))
	}
	number, problem := parseNumber(literal)
	if problem != "" {
		return nil, r.fail(RuleNumber, problem)
	}
	return number, nil
}

func (r *reader) tooDeep() error {
	return r.fail(RuleDepth, fmt.Sprintf("is nested deeper than %d levels", r.lim.Depth))
}

func (r *reader) fail(rule, message string) error {
	return &Error{Rule: rule, Pointer: PrintablePointer(string(r.dec.StackPointer())), Message: message}
}

// syntaxError converts an error of the decoder and drops its text, which quotes
// the input.
func (r *reader) syntaxError(err error) error {
	out := &Error{Rule: RuleSyntax, Message: "must be one JSON value"}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return out
	}
	out.Pointer = PrintablePointer(string(syntactic.JSONPointer))
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		out.Rule, out.Message = RuleDuplicate, "is given twice"
	case r.escapeAt(syntactic.ByteOffset):
		out.Rule, out.Message = RuleUTF8, "must not hold half of a surrogate pair"
	case syntactic.JSONPointer != "":
		out.Message = "must be valid JSON here"
	}
	return out
}

// escapeAt reports whether a well-formed \u escape of a surrogate begins at
// offset. All that can be wrong with it is that its other half is missing.
func (r *reader) escapeAt(offset int64) bool {
	if offset < 0 || offset+6 > int64(len(r.data)) {
		return false
	}
	text := r.data[offset : offset+6]
	if text[0] != '\\' || text[1] != 'u' || text[2]|0x20 != 'd' {
		return false
	}
	for _, c := range text[2:] {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f') {
			return false
		}
	}
	return text[3] >= '8'
}
