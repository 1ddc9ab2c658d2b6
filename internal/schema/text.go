package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// checkTexts reports names and texts of a document that hide text, reorder it
// or control a terminal, up to maxProblems of them. People and models read
// these texts.
func checkTexts(document any) []Problem {
	var c textCheck
	c.value(document)
	return c.problems
}

type textCheck struct {
	path     []string // names and indexes leading to the current value
	problems []Problem
}

func (c *textCheck) value(value any) {
	switch v := value.(type) {
	case string:
		c.text(v)
	case []any:
		for i, item := range v {
			c.below(strconv.Itoa(i), func() { c.value(item) })
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.below(name, func() {
				c.text(name)
				c.value(v[name])
			})
		}
	}
}

func (c *textCheck) below(name string, check func()) {
	if len(c.problems) >= maxProblems {
		return
	}
	c.path = append(c.path, name)
	check()
	c.path = c.path[:len(c.path)-1]
}

func (c *textCheck) text(text string) {
	if _, removed := trust.Sanitize(text); removed > 0 {
		c.problems = append(c.problems, Problem{
			Rule: RuleText, Field: strictjson.Pointer("", c.path...),
			Message: "is a text or a name with characters that hide, reorder it or drive a terminal",
			Remedy:  "write it without them, as trust.Sanitize returns it",
		})
	}
}

// nameCleaner sets the remedies of problems in a schema written by others:
// either an adapter's CleanTexts removes the characters, or only the upstream
// can.
func nameCleaner(raw json.RawMessage, problems []Problem) {
	cleaned, _ := CleanTexts(raw)
	document, _ := strictjson.Parse(cleaned, strictjson.Limits{}) // it parsed before
	left := checkTexts(document)
	for i := range problems {
		problems[i].Remedy = "clean the tool with CleanTexts of the adapter"
		if slices.ContainsFunc(left, func(p Problem) bool { return p.Field == problems[i].Field }) {
			problems[i].Remedy = "have the upstream remove them; CleanTexts of the adapter leaves names and values as they are, because " +
				"the upstream compares them"
		}
	}
}

// CleanTexts returns a schema whose texts are as trust.Sanitize returns them,
// and how many it changed. Names stay, and so does what arguments are compared
// with: const, enum, default, and the texts of the keywords of JSON Schema that
// only a validator reads, such as pattern. An object under an unknown keyword
// is cleaned like a schema, because a reference can lead to it. A schema that
// is not JSON stays as it is.
func CleanTexts(raw json.RawMessage) (cleaned json.RawMessage, changed int) {
	if _, err := strictjson.Parse(raw, strictjson.Limits{}); err != nil {
		return raw, 0
	}
	var out bytes.Buffer
	c := textCleaner{
		in:  jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true)), // Parse has refused them
		out: jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)),
	}
	if err := c.value(placeSchema); err != nil || c.changed == 0 {
		return raw, 0
	}
	return bytes.TrimRight(out.Bytes(), "\n"), c.changed
}

// A place is what a value of a schema document is.
type place uint8

const (
	placeSchema  place = iota // a schema, or under an unknown keyword what may be one
	placeSchemas              // schemas by name
	placeText                 // for people and models only
	placeData                 // compared with arguments
	placeWords                // a text or a list of texts for validators
	placeNames                // lists of names, by name
)

// placeOf returns the place of a keyword's value.
func placeOf(keyword string) place {
	switch keyword {
	case "title", "description", "$comment", "examples":
		return placeText
	case "const", "enum", "default":
		return placeData
	case "dependentRequired", "dependencies": // an older draft holds schemas in the latter too
		return placeNames
	}
	switch {
	case tree.HoldsByName(keyword):
		return placeSchemas
	case tree.IsKeyword(keyword) && !tree.Holds(keyword):
		return placeWords
	default:
		return placeSchema
	}
}

// under returns the place of a member of an object.
func (p place) under(name string) place {
	switch p {
	case placeSchemas:
		return placeSchema
	case placeNames:
		return placeWords
	case placeText, placeData:
		return p
	default: // words that are an object are no words
		return placeOf(name)
	}
}

// A textCleaner copies a document and cleans its texts.
type textCleaner struct {
	in      *jsontext.Decoder
	out     *jsontext.Encoder
	changed int
}

// value copies the next value.
func (c *textCleaner) value(at place) error {
	token, err := c.in.ReadToken()
	if err != nil {
		return err
	}
	kind := token.Kind()
	if kind == jsontext.KindString && at != placeData && at != placeWords {
		if clean, removed := trust.Sanitize(token.String()); removed > 0 {
			token = jsontext.String(clean)
			c.changed++
		}
	}
	if err := c.out.WriteToken(token); err != nil {
		return err
	}
	if kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		return nil
	}
	for c.in.PeekKind() != kind+2 { // the bracket that closes it
		next := at
		if kind == jsontext.KindBeginObject {
			name, err := c.in.ReadToken()
			if err != nil {
				return err
			}
			next = at.under(name.String())
			if err := c.out.WriteToken(name); err != nil {
				return err
			}
		}
		if err := c.value(next); err != nil {
			return err
		}
	}
	return c.value(at) // that bracket
}
