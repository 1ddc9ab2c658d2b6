//go:build unix

package servertest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// servant is the account of the server, which refuses to run as root. ok is
// false if the tests do not run as root.
func servant() (uid, gid int, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	account, err := user.Lookup("nobody")
	if err != nil {
		return 0, 0, false
	}
	uid, _ = strconv.Atoi(account.Uid)
	gid, _ = strconv.Atoi(account.Gid)
	return uid, gid, true
}

// give gives a folder to the account of the server.
func give(folder string) error {
	uid, gid, ok := servant()
	if !ok {
		return nil
	}
	return os.Chown(folder, uid, gid)
}

// as makes a command run in the account of the server.
func as(cmd *exec.Cmd) *exec.Cmd {
	if uid, gid, ok := servant(); ok {
		account := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)} //nolint:gosec // ids of accounts
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	}
	return cmd
}
