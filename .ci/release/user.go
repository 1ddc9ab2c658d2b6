package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A user has an empty home and a module cache, and gets the published modules
// from a proxy. Other modules come from what this machine has downloaded
// before, or from its own proxy.
type user struct {
	env []string
	log io.Writer
}

// newUser returns a user whose folders are below home, with an empty module
// cache.
func newUser(home string, p proxy, log io.Writer) (*user, error) {
	var cache, mods, before string
	for name, to := range map[string]*string{"GOCACHE": &cache, "GOMODCACHE": &mods, "GOPROXY": &before} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return nil, err
		}
		*to = strings.TrimSpace(string(out))
	}
	u := &user{log: log}
	u.env = append(os.Environ(),
		"HOME="+home, "GOPATH="+filepath.Join(home, "go"), "GOMODCACHE="+filepath.Join(home, "go", "pkg", "mod"),
		"GOENV=off", "GOBIN=", "GOWORK=off", "GOTOOLCHAIN=local", "GOCACHE="+cache,
		"PATH="+filepath.Join(home, "go", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GOPROXY=file://"+p.dir+",file://"+filepath.Join(mods, "cache", "download")+","+before,
		"GONOSUMDB=github.com/toolcontract",
		"GIT_AUTHOR_NAME=Anna", "GIT_AUTHOR_EMAIL=anna@example.org",
		"GIT_COMMITTER_NAME=Anna", "GIT_COMMITTER_EMAIL=anna@example.org",
		// With -trimpath the packages of an empty module cache need not be
		// compiled again. A module cache that can be written to can be deleted.
		"GOFLAGS=-trimpath -modcacherw")
	return u, os.MkdirAll(home, 0o755)
}

// with returns the same user with other variables of the environment.
func (u *user) with(env ...string) *user {
	return &user{env: append(u.env[:len(u.env):len(u.env)], env...), log: u.log}
}

func (u *user) logf(format string, args ...any) { _, _ = fmt.Fprintf(u.log, format+"\n", args...) }

// run runs a command line of a shell in a folder, with an empty standard input,
// and returns what it printed.
func (u *user) run(dir, line string) (string, error) {
	return (&shell{user: u, dir: dir}).run(line)
}

// A shell is a terminal of a user. Its folder and its exported variables last
// from one command line to the next.
type shell struct {
	*user
	dir      string
	exported string
	servers  []*server
}

// A server is a command that runs until its shell is closed.
type server struct {
	line   string
	cmd    *exec.Cmd
	output strings.Builder
	ended  chan struct{}
}

func (s *shell) command(line string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

func (s *shell) run(line string) (string, error) {
	s.logf("    $ %s", line)
	begun := time.Now()
	out, err := s.try(line)
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s", line, err, out)
	}
	if took := time.Since(begun); took > 10*time.Second {
		s.logf("      (%d s)", int(took.Seconds()))
	}
	return out, nil
}

func (s *shell) try(line string) (string, error) {
	state, err := os.CreateTemp("", "shell")
	if err != nil {
		return "", err
	}
	defer os.Remove(state.Name())
	defer state.Close()
	cmd := s.command(s.exported + line + "\nstatus=$?; { pwd; export -p; } >&3; exit $status")
	cmd.ExtraFiles = []*os.File{state}
	out, err := cmd.CombinedOutput()
	after, reading := os.ReadFile(state.Name())
	if dir, exported, ok := strings.Cut(string(after), "\n"); ok {
		s.dir, s.exported = dir, exported
	}
	return string(out), errors.Join(err, reading)
}

// start runs a command line in the background, as one does in a terminal of its
// own.
func (s *shell) start(line string) error {
	s.logf("    $ %s &", line)
	started := &server{line: line, cmd: s.command(s.exported + line), ended: make(chan struct{})}
	started.cmd.SysProcAttr = ownGroup()
	started.cmd.Stdout, started.cmd.Stderr = &started.output, &started.output
	if err := started.cmd.Start(); err != nil {
		return err
	}
	s.servers = append(s.servers, started)
	go func() {
		_ = started.cmd.Wait() // it is killed at the end
		close(started.ended)
	}()
	return nil
}

// retry runs a command line that needs the server that was started before,
// until that serves.
func (s *shell) retry(line string) (string, error) {
	s.logf("    $ %s", line)
	beside := s.servers[len(s.servers)-1]
	for end := time.Now().Add(3 * time.Minute); ; {
		out, err := s.try(line)
		if err == nil {
			return out, nil
		}
		if time.Now().After(end) {
			return out, fmt.Errorf("%s: %w\n%s", line, err, out)
		}
		select {
		case <-beside.ended:
			return out, fmt.Errorf("%s: it ended:\n%s", beside.line, beside.output.String())
		case <-time.After(time.Second):
		}
	}
}

// close ends the servers.
func (s *shell) close() {
	for _, started := range s.servers {
		killGroup(started.cmd.Process)
		<-started.ended
	}
	s.servers = nil
}
