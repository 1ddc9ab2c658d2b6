package strictjson

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// Options are the options of [Unmarshal] and [MarshalValue]. They treat Go types
// as encoding/json does (durations as nanoseconds, bytes as base64, the same
// struct tags), but strictly: names match exactly, and unknown members,
// duplicates and invalid UTF-8 are errors. A nil slice is written as [], a nil
// map as {}, and "<" unescaped. Pointer methods are also called for values;
// encoding/json calls them only if the value is addressable, so it writes one
// type in two ways.
//
// There are two differences. First, after [Unmarshal], an any holds the tree of
// [Parse], with exact integers. A JSON integer decodes as int64, or as uint64
// if only that holds it. Other numbers decode as float64. Second, a Null type
// of package database/sql is null or the value within; see [NullElem].
//
// They are made once, because each set of them has a cache of its own.
func Options() json.Options { return options() }

var options = sync.OnceValue(func() json.Options {
	return json.JoinOptions(
		withoutHooks(),
		json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(marshalNumber), json.MarshalToFunc(marshalNull))),
		json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(unmarshalAny), json.UnmarshalFromFunc(unmarshalNull))),
	)
})

// withoutHooks are the options for types of which [CallsMethods] is false.
var withoutHooks = sync.OnceValue(func() json.Options {
	return json.JoinOptions(
		jsonv1.DefaultOptionsV1(),
		jsonv1.CallMethodsWithLegacySemantics(false),
		json.RejectUnknownMembers(true),
		json.MatchCaseInsensitiveNames(false),
		json.FormatNilSliceAsNull(false),
		json.FormatNilMapAsNull(false),
		jsontext.AllowDuplicateNames(false),
		jsontext.AllowInvalidUTF8(false),
		jsontext.EscapeForHTML(false),
		jsontext.EscapeForJS(false),
	)
})

// marshalNumber writes the digits of an [encoding/json.Number], which the
// encoder would write as a string. An empty one is 0, as in encoding/json.
func marshalNumber(enc *jsontext.Encoder, number stdjson.Number) error {
	text := jsontext.Value(cmp.Or(number, "0"))
	if text.Kind() != jsontext.KindNumber {
		return errNoNumber
	}
	return enc.WriteValue(text)
}

var errNoNumber = errors.New("strictjson: not a number")

// unmarshalAny decodes into an any as [Parse] does. If the any already holds a
// value, the decoder fills that value.
func unmarshalAny(dec *jsontext.Decoder, out *any) error {
	if *out != nil {
		return errors.ErrUnsupported
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	*out, err = Parse(raw, Limits{})
	return err
}

// Unmarshal decodes data into out, a pointer, with [Options]. The error is an
// [*Error] with rule [RuleBind] and, if known, a pointer to the refused value.
// It contains neither the value nor the text of an error from UnmarshalJSON or
// UnmarshalText. After an error, out may be partly filled.
//
// It calls methods of out's types and doesn't recover their panics.
func Unmarshal(data []byte, out any) error {
	if json.Unmarshal(data, out, Options()) == nil {
		return nil
	}
	return refusal(data, out)
}

// MarshalValue encodes a value of the tool author as JSON, with [Options]. The
// error is an [*Error] with rule [RuleValue] if the value, or the result of its
// MarshalJSON or MarshalText, has no JSON form (a NaN, a cycle, invalid UTF-8,
// a channel).
//
// It calls methods of v's types and doesn't recover their panics.
func MarshalValue(v any) ([]byte, error) {
	data, err := json.Marshal(v, Options())
	if err == nil {
		return data, nil
	}
	_, err = json.Marshal(v, Options(), pointing)
	return nil, &Error{Rule: RuleValue, Pointer: pointerOf(err), Message: messageOf(err, "has no JSON form")}
}

// refusal says why and where a value is refused. It decodes again into a new
// value, without the errors of encoding/json, which have no position.
func refusal(data []byte, out any) *Error {
	refused := &Error{Rule: RuleBind, Message: "is not a value that the tool's type accepts"}
	if t := reflect.TypeOf(out); t != nil && t.Kind() == reflect.Pointer {
		err := json.Unmarshal(data, reflect.New(t.Elem()).Interface(), Options(), pointing)
		refused.Pointer = pointerOf(err)
		refused.Message = messageOf(err, refused.Message)
	}
	return refused
}

var pointing = jsonv1.ReportErrorsWithLegacySemantics(false)

// messageOf returns what is wrong with a duration, or else other.
func messageOf(err error, other string) string {
	if wrong, ok := errors.AsType[durationError](err); ok {
		return string(wrong)
	}
	return other
}

func pointerOf(err error) string {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		pointer := PrintablePointer(string(semantic.JSONPointer))
		if inner, ok := errors.AsType[*Error](semantic.Err); ok && inner.Rule == RuleBind { // of an UnmarshalJSON that calls Unmarshal
			pointer += inner.Pointer
		}
		return pointer
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return PrintablePointer(string(syntactic.JSONPointer))
	}
	return ""
}
