package diff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/schema/diff"
)

// A schema that applies itself by an anyOf, and has keywords of its own, is in
// one more part of each list of alternatives.
func TestCompare_IsBoundedForASchemaThatAppliesItself(t *testing.T) {
	t.Parallel()
	const old = `{"anyOf": [{"$ref": "#"}, {"type": "string"}, {"enum": [1, 2], "maximum": 2}], "maximum": 3, "type": "integer"}`
	const now = `{"anyOf": [{"$ref": "#"}, {"type": "string"}, {"enum": [1, 2], "maximum": 2}], "maximum": 4, "type": "integer"}`
	started := time.Now()
	findings := diff.Compare([]byte(old), []byte(now))
	assert.Less(t, time.Since(started), 20*time.Second)
	assert.NotEmpty(t, findings)
}
