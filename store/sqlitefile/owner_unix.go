//go:build unix

package sqlitefile

import (
	"io/fs"
	"os"
	"syscall"
)

// giveTo gives a new file to the owner of another one, so that root can make
// keys for the user who runs a server.
func giveTo(f *os.File, like fs.FileInfo) error {
	of, ok := like.Sys().(*syscall.Stat_t)
	if !ok || int(of.Uid) == os.Geteuid() && int(of.Gid) == os.Getegid() {
		return nil
	}
	return f.Chown(int(of.Uid), int(of.Gid))
}

// isTrusted reports whether a file belongs to the user of this process or to
// root.
func isTrusted(info fs.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return !ok || of.Uid == 0 || int(of.Uid) == os.Geteuid()
}
