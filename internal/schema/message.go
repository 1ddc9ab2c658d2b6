package schema

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Messages describe what a value must be. They are built from the schema, which
// is published, and never from the value.

const (
	maxListed     = 20  // names and values in one message
	maxListedText = 64  // bytes of one of them
	maxQuotedText = 200 // bytes of a pattern
)

// describe returns the keyword of an error and its message. The message is a
// function because it may never be shown.
func describe(k santhosh.ErrorKind) (keyword string, message func() string) {
	switch k := k.(type) {
	case *kind.Type:
		return "type", func() string { return mustBeType(k.Want) }
	case *kind.Enum:
		return "enum", func() string { return mustBeOneOf(k.Want) }
	case *kind.Const:
		return "const", func() string { return mustBeOneOf([]any{k.Want}) }
	case *kind.Format:
		if refused, ok := errors.AsType[durationError](k.Err); ok {
			keyword, message := refused.describe()
			return keyword, fixed(message)
		}
		return "format", func() string { return mustBeFormat(k.Want) }
	case *kind.Pattern:
		return "pattern", func() string { return "must match the pattern " + cut(k.Want, maxQuotedText) }
	case *kind.Not:
		return "not", fixed("matches a form that is not allowed")
	case *kind.ContentEncoding:
		return "contentEncoding", fixed("must be " + k.Want)
	case *kind.ContentMediaType:
		return "contentMediaType", fixed("must hold " + k.Want)
	case *kind.ContentSchema:
		return "contentSchema", fixed("must hold JSON of another form")
	case *kind.UniqueItems:
		return "uniqueItems", fixed(fmt.Sprintf("must not hold an item twice: %d and %d are equal", k.Duplicates[0], k.Duplicates[1]))
	case *kind.Contains:
		return "contains", fixed("must hold an item of the demanded form")
	case *kind.InvalidJsonValue:
		return "type", fixed("must be a JSON value")
	case *kind.RefCycle:
		return "internal", fixed("could not be validated")
	default:
		return describeLimit(k)
	}
}

// describeLimit describes keywords that compare with a number.
func describeLimit(k santhosh.ErrorKind) (keyword string, message func() string) {
	switch k := k.(type) {
	case *kind.Minimum:
		return "minimum", bound("must be at least ", k.Want)
	case *kind.Maximum:
		return "maximum", bound("must be at most ", k.Want)
	case *kind.ExclusiveMinimum:
		return "exclusiveMinimum", bound("must be greater than ", k.Want)
	case *kind.ExclusiveMaximum:
		return "exclusiveMaximum", bound("must be less than ", k.Want)
	case *kind.MultipleOf:
		return "multipleOf", bound("must be a multiple of ", k.Want)
	case *kind.MinLength:
		return "minLength", fixed("must have at least " + count(k.Want, "character"))
	case *kind.MaxLength:
		return "maxLength", fixed("must have at most " + count(k.Want, "character"))
	case *kind.MinItems:
		return "minItems", fixed("must have at least " + count(k.Want, "item"))
	case *kind.MaxItems:
		return "maxItems", fixed("must have at most " + count(k.Want, "item"))
	case *kind.MinContains:
		return "minContains", fixed("must hold at least " + count(k.Want, "item") + " of the demanded form")
	case *kind.MaxContains:
		return "maxContains", fixed("must hold at most " + count(k.Want, "item") + " of the demanded form")
	case *kind.MinProperties:
		return "minProperties", fixed("must have at least " + count(k.Want, "member"))
	case *kind.MaxProperties:
		return "maxProperties", fixed("must have at most " + count(k.Want, "member"))
	default:
		return "invalid", fixed("is not what the schema demands")
	}
}

func fixed(text string) func() string {
	return func() string { return text }
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// bound returns the message for a keyword that compares with a number.
func bound(text string, r *big.Rat) func() string {
	return func() string {
		if r.IsInt() {
			return text + r.Num().String()
		}
		float, _ := r.Float64()
		return text + strconv.FormatFloat(float, 'g', -1, 64)
	}
}

func mustBeType(types []string) string {
	names := make([]string, len(types))
	for i, name := range types {
		switch name {
		case "null":
			names[i] = name
		case "array", "integer", "object":
			names[i] = "an " + name
		default:
			names[i] = "a " + name
		}
	}
	return "must be " + strings.Join(names, " or ")
}

func mustBeOneOf(values []any) string {
	shown := make([]string, 0, maxListed)
	for _, value := range values[:min(len(values), maxListed)] {
		shown = append(shown, display(value))
	}
	text := strings.Join(shown, ", ")
	if more := len(values) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(values) == 1 {
		return "must be " + text
	}
	return "must be one of: " + text
}

func mustHaveOneOf(members []string) string {
	return "must have exactly one of these members: " + cut(strings.Join(members, ", "), maxListed*maxListedText)
}

func mustBeFormat(format string) string {
	switch format {
	case "date-time":
		return "must be a date and time (RFC 3339) such as 2006-01-02T15:04:05Z"
	case "date":
		return "must be a date such as 2006-01-02"
	case durationFormat:
		return "must be a duration (ISO 8601) such as PT1H30M"
	case "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64":
		kind, bits, _ := strings.Cut(format, "int")
		return "must be a" + map[string]string{"u": "n unsigned", "": " signed"}[kind] + " integer of " + bits + " bits"
	default:
		return "must be a valid " + cut(format, maxListedText)
	}
}

func unknownProperty(name string, known []string) string {
	if len(known) == 0 {
		return "is not a known property"
	}
	shown := known[:min(len(known), maxListed)]
	text := "is not a known property; known: " + cut(strings.Join(shown, ", "), maxListed*maxListedText)
	if more := len(known) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + enum.DidYouMean(name, known)
}

// wrongName returns the message for a wrong member name, given what is wrong
// with it.
func wrongName(causes []finding) string {
	if len(causes) == 0 {
		return "has a name that is not allowed"
	}
	return "has a name that is not allowed: it " + causes[0].message()
}

// display formats a value from the schema: plain text unchanged, everything
// else as JSON.
func display(value any) string {
	if text, ok := value.(string); ok && text != "" && !strings.ContainsFunc(text, notPlain) {
		return cut(text, maxListedText)
	}
	data, err := strictjson.Marshal(value)
	if err != nil {
		return "…"
	}
	return cut(string(data), maxListedText)
}

func notPlain(r rune) bool {
	return r == ',' || r == '"' || unicode.IsSpace(r) || !unicode.IsPrint(r)
}

func quoteName(name string) string {
	return strconv.Quote(cut(name, maxListedText))
}

// cut shortens text from the schema.
func cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}
