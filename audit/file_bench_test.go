package audit_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

// BenchmarkFileSink measures the events per second of a log file. One writer
// waits for each event. Many writers share writes and syncs.
func BenchmarkFileSink(b *testing.B) {
	for _, bench := range []struct {
		name    string
		kind    audit.Kind
		writers int // for each processor
	}{
		{"sync later, one writer", audit.Terminal, 0},
		{"sync later, many writers", audit.Terminal, 64},
		{"intents, one writer", audit.Intent, 0},
		{"intents, many writers", audit.Intent, 64},
	} {
		b.Run(bench.name, func(b *testing.B) {
			sink, err := audit.OpenFile(filepath.Join(b.TempDir(), "audit.jsonl"))
			require.NoError(b, err)
			e := numbered(bench.kind, 1)
			write := func() {
				if err := sink.Write(b.Context(), e); err != nil {
					b.Error(err)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			if bench.writers == 0 {
				for range b.N {
					write()
				}
			} else {
				b.SetParallelism(bench.writers)
				b.RunParallel(func(p *testing.PB) {
					for p.Next() {
						write()
					}
				})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			require.NoError(b, sink.Close())
		})
	}
}
