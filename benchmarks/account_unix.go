//go:build unix

package main

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account gives a folder to another user if this process is root, and returns
// what a process needs to run as that user.
func account(folder string) (*syscall.SysProcAttr, error) {
	nobody, err := user.Lookup("nobody")
	if err != nil || os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // the server runs as the current user
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	as := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return &syscall.SysProcAttr{Credential: as}, os.Chown(folder, uid, gid)
}
