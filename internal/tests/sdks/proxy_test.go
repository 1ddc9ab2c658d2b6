package sdks_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// nginxSettings are the defaults, but for the time without a byte after which
// nginx gives up, and its files. One process is easier to end.
const nginxSettings = `daemon off;
master_process off;
pid nginx.pid;
events {}
http {
	access_log off;
	client_body_temp_path body;
	proxy_temp_path proxy;
	fastcgi_temp_path fastcgi;
	uwsgi_temp_path uwsgi;
	scgi_temp_path scgi;
	server {
		listen %s;
		proxy_read_timeout 3s;
		location ~ ^/([0-9]+)(/.*)$ {
			proxy_pass http://127.0.0.1:$1$2;
		}
	}
}
`

// freeAddress returns an address for nginx. Systems assign ephemeral ports only
// above 32,000, so no connection takes it before nginx does.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(9_000+rand.IntN(1_000)))
		if l, err := net.Listen("tcp", address); err == nil {
			require.NoError(t, l.Close())
			return address
		}
	}
}

// behindNginx starts nginx. The function returns the address of an HTTP server
// behind it.
func behindNginx(t *testing.T) func(server string) string {
	t.Helper()
	program := os.Getenv("TOOLCONTRACT_NGINX")
	if program == "" {
		t.Skip("TOOLCONTRACT_NGINX names no program; .ci/proxy sets it")
	}
	address := freeAddress(t)
	folder := t.TempDir()
	settings := filepath.Join(folder, "nginx.conf")
	require.NoError(t, os.WriteFile(settings, fmt.Appendf(nil, nginxSettings, address), 0o600))
	nginx := exec.CommandContext(context.WithoutCancel(t.Context()), program, "-p", folder, "-c", settings, "-e", "stderr")
	nginx.Stderr = t.Output()
	require.NoError(t, nginx.Start())
	t.Cleanup(func() {
		_ = nginx.Process.Kill()
		_ = nginx.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 10*time.Second, 20*time.Millisecond)
	return func(server string) string {
		u, err := url.Parse(server)
		require.NoError(t, err)
		return "http://" + address + "/" + u.Port() + u.Path
	}
}

// A tool and a person who are quiet for longer than nginx waits get their
// answers through, because of the comments alone.
func TestBehindNginx_AQuietCallKeepsItsConnection(t *testing.T) {
	t.Parallel()
	const quiet = 8 * time.Second
	behind := behindNginx(t)
	comments := make(chan struct{})
	waiting := func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(quiet):
		}
	}
	each := func(name string, f func(*testing.T, sdk, era)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range all {
				for _, e := range []era{legacy, modern} {
					t.Run(s.Name()+" "+string(e), func(t *testing.T) {
						t.Parallel()
						f(t, s, e)
					})
				}
			}
		})
	}
	each("a tool", func(t *testing.T, s sdk, e era) {
		k := serveKeptAlive(t, s, time.Second, comments, slow(waiting))
		c := s.Client(t, endpoint{url: behind(k.url)}, e, nil)
		raw, err := c.Call(t.Context(), "notes.wait", map[string]any{})
		require.NoError(t, err)
		assert.Contains(t, firstText(t, raw), "done")
	})
	each("a question", func(t *testing.T, s sdk, e era) {
		n := new(tools)
		k := serveKeptAlive(t, s, time.Second, comments, n.Send())
		p := whoAgrees()
		agrees := p.answer
		p.answer = func(ctx context.Context, q question) answer {
			waiting(ctx)
			return agrees(ctx, q)
		}
		c := s.Client(t, endpoint{url: behind(k.url), token: "alice"}, e, p)
		raw, err := c.Call(t.Context(), "notes.send", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.EqualValues(t, 1, n.Notes.Load(), raw)
	})
	each("the first comment, at once", func(t *testing.T, s sdk, e era) {
		k := serveKeptAlive(t, s, time.Second, comments, slow(func(ctx context.Context) { <-ctx.Done() }))
		status, line := beginBehind(t, k, behind, e)
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, keepAliveComment, line+"\n")
	})
	each("without comments", func(t *testing.T, s sdk, e era) {
		k := serveKeptAlive(t, s, -1, comments, slow(waiting))
		status, _ := beginBehind(t, k, behind, e)
		assert.Equal(t, http.StatusGatewayTimeout, status)
	})
}

// beginBehind posts a call through a proxy and hangs up after the first line of
// the answer.
func beginBehind(t *testing.T, k *kit, behind func(string) string, e era) (status int, line string) {
	t.Helper()
	body := sdktest.Message(t, e, 7, "tools/call", `{"name":"notes.wait","arguments":{}}`)
	session := ""
	if e == legacy {
		session = k.session("")
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, behind(k.url), bytes.NewReader(body))
	require.NoError(t, err)
	r.Header = headerOf(e, session, "tools/call", "notes.wait")
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	line, err = bufio.NewReader(answer.Body).ReadString('\n')
	require.NoError(t, err)
	return answer.StatusCode, line
}
