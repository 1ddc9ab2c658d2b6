package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/store"
)

// kinds returns the kinds of the events of a log.
func kinds(t *testing.T, log string) (all []audit.Kind) {
	t.Helper()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var e audit.Event
		require.NoError(t, json.Unmarshal(line, &e))
		all = append(all, e.Kind)
	}
	return all
}

// The intent is on disk before the change is made. If the intent cannot be
// written, the change isn't made.
func TestRecord_WritesTheIntentBeforeTheChange(t *testing.T) {
	t.Parallel()
	r := record{log: filepath.Join(t.TempDir(), "audit.jsonl"), operator: "carol"}
	var want []audit.Kind
	for _, failed := range []error{nil, store.ErrNotUnknown} {
		err := r.run(t.Context(), audit.Event{AuditEvent: "state.changed"}, func() error {
			want = append(want, audit.Intent)
			assert.Equal(t, want, kinds(t, r.log))
			return failed
		})
		require.ErrorIs(t, err, failed)
		want = append(want, audit.Terminal)
		assert.Equal(t, want, kinds(t, r.log))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	err := r.run(cancelled, audit.Event{AuditEvent: "state.changed"}, func() error {
		t.Error("the change was made")
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, want, kinds(t, r.log))
}
