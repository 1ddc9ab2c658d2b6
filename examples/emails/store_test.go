package main

import (
	"encoding/base64"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
)

// refused runs the server, which must not start, and returns its stderr.
func refused(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exampletest.Command(t, args...)
	cmd.Env = append(cmd.Env, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 2, exit.ExitCode())
	assert.Empty(t, string(out))
	return stderr.String()
}

func TestStore_ThatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	const unused = "127.0.0.1:1"
	tests := []struct {
		name, url string
		env       []string
		stderr    string
	}{
		{"no URL", "", nil, "the value is empty"},
		{"another kind of store", "postgres://127.0.0.1/x", nil, "-store"},
		{"no server", "redis://:hunter2@" + unused, nil, "-store"},
		{"a sealing key that is too short", "redis://" + unused, []string{sealingKey + "=aHVudGVyMg=="}, sealingKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stderr := refused(t, tt.env, "-store", tt.url)
			assert.Contains(t, stderr, tt.stderr)
			assert.NotContains(t, stderr, "hunter2")
			assert.NotContains(t, stderr, "aHVudGVyMg")
		})
	}
}

func TestStore_IsSharedByTwoServers(t *testing.T) {
	t.Parallel()
	store := redistest.Start(t)
	one, two := exampletest.Serve(t, "-store", store), exampletest.Serve(t, "-store", store)
	for _, era := range exampletest.Eras() {
		t.Run(era, func(t *testing.T) {
			first, outcome := draft(t, exampletest.As(t, one, "alice", era), dinner, era)
			assert.Equal(t, contract.StatusOK, outcome.Status)
			second := exampletest.As(t, two, "alice", era)
			again, outcome := draft(t, second, dinner, era)
			assert.Equal(t, contract.StatusReplayed, outcome.Status, "each server replays the results of the other")
			assert.Equal(t, first, again)
			_, outcome = draft(t, second, lunch, era)
			assert.Equal(t, contract.CodeKeyConflict, outcome.Code)
			other, outcome := draft(t, second, dinner, era+" again")
			assert.Equal(t, contract.StatusOK, outcome.Status)
			assert.NotEqual(t, first, other)
		})
	}
}

func TestStore_OutlivesTheServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*testing.T, *exampletest.Process)
	}{
		{"SIGTERM", func(t *testing.T, p *exampletest.Process) { t.Helper(); p.Terminate(t) }},
		{"SIGKILL", func(t *testing.T, p *exampletest.Process) { t.Helper(); p.Kill(t) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := redistest.Start(t)
			p := exampletest.Start(t, "-store", store)
			first, outcome := draft(t, exampletest.As(t, p.URL, "alice", exampletest.Modern), dinner, "k1")
			assert.Equal(t, contract.StatusOK, outcome.Status)
			tt.end(t, p)
			again, outcome := draft(t, exampletest.As(t, exampletest.Serve(t, "-store", store), "alice", exampletest.Modern), dinner, "k1")
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			assert.Equal(t, first, again)
		})
	}
}

func TestStore_SeparatesTheLocalUserFromAlice(t *testing.T) {
	t.Parallel()
	store := redistest.Start(t)
	first, outcome := draft(t, exampletest.Stdio(t, exampletest.Modern, "-store", store), dinner, "k1")
	assert.Equal(t, contract.StatusOK, outcome.Status)
	again, outcome := draft(t, exampletest.Stdio(t, exampletest.Legacy, "-store", store), dinner, "k1")
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.Equal(t, first, again)
	hers, outcome := draft(t, exampletest.As(t, exampletest.Serve(t, "-store", store), "alice", exampletest.Modern), dinner, "k1")
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.NotEqual(t, first, hers)
}

func TestStore_WarnsWithoutASealingKey(t *testing.T) {
	t.Parallel()
	store := redistest.Start(t)
	p := exampletest.Start(t, "-store", store)
	assert.Contains(t, p.Terminate(t), sealingKey)

	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	cmd := exampletest.Command(t, "-store", store)
	cmd.Env = append(cmd.Env, sealingKey+"="+key)
	cmd.Stdin = strings.NewReader("")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run())
	assert.NotContains(t, stderr.String(), sealingKey)
}
