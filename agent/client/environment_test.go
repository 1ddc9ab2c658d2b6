package client_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// environmentOf returns the environment that a server over stdio reports, and
// whether a variable appears in it twice.
func environmentOf(t *testing.T, env ...string) (got map[string]string, twice bool) {
	t.Helper()
	command := stdio("environment")
	command.Env = append([]string{serveStdio + "=environment"}, env...)
	raw, err := newClient(t, command).Call(t.Context(), client.CallParams{Name: "get-env"})
	require.NoError(t, err)
	var result struct {
		Structured struct{ Env []string } `json:"structuredContent"`
	}
	require.NoError(t, json.Unmarshal(raw, &result))
	got = map[string]string{}
	for _, variable := range result.Structured.Env {
		name, value, _ := strings.Cut(variable, "=")
		if _, stands := got[name]; stands {
			twice = true
		}
		got[name] = value
	}
	return got, twice
}

// A server over stdio that reports its environment unasked has none of the
// secrets of the process that started it.
func TestThreat190_AServerOverStdioGetsNoSecretsFromTheEnvironment(t *testing.T) {
	t.Setenv("GATEWAY_SEALING_KEY", "secret")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("https_proxy", "http://user:secret@127.0.0.1:1")
	t.Setenv("LD_PRELOAD", "")
	t.Setenv("TZ", "Europe/Paris")
	for name, env := range map[string][]string{"nothing named": nil, "one named": {"CRM_TOKEN=for the server"}} {
		got, twice := environmentOf(t, env...)
		for _, secret := range []string{"GATEWAY_SEALING_KEY", "AWS_SECRET_ACCESS_KEY", "https_proxy", "LD_PRELOAD"} {
			_, leaks := got[secret] // the message must not print the environment
			assert.False(t, leaks, "%s: %s", name, secret)
		}
		assert.Equal(t, os.Getenv("PATH"), got["PATH"], name)
		assert.Equal(t, os.Getenv("HOME"), got["HOME"], name)
		assert.Equal(t, "Europe/Paris", got["TZ"], name)
		assert.False(t, twice, name)
		assert.Equal(t, len(env) > 0, got["CRM_TOKEN"] == "for the server", name)
	}
}

func TestCommand_ANamedVariableOverridesASafeOne(t *testing.T) {
	t.Parallel()
	got, twice := environmentOf(t, "PATH=/opt/server/bin", "HOME=")
	assert.Equal(t, "/opt/server/bin", got["PATH"])
	assert.Empty(t, got["HOME"])
	assert.False(t, twice)
}
