package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// postgresProgram returns the path of a program of PostgreSQL, or an empty
// text. Debian keeps them outside the PATH.
func postgresProgram(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// runPostgres runs an empty server on a Unix socket with the settings of a new
// one, so that it waits for its disk, and returns its address. The server
// refuses to run as root, and then gets another account.
func runPostgres() (string, func(), error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return "", nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	attributes := &syscall.SysProcAttr{}
	if account, err := user.Lookup("nobody"); err == nil && os.Getuid() == 0 {
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(dir, uid, gid); err != nil {
			remove()
			return "", nil, err
		}
	}
	data := filepath.Join(dir, "data")
	initialize := exec.Command(postgresProgram("initdb"), "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C")
	initialize.SysProcAttr = attributes
	if output, err := initialize.CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("initdb: %w: %s", err, output)
	}
	run := exec.Command("sh", "-c", supervise, "sh", postgresProgram("postgres"), "-D", data, "-k", dir,
		"-c", "listen_addresses=", "-c", "max_connections=300")
	run.SysProcAttr = attributes
	run.Stdout = io.Discard
	alive, err := run.StdinPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	end := func() {
		_ = alive.Close()
		_ = run.Wait()
		remove()
	}
	for range 1000 {
		if content, _ := os.ReadFile(filepath.Join(data, "postmaster.pid")); len(content) > 0 &&
			exec.Command(postgresProgram("pg_isready"), "-h", dir, "-q").Run() == nil {
			return "host=" + dir + " user=bench dbname=postgres", end, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	end()
	return "", nil, fmt.Errorf("postgres did not start")
}
