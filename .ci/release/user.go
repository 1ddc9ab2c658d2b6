package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A user has an empty home and an empty module cache, and gets the published
// modules from a proxy. Other modules come from what this machine has
// downloaded before, or from its own proxy.
type user struct {
	env []string
	log io.Writer
}

// newUser returns a user whose folders are below home.
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
		// With -trimpath the packages of an empty module cache need not be
		// compiled again. A module cache that can be written to can be deleted.
		"GOFLAGS=-trimpath -modcacherw")
	return u, os.MkdirAll(home, 0o755)
}

// run runs a command line of a shell in a folder, with an empty standard input,
// and returns what it printed.
func (u *user) run(dir, line string) (string, error) {
	_, _ = fmt.Fprintf(u.log, "    $ %s\n", line)
	begun := time.Now()
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env = dir, u.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", line, err, out)
	}
	if took := time.Since(begun); took > 10*time.Second {
		_, _ = fmt.Fprintf(u.log, "      (%d s)\n", int(took.Seconds()))
	}
	return string(out), nil
}
