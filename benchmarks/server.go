package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// postgres is a PostgreSQL server on a Unix socket, which runs while a variant
// has a database of it. It has default settings, so a commit waits for the
// disk.
var postgres databaseServer

// A databaseServer is a server of which several variants have a database.
type databaseServer struct {
	folder    string
	databases int // in use
	made      int
	end       func()
}

func (s *databaseServer) url(name string) string {
	return "host=" + s.folder + " user=bench dbname=" + name
}

// installed returns the path of a program, or an empty text. Debian keeps those
// of PostgreSQL outside the PATH.
func installed(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program); len(found) > 0 {
		return found[len(found)-1]
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
	return s.url(name), end, nil
}

// create makes a database when the server answers.
func (s *databaseServer) create(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", s.url("postgres"))
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

// start starts the server. PostgreSQL refuses to run as root, and then gets
// another account.
func (s *databaseServer) start() error {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	s.folder = folder
	s.end = func() { _ = os.RemoveAll(folder) }
	attributes, err := account(folder)
	if err != nil {
		s.end()
		return err
	}
	data := filepath.Join(folder, "data")
	initialize := exec.Command(installed("initdb"), "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C")
	initialize.SysProcAttr = attributes
	if output, err := initialize.CombinedOutput(); err != nil {
		s.end()
		return fmt.Errorf("initdb: %w: %s", err, output)
	}
	run := exec.Command("sh", "-c", supervise, "sh",
		installed("postgres"), "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "max_connections=300")
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
