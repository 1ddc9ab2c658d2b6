package audit_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

func TestRecorder_EventsSelectsKinds(t *testing.T) {
	t.Parallel()
	r := &audit.Recorder{}
	assert.Empty(t, r.Events())
	want := []audit.Event{
		numbered(audit.Intent, 1), numbered(audit.Terminal, 1), numbered(audit.Asked, 2), numbered(audit.Terminal, 2),
	}
	for _, e := range want {
		require.NoError(t, r.Write(t.Context(), e))
	}
	assert.Equal(t, want, r.Events())
	assert.Equal(t, []audit.Event{want[1], want[3]}, r.Events(audit.Terminal))
	assert.Equal(t, want[:3], r.Events(audit.Intent, audit.Asked, audit.Terminal)[:3])
	assert.Empty(t, r.Events(audit.Late))
	r.Events()[0].Tool = "changed"
	assert.Equal(t, want, r.Events(), "the slice is a copy")
}

func ExampleRecorder() {
	var log audit.Recorder
	// A guard of the test would write to it: guard.WithAudit(&log).
	for _, e := range []audit.Event{
		{Time: time.Now(), Kind: audit.Intent, Tool: "mail.send", Decision: audit.Allow},
		{Time: time.Now(), Kind: audit.Terminal, Tool: "mail.send", Decision: audit.Allow, Status: "ok"},
	} {
		if err := log.Write(context.Background(), e); err != nil {
			fmt.Println(err)
		}
	}
	for _, e := range log.Events(audit.Terminal) {
		fmt.Println(e.Tool, e.Decision, e.Status)
	}
	// Output: mail.send allow ok
}
