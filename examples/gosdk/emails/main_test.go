package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
)

func TestMain(m *testing.M) { exampletest.Main(m, run, "-names", "dotted") }

const dinner = `{"to":["anna@example.com"],"subject":"Dinner","body":"Eight?"}`

func TestEmails_KnowsItsCallersOverBothTransports(t *testing.T) {
	t.Parallel()
	url := exampletest.Serve(t)
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			assert.Equal(t, []string{"contacts.search"}, exampletest.Names(t, exampletest.As(t, url, "bob", era)))
			assert.Empty(t, exampletest.Names(t, exampletest.As(t, url, "mallory", era)))
			assert.Len(t, exampletest.Names(t, exampletest.Stdio(t, era)), 7)
			assert.Equal(t, []string{"contacts.search"}, exampletest.Names(t, exampletest.Stdio(t, era, "-permissions", "contacts:read")))
			_, outcome := exampletest.Call(t, exampletest.As(t, url, "bob", era), "emails.create_draft", dinner)
			assert.Equal(t, contract.CodePermissionDenied, outcome.Code)
		})
	}
}

// A server that is killed has lost nothing: the next one replays the result for
// the same key.
func TestEmails_AKeyOutlivesAKilledServer(t *testing.T) {
	t.Parallel()
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			store := redistest.Start(t)
			p := exampletest.Start(t, "-store", store)
			first, outcome := exampletest.CallKeyed(t, exampletest.As(t, p.URL, "alice", exampletest.Modern),
				"emails.create_draft", dinner, "k1")
			require.Equal(t, contract.StatusOK, outcome.Status)
			p.Kill(t)
			next := exampletest.As(t, exampletest.Serve(t, "-store", store), "alice", era)
			again, outcome := exampletest.CallKeyed(t, next, "emails.create_draft", dinner, "k1")
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			assert.Equal(t, exampletest.Text(t, first), exampletest.Text(t, again))
			_, outcome = exampletest.CallKeyed(t, next, "emails.create_draft", strings.Replace(dinner, "Eight", "Nine", 1), "k1")
			assert.Equal(t, contract.CodeKeyConflict, outcome.Code)
		})
	}
}

func TestEmails_AuditLogCanBeVerified(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/audit.jsonl"
	p := exampletest.Start(t, "-audit", path)
	exampletest.Call(t, exampletest.As(t, p.URL, "alice", exampletest.Modern), "emails.create_draft", dinner)
	_, head, found := strings.Cut(p.Terminate(t), "head of the audit log: ")
	require.True(t, found)
	out, err := exampletest.Command(t, "-verify-audit", path, "-head", strings.TrimSpace(head)).Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "1 record ")
}
