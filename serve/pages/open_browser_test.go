package pages_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/serve/pages"
)

func TestOpenBrowser_RefusesOtherAddresses(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // a mistake must not open a browser
	for _, address := range []string{
		"", "--help", "file:///etc/passwd", "javascript:alert(1)", "vscode://file/x", "/approvals", "https://", "https:evil.example",
		"http://evil.example/approvals", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/", "http://0.0.0.0:80/",
		"https://user:pass@mail.example/", "https://mail.example/",
		"http://127.0.0.1:1/ä", "http://127.0.0.1:1/ --x", "http://127.0.0.1:1/\n", "http://127.0.0.1:1@evil.example/",
	} {
		err := pages.OpenBrowser(address)
		require.Error(t, err, "%q", address)
		assert.NotErrorIs(t, err, exec.ErrNotFound, "%q", address)
		if address != "" {
			assert.NotContains(t, err.Error(), address)
		}
	}
	require.ErrorIs(t, pages.OpenBrowser("http://127.0.0.1:1234/approvals?secret=x"), exec.ErrNotFound)
}

func TestListenLoopback_OpensABrowserOnlyOnADisplay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		system string
		env    map[string]string
		want   bool
	}{
		"X11":                      {"linux", map[string]string{"DISPLAY": ":0"}, true},
		"Wayland":                  {"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, true},
		"a BSD with X11":           {"freebsd", map[string]string{"DISPLAY": ":0"}, true},
		"no display":               {"linux", nil, false},
		"macOS":                    {"darwin", nil, true},
		"Windows":                  {"windows", nil, true},
		"macOS over SSH":           {"darwin", map[string]string{"SSH_CONNECTION": "::1 1 ::1 22"}, false},
		"a display that SSH sends": {"linux", map[string]string{"DISPLAY": "localhost:10.0", "SSH_TTY": "/dev/pts/0"}, false},
		"a client of SSH":          {"windows", map[string]string{"SSH_CLIENT": "::1 1 22"}, false},
		"CI":                       {"darwin", map[string]string{"CI": "true"}, false},
		"CI with a display":        {"linux", map[string]string{"CI": "1", "DISPLAY": ":99"}, false},
	} {
		assert.Equal(t, c.want, pages.ShowsWindows(c.system, func(key string) string { return c.env[key] }), name)
	}
}
