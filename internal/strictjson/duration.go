package strictjson

import (
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A durationError is why a duration cannot be read or written. It holds no
// value, so that it may be shown.
type durationError string

func (e durationError) Error() string { return "strictjson: " + string(e) }

// The errors of [ParseDuration].
var (
	ErrDurationForm     error = durationError("must be a duration (ISO 8601) such as PT1H30M")
	ErrDurationCalendar error = durationError("must be a duration without years and months, because their length varies")
	ErrDurationRange    error = durationError("must be a shorter duration")
)

var errDurationFraction = durationError("must be a duration of whole seconds that is not negative")

// dateUnits and timeUnits are the units before and after the T, in their order.
// Years and months have no fixed length.
var (
	dateUnits = []durationUnit{{'Y', 0}, {'M', 0}, {'D', 24 * time.Hour}}
	timeUnits = []durationUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}
	weekUnits = []durationUnit{{'W', 7 * 24 * time.Hour}}
)

type durationUnit struct {
	letter byte
	length time.Duration // 0: it varies
}

// ParseDuration reads a duration of ISO 8601 in the form of RFC 3339, appendix
// A: a number of weeks, or numbers of days, hours, minutes and seconds. They
// are whole and have no sign. A day has 24 hours. Units between two others may
// be missing.
//
// A duration with years or months is ErrDurationCalendar. One that is too long
// is ErrDurationRange, and d is the longest one. Any other text is
// ErrDurationForm.
func ParseDuration(text string) (d time.Duration, err error) {
	rest, ok := strings.CutPrefix(text, "P")
	date, clock, hasClock := strings.Cut(rest, "T")
	if !ok || rest == "" || hasClock && clock == "" {
		return 0, ErrDurationForm
	}
	units := dateUnits
	if strings.HasSuffix(rest, "W") {
		units = weekUnits
	}
	var sum durationSum
	if !sum.add(date, units) || !sum.add(clock, timeUnits) {
		return 0, ErrDurationForm
	}
	switch {
	case sum.varies:
		return 0, ErrDurationCalendar
	case sum.overflows:
		return math.MaxInt64, ErrDurationRange
	}
	return sum.length, nil
}

type durationSum struct {
	length    time.Duration
	varies    bool // years or months are a part of it
	overflows bool
}

// add adds numbers with units, each at most once and in their order. It reports
// whether the text has no more than these.
func (s *durationSum) add(text string, units []durationUnit) bool {
	for _, unit := range units {
		digits := 0
		for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits == len(text) || text[digits] != unit.letter {
			continue
		}
		s.addUnit(text[:digits], unit.length)
		text = text[digits+1:]
	}
	return text == ""
}

