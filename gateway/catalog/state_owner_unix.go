//go:build unix

package catalog

import (
	"io/fs"
	"os"
	"syscall"
)

// isOfOther reports whether another user owns a file.
func isOfOther(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
