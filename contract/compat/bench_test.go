package compat_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
)

// manyTools returns n tools with different names.
func manyTools(tb testing.TB, n int) []*contract.Tool {
	tb.Helper()
	tools := make([]*contract.Tool, n)
	for i := range tools {
		tool, err := complete(contract.New(fmt.Sprintf("notes.write%d", i), note)).Effect(2).Permissions("notes:write").Build()
		require.NoError(tb, err)
		tools[i] = tool
	}
	return tools
}

func BenchmarkSnapshot(b *testing.B) {
	tools := manyTools(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		s, err := compat.NewSnapshot(tools...)
		require.NoError(b, err)
		text, err := s.Text()
		require.NoError(b, err)
		_, err = compat.ParseSnapshot(text)
		require.NoError(b, err)
		_, err = s.Digest()
		require.NoError(b, err)
	}
}

func BenchmarkDiff(b *testing.B) {
	old, err := compat.NewSnapshot(manyTools(b, 1000)...)
	require.NoError(b, err)
	now := compat.Snapshot{Format: old.Format}
	for _, d := range old.Tools {
		d = d.Clone()
		d.Permissions = append(d.Permissions, "notes:admin")
		d.InputSchema = []byte(`{"type":"object","properties":{"text":{"type":"string","maxLength":10},"copy":{"type":"string",` +
			`"default":""}},"required":["text","copy"],"additionalProperties":false}`)
		now.Tools = append(now.Tools, d)
	}
	b.ReportAllocs()
	for b.Loop() {
		require.Len(b, compat.Diff(old, now), 4000)
	}
}
