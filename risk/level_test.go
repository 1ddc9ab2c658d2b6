package risk_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
)

func ExampleLevel_AtLeast() {
	var undeclared risk.Level
	fmt.Println(risk.Medium.AtLeast(risk.High))
	fmt.Println(risk.Critical.AtLeast(risk.High))
	fmt.Println(undeclared.AtLeast(risk.High))
	// Output:
	// false
	// true
	// true
}

func TestLevelOrder(t *testing.T) {
	t.Parallel()
	ascending := risk.Levels()
	for i, l := range ascending {
		for j, threshold := range ascending {
			assert.Equal(t, i >= j, l.AtLeast(threshold), "%v.AtLeast(%v)", l, threshold)
		}
	}
	for _, unknown := range []risk.Level{risk.UndeclaredLevel, 7, 42, 255} {
		assert.True(t, unknown.AtLeast(risk.UndeclaredLevel), "%v", unknown)
		for _, l := range ascending {
			assert.True(t, unknown.AtLeast(l), "%v never compares as milder than %v", unknown, l)
			assert.False(t, l.AtLeast(unknown), "%v never reaches the threshold %v", l, unknown)
		}
	}
}

func TestLevelText(t *testing.T) {
	t.Parallel()
	texts := map[risk.Level]string{
		risk.Low: "low", risk.Medium: "medium", risk.High: "high", risk.Critical: "critical",
		risk.Restricted: "restricted", risk.Forbidden: "forbidden",
	}
	require.Len(t, risk.Levels(), len(texts))
	for _, l := range risk.Levels() {
		assert.True(t, l.IsValid())
		assert.False(t, l.IsZero())
		assert.Equal(t, texts[l], l.String())
		text, err := l.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, texts[l], string(text))
		var got risk.Level
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, l, got)
	}
	assert.Equal(t, "undeclared", risk.UndeclaredLevel.String())
	assert.Equal(t, "level(42)", risk.Level(42).String())
}

func TestLevelWithoutText(t *testing.T) {
	t.Parallel()
	for _, l := range []risk.Level{risk.UndeclaredLevel, 7, 255} {
		assert.False(t, l.IsValid())
		_, err := l.MarshalText()
		assert.Error(t, err, "%v", l)
	}
	for _, text := range []string{"", "Low", "LOW", " low", "low ", "undeclared", "level(1)", "1", "hunter2"} {
		l := risk.High
		err := l.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, risk.High, l, "%q leaves the receiver alone", text)
		for _, allowed := range risk.Levels() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestLevelIsOmittedFromJSONWhereUndeclared(t *testing.T) {
	t.Parallel()
	type document struct {
		Risk   risk.Level   `json:"risk,omitzero"`
		Levels []risk.Level `json:"levels,omitempty"`
	}
	empty, err := json.Marshal(document{})
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(empty))
	full, err := json.Marshal(document{risk.High, []risk.Level{risk.Low, risk.Forbidden}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"risk":"high","levels":["low","forbidden"]}`, string(full))
	_, err = json.Marshal([]risk.Level{risk.UndeclaredLevel})
	assert.Error(t, err)
	var read document
	assert.Error(t, json.Unmarshal([]byte(`{"risk":1}`), &read), "a number is no level")
}

func TestLevelsBelongToTheCaller(t *testing.T) {
	t.Parallel()
	risk.Levels()[0] = risk.Forbidden
	assert.Equal(t, risk.Low, risk.Levels()[0])
	risk.Effects()[0] = risk.Destructive
	assert.Equal(t, risk.ReadOnly, risk.Effects()[0])
}

// FuzzText holds that a text either is the one text of a value or leaves the receiver alone.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "low", "forbidden", "read-only", "destructive", "undeclared", "level(42)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		level, effect := risk.High, risk.PaidOperation
		if err := level.UnmarshalText([]byte(text)); err == nil {
			assert.Equal(t, text, level.String())
		} else {
			assert.Equal(t, risk.High, level)
		}
		if err := effect.UnmarshalText([]byte(text)); err == nil {
			assert.Equal(t, text, effect.String())
		} else {
			assert.Equal(t, risk.PaidOperation, effect)
		}
	})
}
