package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// A clockedPost is a Post behind a guard. The Post and the guard's store have
// separate clocks, which stand still until a test moves them.
type clockedPost struct {
	t            *testing.T
	post         *Post
	table        *adapter.Table
	here, stored time.Time
}

func newClockedPost(t *testing.T) *clockedPost {
	t.Helper()
	now := time.Now()
	d := &clockedPost{t: t, here: now, stored: now}
	d.post = &Post{clock: func() time.Time { return d.here }}
	memory, err := store.NewMemory(store.WithClock(func() time.Time { return d.stored }))
	require.NoError(t, err)
	alice := guard.Principal{Issuer: "test", Subject: "alice", Permissions: []string{"files:share", "emails:draft"}}
	g, err := guard.New(guard.WithStore(memory),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	tools, err := d.post.Tools()
	require.NoError(t, err)
	d.table, err = adapter.NewTable(g, adapter.Config{Tools: tools})
	require.NoError(t, err)
	return d
}

func (d *clockedPost) link(fileID string, expiresAt time.Time) (LinkOutput, contract.Outcome) {
	d.t.Helper()
	r, err := d.table.Call(d.t.Context(), d.table.Entry("files_create_download_link"), adapter.Request{
		Arguments: json.RawMessage(fmt.Sprintf(`{"fileId":%q,"expiresAt":%q}`, fileID, expiresAt.Format(time.RFC3339Nano))),
	})
	require.NoError(d.t, err)
	var out LinkOutput
	if !r.IsError {
		require.NoError(d.t, json.Unmarshal(r.Structured, &out))
	}
	return out, *r.Outcome
}

func TestLinks_AreReplayedWhileTheyAreValid(t *testing.T) {
	t.Parallel()
	d := newClockedPost(t)
	end := d.here.Add(time.Hour)
	first, outcome := d.link("f_abc123", end)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.True(t, end.Equal(first.ExpiresAt))
	assert.Equal(t, "https://files.example.com/"+first.LinkID, first.URL)

	d.stored = end.Add(-time.Minute)
	second, outcome := d.link("f_abc123", end)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, first, second)
	assert.Equal(t, 1, d.post.Links())

	// The link expires by the clock of the store, long before the retention of
	// the contract ends.
	d.stored = end.Add(time.Second)
	third, outcome := d.link("f_abc123", end)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.NotEqual(t, first.LinkID, third.LinkID)
	assert.Equal(t, 2, d.post.Links())

	// The link also expires by the clock of the mail system, which refuses to
	// create an expired link.
	d.here, d.stored = end.Add(2*time.Hour), end.Add(2*time.Hour)
	for range 2 { // a refusal is not recorded
		_, outcome = d.link("f_abc123", end)
		assert.Equal(t, contract.StatusError, outcome.Status)
		assert.Equal(t, "expires_in_past", outcome.Code)
	}
	assert.Equal(t, 2, d.post.Links())
}

func TestLinks_DifferByFileAndExpiry(t *testing.T) {
	t.Parallel()
	d := newClockedPost(t)
	end := d.here.Add(time.Hour)
	ids := map[string]bool{}
	for _, call := range []struct {
		file string
		end  time.Time
	}{{"f_a", end}, {"f_b", end}, {"f_a", end.Add(time.Second)}} {
		out, outcome := d.link(call.file, call.end)
		assert.Equal(t, contract.StatusOK, outcome.Status)
		ids[out.LinkID] = true
	}
	assert.Len(t, ids, 3)
}

func TestLinks_MustExpireInTheFuture(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		end  time.Time
		ok   bool
	}{
		{"an hour ago", now.Add(-time.Hour), false},
		{"now", now, false},
		{"in two seconds", now.Add(2 * time.Second), true},
		{"an hour ago in another time zone", now.Add(-time.Hour).In(time.FixedZone("", 7*3600)), false},
		{"in an hour in another time zone", now.Add(time.Hour).In(time.FixedZone("", -7*3600)), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			post := &Post{clock: func() time.Time { return now }}
			out, err := post.createDownloadLink(t.Context(), LinkInput{FileID: "f_a", ExpiresAt: tt.end})
			if tt.ok {
				require.NoError(t, err)
				assert.True(t, tt.end.Equal(out.ExpiresAt))
				assert.Equal(t, 1, post.Links())
				return
			}
			require.ErrorIs(t, err, ErrExpiresInPast)
			failure, ok := errors.AsType[*contract.Error](err)
			require.True(t, ok)
			assert.Equal(t, "/expiresAt", failure.Pointer())
			assert.Zero(t, post.Links())
		})
	}
}
