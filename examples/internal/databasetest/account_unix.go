//go:build unix

package databasetest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// account gives the folder to another user if the test runs as root, because
// the server refuses to run as root.
func account(t testing.TB, folder string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("the server refuses to run as root, and no unprivileged account was found")
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	require.NoError(t, os.Chown(folder, uid, gid))
	as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // ids of accounts
	return &syscall.SysProcAttr{Credential: as}
}
