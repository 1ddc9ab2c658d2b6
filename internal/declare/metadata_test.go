package declare_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/declare"
)

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("not plain") }

func TestPlainMetadata_LosesTypesAndKeepsIntegers(t *testing.T) {
	t.Parallel()
	type owner struct {
		Team string `json:"team"`
	}
	plain, err := declare.PlainMetadata(map[string]any{"owner": owner{"notes"}, "n": 9007199254740993, "u": uint64(math.MaxUint64)})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"owner": map[string]any{"team": "notes"}, "n": int64(9007199254740993),
		"u": uint64(math.MaxUint64)}, plain)
}

func TestPlainMetadata_RefusesValuesWithoutAJSONForm(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]any{"NaN": math.NaN(), "a channel": make(chan int), "a marshaler that panics": panics{}} {
		plain, err := declare.PlainMetadata(map[string]any{"v": value})
		require.Error(t, err, name)
		assert.Nil(t, plain, name)
	}
}

func TestParseMetadata_ReadsObjectsOnly(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `[]`, `{"a":1,"a":2}`, `{"a":123456789012345678901}`, ``} {
		_, err := declare.ParseMetadata([]byte(text))
		require.Error(t, err, text)
	}
}
