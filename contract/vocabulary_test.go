package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

type (
	taggedMistakes struct {
		_ contract.Tags `name:"notes.write" description:"Writes." version:"1.0.0" effect:"low-risk-write" trust:"trusted" timeout:"-1s" rateLimit:"0/1m" retryBudget:"0/1m"`
	}
	unreadableRate struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only" trust:"trusted" rateLimit:"twenty a minute"`
	}
	unknownKeys struct {
		_ contract.Tags `name:"notes.read" description:"Reads." version:"1.0.0" effect:"read-only" trust:"trusted" tiemout:"5s" permisions:"a"`
	}
)

func remedies(t *testing.T, b buildable) []string {
	t.Helper()
	_, err := b.Build()
	var all []string
	for _, e := range contract.DeclarationErrors(err) {
		all = append(all, e.Where+": "+e.Message+"; "+e.Remedy)
	}
	require.NotEmpty(t, all)
	return all
}

func TestRemedies_UseTheVocabularyOfTags(t *testing.T) {
	t.Parallel()
	found := remedies(t, tagged[taggedMistakes]())
	require.Len(t, found, 4)
	assert.Contains(t, found[0], `permissions:"`)
	assert.Contains(t, found[1], `rateLimit:"20/1m"`)
	assert.Contains(t, found[2], `retryBudget:"3/5m"`)
	assert.Contains(t, found[3], `timeout:"5s"`)
	assert.Contains(t, remedies(t, reading().Timeout(-1))[0], "Timeout(5*time.Second)")
}

func TestTags_ShowAValueThatCannotBeRead(t *testing.T) {
	t.Parallel()
	assert.Contains(t, remedies(t, tagged[unreadableRate]())[0], `"twenty a minute"`)
}

func TestTags_ListKnownKeysOnce(t *testing.T) {
	t.Parallel()
	found := remedies(t, tagged[unknownKeys]())
	require.Len(t, found, 2)
	assert.Contains(t, found[0], "known keys are")
	assert.Contains(t, found[1], "did you mean permissions?")
	assert.NotContains(t, found[1], "known keys are")
}

func TestConfirmation_OfARestrictedToolWithoutAnEffect(t *testing.T) {
	t.Parallel()
	b := complete(contract.New("notes.read",
		handler[noteInput, struct{}])).Risk(risk.Restricted).Permissions("notes:read").ConfirmNever("It only reads.")
	found := remedies(t, b)
	require.Len(t, found, 1)
	assert.Contains(t, found[0], "risk.ReadOnly")
	assert.NotContains(t, found[0], "critical")
}
