package enum_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
)

// A colour has an undeclared zero value, a speed does not.
type colour uint8

var colours = enum.Of[colour]("paint", "colour", "", "red", "pale blue")

func (c colour) String() string { return colours.String(c) }

func (c colour) GoString() string                 { return colours.GoString(c) }
func (c colour) MarshalText() ([]byte, error)     { return colours.Marshal(c) }
func (c *colour) UnmarshalText(text []byte) error { return colours.Unmarshal(c, text) }

type speed uint8

var speeds = enum.Of[speed]("drive", "speed", "slow", "fast")

func (s speed) String() string { return speeds.String(s) }

func (s speed) GoString() string                 { return speeds.GoString(s) }
func (s speed) MarshalText() ([]byte, error)     { return speeds.Marshal(s) }
func (s *speed) UnmarshalText(text []byte) error { return speeds.Unmarshal(s, text) }

func TestTexts_HasOneTextForEachValueAndNoneForOthers(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[colour](t, "colour", "", "red", "pale blue")
	enumtest.CheckTexts[speed](t, "speed", "slow", "fast")
}

func TestTexts_IsValidForValuesWithAText(t *testing.T) {
	t.Parallel()
	assert.False(t, colours.IsValid(0))
	assert.True(t, colours.IsValid(2))
	assert.False(t, colours.IsValid(3))
	assert.False(t, colours.IsValid(255))
	assert.True(t, speeds.IsValid(0))
}

func TestTexts_ErrorsNamePackageAndKind(t *testing.T) {
	t.Parallel()
	_, err := colours.Marshal(42)
	require.EqualError(t, err, "paint: colour 42 has no text")
	_, err = colours.Marshal(0)
	require.EqualError(t, err, "paint: colour 0 has no text")
	var c colour
	require.EqualError(t, colours.Unmarshal(&c, []byte("hunter2")), "paint: unknown colour: allowed are red, pale blue")
	require.EqualError(t, colours.Unmarshal(&c, nil), "paint: unknown colour: allowed are red, pale blue")
}

func TestUnmarshal_SuggestsTheTextThatWasMeant(t *testing.T) {
	t.Parallel()
	for text, nearest := range map[string]string{"rde": "red", "RED": "red", "pale-blue": "pale blue", "green": "", "": ""} {
		var c colour
		unknown, ok := errors.AsType[*enum.UnknownError](colours.Unmarshal(&c, []byte(text)))
		require.True(t, ok, text)
		assert.Equal(t, nearest, unknown.Nearest, text)
	}
}

func TestAll_ListsTheValuesWithAText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []colour{1, 2}, enumtest.All[colour]())
	assert.Equal(t, []speed{0, 1}, enumtest.All[speed]())
}

// FuzzUnmarshal checks that a text is either the text of a value, or leaves the
// receiver unchanged.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{"", "red", "pale blue", "undeclared", "colour(42)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := colour(42)
		if err := colours.Unmarshal(&c, []byte(text)); err != nil {
			assert.Equal(t, colour(42), c)
			return
		}
		assert.Equal(t, text, colours.String(c))
	})
}
