package contract_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

type (
	largeMetadata struct {
		_ contract.Tags `name:"notes.read" description:"Keeps a note." version:"1.0.0" effect:"read-only" trust:"trusted"`
		_ contract.Tags `metadata:"{\"n\":9007199254740993,\"u\":18446744073709551615,\"f\":2.5}"`
	}
	doubledMetadata struct {
		_ contract.Tags `name:"notes.read" description:"Keeps a note." version:"1.0.0" effect:"read-only" metadata:"{\"a\":1,\"a\":2}"`
	}
	hugeMetadata struct {
		_ contract.Tags `name:"notes.read" description:"Keeps a note." version:"1.0.0" effect:"read-only" metadata:"{\"a\":123456789012345678901}"`
	}
	nullMetadata struct {
		_ contract.Tags `name:"notes.read" description:"Keeps a note." version:"1.0.0" effect:"read-only" metadata:"null"`
	}
)

func TestMetadata_KeepsEveryInteger(t *testing.T) {
	t.Parallel()
	want := map[string]any{"n": int64(9007199254740993), "u": uint64(math.MaxUint64), "f": 2.5}
	for name, b := range map[string]buildable{
		"a tag": tagged[largeMetadata](),
		"verbs": reading().Metadata("n", 9007199254740993).Metadata("u", uint64(math.MaxUint64)).Metadata("f", 2.5),
	} {
		tool := build(t, b)
		assert.Equal(t, want, tool.Document().Metadata, name)
		data, err := json.Marshal(tool)
		require.NoError(t, err)
		var read contract.Document
		require.NoError(t, json.Unmarshal(data, &read))
		assert.Equal(t, tool.Document(), read, "%s, read as another's", name)
		parsed, err := contract.ParseDocument(data)
		require.NoError(t, err)
		assert.Equal(t, tool.Document(), parsed, "%s, read as one's own", name)
		digest, err := read.Digest()
		require.NoError(t, err)
		assert.Equal(t, tool.Digest(), digest, name)
	}
}

func TestMetadata_OfOtherIntegersHasAnotherDigest(t *testing.T) {
	t.Parallel()
	one := build(t, reading().Metadata("n", 9007199254740992))
	other := build(t, reading().Metadata("n", 9007199254740993))
	assert.NotEqual(t, one.Digest(), other.Digest())
}

func TestMetadata_OfATagHasOneMeaning(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]buildable{
		"a name twice":          tagged[doubledMetadata](),
		"an integer of 67 bits": tagged[hugeMetadata](),
		"null":                  tagged[nullMetadata](),
	} {
		assert.Equal(t, []string{"tag.value"}, mistakes(t, b), name)
	}
}

func TestDocument_RefusesMetadataOfTwoMeanings(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a name twice":          `{"format":1,"metadata":{"a":{"b":"s3cret","b":2}}}`,
		"an integer of 67 bits": `{"format":1,"metadata":{"a":123456789012345678901}}`,
	} {
		before := contract.Document{Name: "a.b"}
		d := before
		err := json.Unmarshal([]byte(text), &d)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "s3cret")
		assert.Equal(t, before, d, name)
	}
}
