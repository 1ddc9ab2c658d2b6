package witness_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

func TestAllowance_Covers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		allow witness.Allowance
		event witness.Event
		want  bool
	}{
		{"the folder itself", witness.Allowance{Path: "/var/log"}, witness.Event{Path: "/var/log"}, true},
		{"a file below the folder", witness.Allowance{Path: "/var/log/"}, witness.Event{Path: "/var/log/a/b"}, true},
		{"a folder whose name begins the same", witness.Allowance{Path: "/var/log"}, witness.Event{Path: "/var/logs/a"}, false},
		{"everything", witness.Allowance{Path: "/"}, witness.Event{Path: "/etc/passwd"}, true},
		{"a pattern", witness.Allowance{Path: "/data/db-*"}, witness.Event{Path: "/data/db-wal"}, true},
		{"a pattern in another folder", witness.Allowance{Path: "/data/db-*"}, witness.Event{Path: "/other/db-wal"}, false},
		{"a pattern does not cross folders", witness.Allowance{Path: "/data/*"}, witness.Event{Path: "/data/a/b"}, false},
		{"a rename out of the folder", witness.Allowance{Path: "/cache"}, witness.Event{Path: "/cache/a", To: "/data/a"}, false},
		{"a rename within the folder", witness.Allowance{Path: "/cache"}, witness.Event{Path: "/cache/a", To: "/cache/b"}, true},
		{"a path allowance and an address", witness.Allowance{Path: "/"}, witness.Event{Address: "127.0.0.1:80"}, false},
		{"loopback", witness.Allowance{Address: "loopback"}, witness.Event{Address: "127.8.9.1:80"}, true},
		{"loopback of version 6", witness.Allowance{Address: "loopback"}, witness.Event{Address: "[::1]:80"}, true},
		{"loopback of version 4 in version 6", witness.Allowance{Address: "loopback"}, witness.Event{Address: "[::ffff:127.0.0.1]:80"},
			true},
		{"loopback by name", witness.Allowance{Address: "loopback"}, witness.Event{Address: "localhost:80"}, true},
		{"loopback and a unix socket", witness.Allowance{Address: "loopback"}, witness.Event{Address: "unix:@bus"}, true},
		{"loopback and another machine", witness.Allowance{Address: "loopback"}, witness.Event{Address: "10.0.0.1:80"}, false},
		{"loopback and no address", witness.Allowance{Address: "loopback"}, witness.Event{Path: "/a"}, false},
		{"the unspecified address is not loopback", witness.Allowance{Address: "loopback"}, witness.Event{Address: "0.0.0.0:80"},
			false},
		{"a host", witness.Allowance{Address: "10.0.0.1"}, witness.Event{Address: "10.0.0.1:5432"}, true},
		{"a host and its port", witness.Allowance{Address: "10.0.0.1:5432"}, witness.Event{Address: "10.0.0.1:5432"}, true},
		{"another port", witness.Allowance{Address: "10.0.0.1:5432"}, witness.Event{Address: "10.0.0.1:80"}, false},
		{"a unix socket", witness.Allowance{Address: "unix:/run/db"}, witness.Event{Address: "unix:/run/db"}, true},
		{"an unknown act", witness.Allowance{Path: "/"}, witness.Event{Kind: witness.Unknown}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, tt.allow.Covers(tt.event))
		})
	}
}

func TestAllowance_FollowsASymbolicLinkToItsFolder(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	inside := witness.Event{Path: filepath.Join(dir, "real", "cache", "a")}
	for _, path := range []string{"link", "link/cache", "link/cache/a"} {
		allow := witness.Allowance{Path: filepath.Join(dir, path)}
		assert.True(t, allow.Covers(inside), path)
	}
}
