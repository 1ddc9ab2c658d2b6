package corpus_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// The default list has a summary of each contract, and every model pays for it.
func TestSummaries_HaveAtMost450BytesOnAverage(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/recordings/snapshots/*.json")
	require.NoError(t, err)
	summaries := map[string]int{}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		var snapshot struct{ Tools []contract.Document }
		require.NoError(t, json.Unmarshal(raw, &snapshot))
		for _, document := range snapshot.Tools {
			summary, err := json.Marshal(document.Summary())
			require.NoError(t, err)
			summaries[document.Name] = len(summary)
		}
	}
	require.Greater(t, len(summaries), 20)
	total := 0
	for _, size := range summaries {
		total += size
	}
	assert.LessOrEqual(t, total/len(summaries), 450)
}
