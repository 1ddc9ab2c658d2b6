package contract

import (
	"encoding"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// maxShownValue caps the bytes of a value shown in a mistake.
const maxShownValue = 64

// printable returns the value for a mistake. The tool author wrote it.
func (r *tagReader) printable() string {
	if len(r.value) > maxShownValue {
		return strconv.QuoteToASCII(strings.ToValidUTF8(r.value[:maxShownValue], "")) + "…"
	}
	return strconv.QuoteToASCII(r.value)
}

// textValue reads a declaration that is the text itself.
func textValue(d declaration[string]) func(*tagReader) {
	return func(r *tagReader) { d.set(r.layer, r.value) }
}

// listValue reads a declaration that is a list.
func listValue(d declaration[[]string]) func(*tagReader) {
	return func(r *tagReader) { d.set(r.layer, r.list()) }
}

// enumValue reads a declaration that is the text of an enum.
func enumValue[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](d declaration[T]) func(*tagReader) {
	return func(r *tagReader) {
		var v T
		if r.enum(P(&v)) {
			d.set(r.layer, v)
		}
	}
}

// enumsValue reads a declaration that is a list of texts of an enum.
func enumsValue[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](d declaration[[]T]) func(*tagReader) {
	return func(r *tagReader) {
		var values []T
		for _, text := range r.list() {
			var v T
			r.value = text
			if !r.enum(P(&v)) {
				return
			}
			values = append(values, v)
		}
		d.set(r.layer, values)
	}
}

// parsedValue reads a declaration with a parser.
func parsedValue[T any](d declaration[T], parse func(string) (T, error), remedy string) func(*tagReader) {
	return func(r *tagReader) {
		v, err := parse(r.value)
		if err != nil {
			r.badValue("the value "+r.printable()+" cannot be read", remedy)
			return
		}
		d.set(r.layer, v)
	}
}

// flagValue reads a declaration whose verb takes no argument.
func flagValue(d declaration[bool]) func(*tagReader) {
	return func(r *tagReader) {
		if r.value != "true" {
			r.badValue("the value "+r.printable()+" is not true", "write true, or remove the key")
			return
		}
		d.set(r.layer, true)
	}
}

// partOf reads one part of a declaration that several keys make up.
func partOf[T any](d declaration[T], read func(*T, *tagReader)) func(*tagReader) {
	return func(r *tagReader) {
		v := d.of(r.layer)
		read(&v, r)
		d.set(r.layer, v)
	}
}

const (
	boolRemedy     = "write true or false"
	durationRemedy = "write a duration such as 30s"
	numberRemedy   = "write a whole number"
	rateRemedy     = "write calls/time, such as 20/1m"
)

// list splits the value at commas and trims blanks around each element. An
// empty element is a mistake.
func (r *tagReader) list() []string {
	parts := strings.Split(r.value, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if parts[i] == "" {
			r.badValue("an element of the list "+r.printable()+" is empty", "separate elements by single commas")
			return nil
		}
	}
	return parts
}

func (r *tagReader) enum(into encoding.TextUnmarshaler) bool {
	err := into.UnmarshalText([]byte(r.value))
	if err == nil {
		return true
	}
	unknown, ok := errors.AsType[*enum.UnknownError](err)
	if !ok {
		r.badValue(err.Error(), "write one of the allowed values")
		return false
	}
	remedy := "write one of " + strings.Join(unknown.Allowed, ", ")
	if unknown.Nearest != "" {
		remedy = "did you mean " + unknown.Nearest + "? " + remedy
	}
	r.badValue("the value "+r.printable()+" is none of those allowed", remedy)
	return false
}

func (r *tagReader) boolean(into *bool) {
	v, err := parseBool(r.value)
	if err != nil {
		r.badValue("the value "+r.printable()+" is not a boolean", boolRemedy)
		return
	}
	*into = v
}

// seconds reads a duration of whole seconds.
func (r *tagReader) seconds(into *time.Duration) {
	d, err := time.ParseDuration(r.value)
	if err != nil || d%time.Second != 0 {
		r.badValue("the value "+r.printable()+" is not a duration of whole seconds", durationRemedy)
		return
	}
	*into = d
}

// parseBool accepts only the two spellings of JSON.
func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, strconv.ErrSyntax
}

func parseInt64(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

func parseRateLimit(s string) (RateLimit, error) {
	calls, per, err := parseRate(s)
	return RateLimit{Calls: calls, Per: per}, err
}

func parseRetryBudget(s string) (RetryBudget, error) {
	failures, window, err := parseRate(s)
	return RetryBudget{Failures: failures, Window: window}, err
}

// parseRate reads a number and a period, such as "20/1m".
func parseRate(s string) (n int, per time.Duration, err error) {
	number, period, ok := strings.Cut(s, "/")
	if !ok {
		return 0, 0, strconv.ErrSyntax
	}
	if n, err = strconv.Atoi(number); err != nil {
		return 0, 0, err
	}
	per, err = time.ParseDuration(period)
	return n, per, err
}
