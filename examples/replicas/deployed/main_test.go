package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

func TestMain(m *testing.M) { exampletest.Main(m, run) }

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

func found(t *testing.T, pattern, text string) []string {
	t.Helper()
	all := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, all, pattern)
	values := make([]string, len(all))
	for i, one := range all {
		values[i] = one[1]
	}
	return values
}

// The server runs with the command of the container and the environment of the
// deployment. It answers health checks by address, and clients at the address
// that the proxy passes on.
func TestDeployed_AnswersHealthChecksAndClientsOfTheProxy(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "sealing-keys")
	key := base64.StdEncoding.EncodeToString(make([]byte, 32))
	require.NoError(t, os.WriteFile(keys, []byte(key+"\n"+key[:42]+"E=\n"), 0o600))
	deployment := file(t, "deployment.yaml")
	for _, name := range []string{"ISSUER", "ISSUER_KEYS"} {
		t.Setenv(name, found(t, `name: `+name+`, value: ([^}]+)}`, deployment)[0])
	}
	t.Setenv("SEALING_KEYS_FILE", keys)
	t.Setenv("REDIS_URL", "redis://127.0.0.1:1") // a server without Redis starts, and warns
	var args []string
	require.NoError(t, json.Unmarshal([]byte(found(t, `(?m)^CMD (.+)$`, file(t, "Dockerfile"))[0]), &args))
	port := freePort(t)
	for i, one := range args {
		args[i] = strings.Replace(one, ":8080", ":"+port, 1)
	}
	cmd := exampletest.Command(t, args...)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "listening on ") { // after the lines of the client of Redis
	}
	assert.Equal(t, "listening on https://example.com/payments/mcp", lines.Text())

	type answer struct {
		status int
		header http.Header
		body   string
	}
	send := func(host, path string) answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+path, nil)
		require.NoError(t, err)
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return answer{resp.StatusCode, resp.Header, string(body)}
	}
	for _, check := range found(t, `httpGet: {path: (\S+),`, deployment) {
		assert.Equal(t, http.StatusOK, send("10.0.0.7:8080", check).status, check)
	}
	refused := send("example.com", "/payments/mcp")
	assert.Equal(t, http.StatusUnauthorized, refused.status)
	metadata := "/.well-known/oauth-protected-resource/payments/mcp"
	assert.Contains(t, refused.header.Get("WWW-Authenticate"), `"https://example.com`+metadata+`"`)
	assert.Contains(t, send("example.com", metadata).body, `"resource":"https://example.com/payments/mcp"`)
	assert.Equal(t, http.StatusMisdirectedRequest, send("payments:8080", "/payments/mcp").status, "the proxy must pass the Host on")
	for name, pattern := range map[string]string{"nginx.conf": `location (\S+)`, "Caddyfile": `handle (\S+)\*`} {
		passed := found(t, pattern, file(t, name))
		for _, path := range []string{"/payments/mcp", metadata} {
			assert.Condition(t, func() bool {
				for _, prefix := range passed {
					if strings.HasPrefix(path, prefix) {
						return true
					}
				}
				return false
			}, "%s does not pass %s on", name, path)
		}
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_, err = io.Copy(io.Discard, stderr)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
}

// A pod gets SIGKILL at the end of its grace period, which begins before the
// hook.
func TestDeployed_EndsWithinItsGracePeriod(t *testing.T) {
	t.Parallel()
	deployment := file(t, "deployment.yaml")
	seconds := func(pattern, text string) time.Duration {
		n, err := strconv.Atoi(found(t, pattern, text)[0])
		require.NoError(t, err)
		return time.Duration(n) * time.Second
	}
	grace := seconds(`terminationGracePeriodSeconds: (\d+)`, deployment)
	hook := seconds(`sleep: {seconds: (\d+)}`, deployment)
	drain := seconds(`Drain: (\d+) \* time\.Second`, file(t, "main.go"))
	assert.Greater(t, drain, seconds(`Timeout\((\d+) \* time\.Second`, file(t, "main.go")))
	const others = 14 * time.Second // serve: the audit log, the last answers, streams
	assert.Greater(t, grace, hook+drain+others)
}

func TestSealingKeys_AreOneToALine(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(name, []byte("bmV3\n\nb2xk\n"), 0o600))
	keys, err := sealingKeys(name)
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte("new"), []byte("old")}, keys)
	for _, wrong := range []string{"", "\n", "not a key"} {
		require.NoError(t, os.WriteFile(name, []byte(wrong), 0o600))
		_, err = sealingKeys(name)
		require.ErrorContains(t, err, "SEALING_KEYS_FILE")
		assert.NotContains(t, err.Error(), "not a key")
	}
}

// freePort returns an unused port. Systems assign ephemeral ports only above
// 32,000, so no connection takes it before the server does.
func freePort(t *testing.T) string {
	t.Helper()
	for {
		port := strconv.Itoa(10_000 + rand.IntN(2_000))
		if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
}
