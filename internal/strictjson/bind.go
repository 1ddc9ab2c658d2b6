package strictjson

import (
	"cmp"
	stdjson "encoding/json"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// Options are the options with which [Unmarshal] and [MarshalValue] work: what encoding/json means by a type
// (durations as nanoseconds, bytes as base64, its struct tags), made strict: names match exactly, unknown members,
// duplicates and invalid UTF-8 are errors. A nil slice is written as [], a nil map as {}, and "<" as it is. Methods of
// a pointer are called for values too: encoding/json writes the same type in two ways, as it happens to be addressable.
//
// What an any holds after [Unmarshal] is the one departure: the tree that [Parse] makes, in which integers are exact.
// JSON integers arrive as int64, or uint64 where only that holds them, and other numbers as float64.
func Options() json.Options {
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
		json.WithMarshalers(json.MarshalToFunc(marshalNumber)),
		json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalAny)),
	)
}

// marshalNumber writes the digits of a [encoding/json.Number], which to the encoder is a string of another package's. Like
// encoding/json it writes an empty one as 0.
func marshalNumber(enc *jsontext.Encoder, number stdjson.Number) error {
	text := jsontext.Value(cmp.Or(number, "0"))
	if text.Kind() != jsontext.KindNumber {
		return errNoNumber
	}
	return enc.WriteValue(text)
}

var errNoNumber = errors.New("strictjson: not a number")

// unmarshalAny reads the value of an any as [Parse] does. An any that holds something is left to the decoder, which
// fills what it points to.
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

// Unmarshal fills out, a pointer, from data, with [Options]. The error is an [*Error] of rule [RuleBind] whose pointer
// leads to the refused value where that is known; it holds nothing of the value and nothing of what an author's
// UnmarshalJSON or UnmarshalText said. After an error out may be partly filled.
//
// It runs the methods of out's types, and does not contain their panics: that is the caller's part.
func Unmarshal(data []byte, out any) error {
	if json.Unmarshal(data, out, Options()) == nil {
		return nil
	}
	return &Error{Rule: RuleBind, Pointer: refusedAt(data, out), Message: "is not a value that the tool's type accepts"}
}

// MarshalValue writes an author's value as JSON, with [Options]. The error is an [*Error] of rule [RuleValue]: the
// value, or what its MarshalJSON or MarshalText returned, has no JSON form (a NaN, a cycle, invalid UTF-8, a channel).
//
// It runs the methods of v's types, and does not contain their panics: that is the caller's part.
func MarshalValue(v any) ([]byte, error) {
	data, err := json.Marshal(v, Options())
	if err == nil {
		return data, nil
	}
	_, err = json.Marshal(v, pointing())
	return nil, &Error{Rule: RuleValue, Pointer: pointerOf(err), Message: "has no JSON form"}
}

// refusedAt decodes once more, into a new value and without encoding/json's own errors, which do not say where.
func refusedAt(data []byte, out any) string {
	t := reflect.TypeOf(out)
	if t == nil || t.Kind() != reflect.Pointer {
		return ""
	}
	return pointerOf(json.Unmarshal(data, reflect.New(t.Elem()).Interface(), pointing()))
}

func pointing() json.Options {
	return json.JoinOptions(Options(), jsonv1.ReportErrorsWithLegacySemantics(false))
}

func pointerOf(err error) string {
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return jsonptr.Printable(string(semantic.JSONPointer))
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return jsonptr.Printable(string(syntactic.JSONPointer))
	}
	return ""
}
