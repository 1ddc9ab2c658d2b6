package fieldtag

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/schema"
)

// Words is the set of words in the contract tag of one field.
type Words uint8

// The words.
const (
	Sensitive Words = 1 << iota
	Secret
	Review
	Expose
	IdempotencyKey
)

// vocabulary lists each word, the side of a tool that it applies to, and the
// annotation that publishes it in a derived schema.
var vocabulary = []struct {
	text          string
	word          Words
	input, output bool
	keyword       string
}{
	{"sensitive", Sensitive, true, true, schema.SensitiveKeyword},
	{"secret", Secret, true, false, schema.SecretKeyword},
	{"review", Review, true, false, schema.ReviewKeyword},
	{"idempotency-key", IdempotencyKey, true, false, ""},
	{"expose", Expose, false, true, ""},
}

// Has reports whether w contains one of the given words.
func (w Words) Has(words Words) bool { return w&words != 0 }

// Of returns the words of a field of an input or an output. It ignores
// mistakes, which [Reader.Read] reports.
func Of(f reflect.StructField, dir schema.Direction) Words {
	if !strings.Contains(string(f.Tag), "contract") {
		return 0
	}
	return wordsOf(f, dir, func(string, string) {})
}

// Keywords returns a function that lists the annotations with which a derived
// schema publishes the words of a field.
func Keywords(dir schema.Direction) func(reflect.StructField) []string {
	return func(f reflect.StructField) []string {
		var keywords []string
		words := Of(f, dir)
		for _, v := range vocabulary {
			if v.keyword != "" && words.Has(v.word) {
				keywords = append(keywords, v.keyword)
			}
		}
		return keywords
	}
}

func wordsOf(f reflect.StructField, dir schema.Direction, report func(message, remedy string)) Words {
	pairs, message := Pairs(string(f.Tag))
	if message != "" {
		report(message, "mend the tag")
	}
	var words Words
	for _, p := range pairs {
		if p.Key != "contract" {
			continue
		}
		for text := range strings.SplitSeq(p.Value, ",") {
			word, message := lookUp(text, dir)
			if message != "" {
				report(message, remedy(text, dir))
			}
			words |= word
		}
	}
	return words
}

// lookUp returns the word that a text stands for, or what is wrong with it.
func lookUp(text string, dir schema.Direction) (word Words, message string) {
	for _, v := range vocabulary {
		switch {
		case v.text != text:
		case dir == schema.Output && !v.output:
			return 0, text + " does not apply to an output"
		case dir != schema.Output && !v.input:
			return 0, text + " does not apply to an input"
		default:
			return v.word, ""
		}
	}
	return 0, fmt.Sprintf("unknown contract field tag %q", text)
}

// remedy lists the words that a field of this side takes.
func remedy(text string, dir schema.Direction) string {
	var known []string
	for _, v := range vocabulary {
		if dir == schema.Output && v.output || dir != schema.Output && v.input {
			known = append(known, v.text)
		}
	}
	remedy := "known here are " + strings.Join(known, ", ")
	if near := enum.Nearest(text, known); near != "" {
		remedy = "did you mean " + near + "? " + remedy
	}
	return remedy
}
