package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// A databaseServer is a database server on a Unix socket, which runs while a
// variant has a database of it. It has default settings, so a commit waits for
// the disk.
type databaseServer struct {
	driver string
	admin  string // the database that a new server has
	// initialize and run are the commands for an empty folder.
	initialize, run func(folder string) []string
	url             func(folder, name string) string

	folder    string
	databases int // in use
	made      int
	end       func()
}

var postgres = databaseServer{
	driver: "pgx", admin: "postgres",
	initialize: func(folder string) []string {
		return []string{installed("initdb"), "-D", folder + "/data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"}
	},
	run: func(folder string) []string {
		return []string{
			installed("postgres"), "-D", folder + "/data", "-k", folder, "-c", "listen_addresses=", "-c", "max_connections=300",
		}
	},
	url: func(folder, name string) string { return "host=" + folder + " user=bench dbname=" + name },
}

var mariaDB = databaseServer{
	driver: "mysql", admin: "mysql",
	initialize: func(folder string) []string {
		return []string{
			installed("mariadb-install-db"), "--no-defaults", "--datadir=" + folder + "/data",
			"--auth-root-authentication-method=normal", "--skip-test-db",
		}
	},
	run: func(folder string) []string {
		return []string{
			installed("mariadbd"), "--no-defaults", "--datadir=" + folder + "/data", "--socket=" + folder + "/s", "--skip-networking",
			"--log-error=" + folder + "/log", "--max-connections=300",
		}
	},
	url: func(folder, name string) string { return "root@unix(" + folder + "/s)/" + name },
}

// installed returns the path of a program, or an empty text. Debian keeps those
// of servers outside the PATH.
func installed(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/sbin/"} {
		if found, _ := filepath.Glob(pattern + program); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// place makes an empty database and returns its URL.
func (s *databaseServer) place() (string, func(), error) {
	if s.databases == 0 {
		if err := s.start(); err != nil {
			return "", nil, err
		}
	}
	s.databases++
	end := func() {
		if s.databases--; s.databases == 0 {
			s.end()
		}
	}
	s.made++
	name := fmt.Sprint("bench", s.made)
	if err := s.create(name); err != nil {
		end()
		return "", nil, err
	}
	return s.url(s.folder, name), end, nil
}

// create makes a database when the server answers.
func (s *databaseServer) create(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open(s.driver, s.url(s.folder, s.admin))
	if err != nil {
		return err
	}
	defer db.Close()
	for {
		_, err = db.ExecContext(ctx, "CREATE DATABASE "+name)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// start starts a server. PostgreSQL and MariaDB refuse to run as root, and then
// get another account.
func (s *databaseServer) start() error {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	s.folder = folder
	s.end = func() { _ = os.RemoveAll(folder) }
	attributes := &syscall.SysProcAttr{}
	if account, err := user.Lookup("nobody"); err == nil && os.Getuid() == 0 {
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(folder, uid, gid); err != nil {
			s.end()
			return err
		}
	}
	words := s.initialize(folder)
	initialize := exec.Command(words[0], words[1:]...)
	initialize.SysProcAttr = attributes
	if output, err := initialize.CombinedOutput(); err != nil {
		s.end()
		return fmt.Errorf("%s: %w: %s", words[0], err, output)
	}
	run := exec.Command("sh", append([]string{"-c", supervise, "sh"}, s.run(folder)...)...)
	run.SysProcAttr = attributes
	run.Stdout = io.Discard
	alive, err := run.StdinPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		s.end()
		return err
	}
	s.end = func() {
		_ = alive.Close()
		_ = run.Wait()
		_ = os.RemoveAll(folder)
	}
	return nil
}
