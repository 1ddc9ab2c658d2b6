package host_test

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/host"
)

// Each pointer repeats the names above it, so together they may be far longer
// than the list.
func TestThreat200_PointersOfDeepSchemasAreBounded(t *testing.T) {
	hosts, err := host.Find("")
	require.NoError(t, err)
	nested := func(levels int, name string) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"type":"object","properties":{"`+name+`":`, levels) + `{"type":"string"}` +
			strings.Repeat("}}", levels))
	}
	tool := func(s json.RawMessage) json.RawMessage {
		raw, err := json.Marshal(map[string]any{"name": "deep", "description": "A tool.", "inputSchema": s})
		require.NoError(t, err)
		return raw
	}
	many := func(n int, raw json.RawMessage) (all []json.RawMessage) {
		for range n {
			all = append(all, raw)
		}
		return all
	}
	for name, test := range map[string]struct {
		tools   []json.RawMessage
		refused bool
	}{
		"one tool below long names": {many(1, tool(nested(2000, strings.Repeat("x", 1000)))), true},
		"short names":               {many(1, tool(nested(3000, "x"))), true},
		"many tools":                {many(40, tool(nested(700, "x"))), true},
		"a usual tool":              {many(1, tool(nested(20, strings.Repeat("x", 20)))), false},
	} {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		size := 0
		for _, raw := range test.tools {
			size += len(raw)
		}
		found := host.Lint(host.Server{Tools: test.tools}, hosts...)
		runtime.ReadMemStats(&after)
		refused := slices.ContainsFunc(found, func(f host.Finding) bool { return f.Rule == "host.list.unreadable" })
		assert.Equal(t, test.refused, refused, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1000*size+(200<<20)), name)
	}
}
