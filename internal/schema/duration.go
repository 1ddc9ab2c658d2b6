package schema

import (
	"errors"
	"slices"
	"time"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// MinimumKeyword and MaximumKeyword bound strings with the format duration,
// beside that format. Their values are durations too. JSON Schema has no
// keyword for this.
const (
	MinimumKeyword = "x-minimum"
	MaximumKeyword = "x-maximum"
)

const durationFormat = "duration"

func isDuration(n *tree.Node) bool { return n.Value("format") == durationFormat }

// canonicalDuration returns the canonical text of a duration. A text that has
// none, such as P1M, is returned as it is.
func canonicalDuration(text string) string {
	d, err := strictjson.ParseDuration(text)
	if err != nil {
		return text
	}
	if canonical, err := strictjson.FormatDuration(d); err == nil {
		return canonical
	}
	return text
}

// NewDurationReader returns a reader that does nothing but write durations in
// their canonical form, or nil if no value of the document is a duration.
func NewDurationReader(document *tree.Document) *LenientReader {
	if !slices.ContainsFunc(document.All, isDuration) {
		return nil
	}
	return NewLenientReader(document, []Form{CanonicalDuration})
}

// IsDurationBound reports whether a keyword is MinimumKeyword or
// MaximumKeyword.
func IsDurationBound(keyword string) bool {
	return keyword == MinimumKeyword || keyword == MaximumKeyword
}

// DurationBound returns the bound a schema sets with MinimumKeyword or
// MaximumKeyword. ok is false if there is none that is enforced.
func DurationBound(n *tree.Node, keyword string) (bound time.Duration, ok bool) {
	return durationBound(n.Value("format"), keyword, n.Value(keyword))
}

func durationBound(format any, keyword string, value any) (bound time.Duration, ok bool) {
	text, isText := value.(string)
	if !isText || format != durationFormat || !IsDurationBound(keyword) {
		return 0, false
	}
	bound, err := strictjson.ParseDuration(text)
	return bound, err == nil
}

// checkDuration checks the format duration. It accepts years and months, and
// durations of any length.
func checkDuration(v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	if _, err := strictjson.ParseDuration(text); errors.Is(err, strictjson.ErrDurationForm) {
		return errFormat
	}
	return nil
}

// withinDuration reports whether a text is within a bound. sure is false for
// years and months. A text that isn't a duration counts as within, because the
// format already refuses it.
func withinDuration(keyword string, bound time.Duration, text string) (within, sure bool) {
	d, err := strictjson.ParseDuration(text)
	switch {
	case errors.Is(err, strictjson.ErrDurationForm):
		return true, true
	case errors.Is(err, strictjson.ErrDurationCalendar):
		return false, false
	case keyword == MinimumKeyword:
		return d >= bound, true
	default:
		return d <= bound && err == nil, true
	}
}

// A durationError says why a duration bound refuses a text. It is the error of
// a [kind.Format].
type durationError struct {
	keyword string
	bound   string
	isVague bool // the text has years or months
}

// Error returns the message.
func (r durationError) Error() string {
	_, message := r.describe()
	return message
}

func (r durationError) describe() (keyword, message string) {
	switch {
	case r.isVague:
		return "format", "must be a duration without years and months, because their length varies"
	case r.keyword == MinimumKeyword:
		return "minimum", "must be at least " + r.bound
	default:
		return "maximum", "must be at most " + r.bound
	}
}

// refusedDuration returns the validator's error for a refusal.
func refusedDuration(r durationError) santhosh.ErrorKind {
	return &kind.Format{Want: durationFormat, Err: r}
}

// A durationRange holds a schema's bounds; "" means none.
type durationRange struct{ low, high string }

func durationRangeOf(doc map[string]any) durationRange {
	text := func(keyword string) string {
		if _, ok := durationBound(doc["format"], keyword, doc[keyword]); !ok {
			return ""
		}
		text, _ := doc[keyword].(string)
		return text
	}
	return durationRange{text(MinimumKeyword), text(MaximumKeyword)}
}

func (r durationRange) check(ctx *santhosh.ValidatorContext, text string) {
	for _, end := range []struct{ keyword, bound string }{{MinimumKeyword, r.low}, {MaximumKeyword, r.high}} {
		bound, err := strictjson.ParseDuration(end.bound)
		if err != nil {
			continue
		}
		if within, sure := withinDuration(end.keyword, bound, text); !within {
			ctx.AddError(refusedDuration(durationError{end.keyword, end.bound, !sure}))
			if !sure {
				return // one error is enough
			}
		}
	}
}
