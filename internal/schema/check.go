package schema

import (
	"slices"
	"strconv"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// Check gives the same answer as the slow path, which parses a JSON text, calls
// [Schema.Fill] and then [Schema.Validate]. If the text satisfies the schema,
// Check returns its canonical form with the defaults of an Input; otherwise it
// returns the violations. If ok is false, Check is not sure and the caller must
// take the slow path.
func (s *Schema) Check(text []byte) (canonical []byte, violations []Violation, ok bool) {
	canonical, breaks, ok := s.scanner().Check(text)
	if len(breaks) == 0 {
		return canonical, nil, ok
	}
	document := s.document()
	all := &santhosh.ValidationError{ErrorKind: &kind.Group{}}
	for _, b := range breaks {
		all.Causes = append(all.Causes, errorOf(b, document))
	}
	return nil, report(all, document), true
}

// indexURL is the scheme of a URL that names a schema by its index. A pointer
// would have to be computed for each break and parsed again.
const indexURL = "index:"

// errorOf returns the error the validator would report for a break, so that
// both are worded alike.
func errorOf(b scan.Break, document *tree.Document) *santhosh.ValidationError {
	n := document.All[b.Schema]
	url := indexURL + strconv.Itoa(b.Schema)
	e := &santhosh.ValidationError{SchemaURL: url, InstanceLocation: b.Location}
	value := n.Value(b.Keyword)
	last := len(b.Location) - 1
	switch b.Keyword {
	case "required":
		e.InstanceLocation, e.ErrorKind = b.Location[:last], &kind.Required{Missing: b.Location[last:]}
	case "additionalProperties":
		e.InstanceLocation, e.ErrorKind = b.Location[:last], &kind.AdditionalProperties{Properties: b.Location[last:]}
	case "type":
		e.ErrorKind = &kind.Type{Want: typesOf(value, b.OrNull)}
	case "uniqueItems":
		e.ErrorKind = &kind.UniqueItems{Duplicates: b.Equal}
	case "const":
		e.ErrorKind = &kind.Const{Want: value}
	default:
		e.ErrorKind = kindOf(b.Keyword, value)
	}
	return e
}

// kindOf returns the error kind of a keyword whose value is a list, a text or a
// number.
func kindOf(keyword string, value any) santhosh.ErrorKind {
	list, _ := value.([]any)
	text, _ := value.(string)
	number, _ := value.(int64)
	n := int(number)
	switch keyword {
	case "enum":
		return &kind.Enum{Want: list}
	case "format":
		return &kind.Format{Want: text}
	case "pattern":
		return &kind.Pattern{Want: text}
	case "minLength":
		return &kind.MinLength{Want: n}
	case "maxLength":
		return &kind.MaxLength{Want: n}
	case "minItems":
		return &kind.MinItems{Want: n}
	case "maxItems":
		return &kind.MaxItems{Want: n}
	case "minProperties":
		return &kind.MinProperties{Want: n}
	case "maxProperties":
		return &kind.MaxProperties{Want: n}
	case "minimum":
		return &kind.Minimum{Want: tree.Rational(value)}
	case "maximum":
		return &kind.Maximum{Want: tree.Rational(value)}
	case "exclusiveMinimum":
		return &kind.ExclusiveMinimum{Want: tree.Rational(value)}
	case "exclusiveMaximum":
		return &kind.ExclusiveMaximum{Want: tree.Rational(value)}
	case MinimumKeyword, MaximumKeyword:
		return refusedDuration(durationError{keyword: keyword, bound: text})
	default:
		return &kind.MultipleOf{Want: tree.Rational(value)}
	}
}

// typesOf lists the types of a type keyword in the validator's order.
func typesOf(value any, orNull bool) []string {
	listed, ok := value.([]any)
	if !ok {
		listed = []any{value}
	}
	var set santhosh.Types
	for _, name := range listed {
		set.Add(name.(string)) //nolint:forcetypeassert // the schema has compiled
	}
	types := set.ToStrings()
	if orNull && !slices.Contains(types, "null") {
		types = append(types, "null")
	}
	return types
}
