// Package enumtest checks the text forms of enums.
package enumtest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An Enum is an enum with a text form.
type Enum interface {
	~uint8
	fmt.Stringer
	encoding.TextMarshaler
}

// CheckTexts checks the text form of E. The value i has the text texts[i], or
// no text if that is "". A number without a text is written as kind(number).
func CheckTexts[E Enum, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, kind string, texts ...string) {
	t.Helper()
	for i, text := range texts {
		if text != "" {
			declared[E, P](t, E(i), text) //nolint:gosec // a handful
		}
	}
	if texts[0] == "" {
		undeclared(t, E(0), "undeclared")
	}
	beyond := len(texts)
	undeclared(t, E(beyond), fmt.Sprintf("%s(%d)", kind, beyond)) //nolint:gosec // a handful
	undeclared(t, E(255), kind+"(255)")
	last := texts[beyond-1]
	for _, text := range []string{
		"", "undeclared", kind + "(1)", "1", "hunter2", strings.ToUpper(last), " " + last, last + " ",
		strings.ReplaceAll(last, "-", "_") + "_",
	} {
		unknown[E, P](t, text, texts)
	}
}

func declared[E Enum, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, v E, text string) {
	t.Helper()
	assert.Equal(t, text, v.String())
	if worded, ok := any(v).(fmt.GoStringer); ok {
		assert.Equal(t, fmt.Sprintf("%T(%s)", v, text), worded.GoString(), "a failing test has the word")
	}
	got, err := v.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, text, string(got))
	read := E(255)
	require.NoError(t, P(&read).UnmarshalText([]byte(text)))
	assert.Equal(t, v, read)
	assert.Contains(t, All[E](), v)
	if valid, ok := any(v).(interface{ IsValid() bool }); ok {
		assert.True(t, valid.IsValid(), text)
	}
}

func undeclared[E Enum](t *testing.T, v E, text string) {
	t.Helper()
	assert.Equal(t, text, v.String())
	_, err := v.MarshalText()
	require.Error(t, err, text)
	_, err = json.Marshal([]E{v})
	require.Error(t, err, text)
	if valid, ok := any(v).(interface{ IsValid() bool }); ok {
		assert.False(t, valid.IsValid(), text)
	}
	if v == 0 {
		data, err := json.Marshal(struct {
			V E `json:"v,omitzero"`
		}{v})
		require.NoError(t, err)
		assert.Equal(t, "{}", string(data), "a document leaves an undeclared value out")
	}
}

func unknown[E Enum, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, text string, texts []string) {
	t.Helper()
	read := E(255)
	err := P(&read).UnmarshalText([]byte(text))
	require.Error(t, err, "%q", text)
	assert.Equal(t, E(255), read, "%q leaves the receiver unchanged", text)
	assert.NotContains(t, err.Error(), "hunter2")
	for _, allowed := range texts {
		assert.ErrorContains(t, err, allowed)
	}
}

// All returns the values of T that have a text, in ascending order.
func All[T interface {
	~uint8
	encoding.TextMarshaler
}]() []T {
	var all []T
	for v := range math.MaxUint8 + 1 {
		if _, err := T(v).MarshalText(); err == nil { //nolint:gosec // at most 255
			all = append(all, T(v)) //nolint:gosec // at most 255
		}
	}
	return all
}