func (s *durationSum) addUnit(digits string, length time.Duration) {
	if length == 0 {
		s.varies = true
		return
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > int64((math.MaxInt64-s.length)/length) {
		s.overflows = true
		return
	}
	s.length += time.Duration(n) * length
}

// FormatDuration writes a duration as [ParseDuration] reads it, without days.
// RFC 3339 has no form for a negative duration and for a part of a second.
func FormatDuration(d time.Duration) (string, error) {
	if d < 0 || d%time.Second != 0 {
		return "", errDurationFraction
	}
	text := []byte("PT")
	unit := func(n time.Duration, letter byte) { text = append(strconv.AppendInt(text, int64(n), 10), letter) }
	hours, minutes, seconds := d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second
	if hours > 0 {
		unit(hours, 'H')
	}
	if minutes > 0 || hours > 0 && seconds > 0 { // RFC 3339 has no seconds directly after hours
		unit(minutes, 'M')
	}
	if seconds > 0 || d == 0 {
		unit(seconds, 'S')
	}
	return string(text), nil
}

// IsDurationField reports whether the jsonschema tag of a field has
// format=duration. A time.Duration in such a field, also in a list or behind a
// pointer, is a text of [FormatDuration] in JSON. Any other duration is an
// integer of nanoseconds.
func IsDurationField(f reflect.StructField) bool {
	tag := f.Tag.Get("jsonschema")
	if !strings.Contains(tag, "format=duration") {
		return false
	}
	tag = strings.ReplaceAll(tag, `\,`, `\`) // a comma within a value separates nothing
	for keyword := range strings.SplitSeq(tag, ",") {
		if keyword == "format=duration" {
			return true
		}
	}
	return false
}

var durationType = reflect.TypeFor[time.Duration]()

// A durationTree finds the durations in the JSON of a type that are texts.
// Recursive types have recursive trees.
type durationTree struct {
	isText  bool                     // for a duration
	members map[string]*durationTree // of a struct
	elem    *durationTree            // of a list or a map
}

// isTextAfter reports whether a duration is a text. The pointer is that of its
// member, or of the item before it.
func (d *durationTree) isTextAfter(pointer jsontext.Pointer) bool {
	for token := range pointer.Tokens() {
		if d == nil {
			return false
		}
		if d.members != nil {
			d = d.members[token]
		} else {
			d = d.elem
		}
	}
	if d != nil && !d.isText {
		d = d.elem // before its first item, the pointer is that of the list
	}
	return d != nil && d.isText
}

func (d *durationTree) marshal(enc *jsontext.Encoder, v time.Duration) error {
	if !d.isTextAfter(enc.StackPointer()) {
		return errors.ErrUnsupported
	}
	text, err := FormatDuration(v)
	if err != nil {
		return err
	}
	return enc.WriteToken(jsontext.String(text))
}

func (d *durationTree) unmarshal(dec *jsontext.Decoder, out *time.Duration) error {
	if !d.isTextAfter(dec.StackPointer()) {
		return errors.ErrUnsupported
	}
	if dec.PeekKind() != jsontext.KindString {
		return ErrDurationForm
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*out, err = ParseDuration(token.String())
	return err
}

// A durationReader makes the tree of a type.
type durationReader struct {
	known map[durationPlace]*durationTree
	found bool // a duration is a text
}

// A durationPlace is a type, and whether a duration in it is a text.
type durationPlace struct {
	of     reflect.Type
	isText bool
}

func (r *durationReader) tree(t reflect.Type, isText bool) *durationTree {
	for seen := map[reflect.Type]bool{}; t.Kind() == reflect.Pointer && !seen[t]; t = t.Elem() {
		seen[t] = true // a type may point to itself
	}
	if elem, ok := NullElem(t); ok {
		return r.tree(elem, isText)
	}
	at := durationPlace{t, isText}
	if known, ok := r.known[at]; ok {
		return known
	}
	tree := &durationTree{}
	r.known[at] = tree
	switch t.Kind() { //nolint:exhaustive // the other kinds hold no durations
	case reflect.Int64:
		tree.isText = isText && t == durationType
		r.found = r.found || tree.isText
	case reflect.Slice, reflect.Array:
		tree.elem = r.tree(t.Elem(), isText)
	case reflect.Map:
		tree.elem = r.tree(t.Elem(), false)
	case reflect.Struct:
		tree.members = map[string]*durationTree{}
		for _, f := range FieldsOf(t) {
			tree.members[f.Name] = r.tree(f.Struct.Type, IsDurationField(f.Struct))
		}
	}
	return tree
}

// knownDurations has the options of types, nil for types without such
// durations.
var knownDurations sync.Map // of reflect.Type to json.Options

// withDurations returns the options of a type with such durations, or nil.
func withDurations(t reflect.Type) json.Options {
	if t == nil {
		return nil
	}
	if known, ok := knownDurations.Load(t); ok {
		with, _ := known.(json.Options)
		return with
	}
	var with json.Options
	r := durationReader{known: map[durationPlace]*durationTree{}}
	if tree := r.tree(t, false); r.found {
		with = json.JoinOptions(options(),
			json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(tree.marshal), ownMarshalers())),
			json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFromFunc(tree.unmarshal), ownUnmarshalers())))
	}
	knownDurations.Store(t, with)
	return with
}
