package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pages are the pages of the manual whose readers write files and run commands.
// Each is followed in a folder of its own.
var pages = []string{"docs/quickstart.md"}

// programs are the commands of published modules.
var programs = []string{"contract/cmd/toolcontract"}

// prepare gives every module of a checkout a version, tidies each against the
// modules below it, and publishes it into the proxy.
func (r *repo) prepare(version string, p proxy, scratch string, log io.Writer) error {
	if err := r.setVersion(version); err != nil {
		return err
	}
	u, err := newUser(filepath.Join(scratch, "maintainer"), p, log)
	if err != nil {
		return err
	}
	for _, m := range r.modules {
		_, _ = fmt.Fprintf(log, "  %s\n", m.tag(version))
		if _, err := u.run(m.dir, "go mod tidy"); err != nil {
			return err
		}
		if err := p.add(m, version); err != nil {
			return err
		}
	}
	return nil
}

// rehearse does with a version in a proxy what its users will do with it.
func (r *repo) rehearse(version string, p proxy, scratch string, log io.Writer) error {
	u, err := newUser(filepath.Join(scratch, "home"), p, log)
	if err != nil {
		return err
	}
	for _, page := range pages {
		_, _ = fmt.Fprintf(log, "  %s, word for word\n", page)
		text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(page)))
		if err != nil {
			return err
		}
		dir := filepath.Join(scratch, strings.TrimSuffix(filepath.Base(page), ".md"))
		if err := u.follow(page, string(text), dir); err != nil {
			return err
		}
	}

	_, _ = fmt.Fprintln(log, "  commands and the tour")
	tools := filepath.Join(scratch, "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		return err
	}
	root := r.modules[0].path
	lines := []string{"go mod init example.org/tools"}
	for _, program := range programs {
		lines = append(lines, "go get -tool "+root+"/"+program+"@"+version, "go install "+root+"/"+program+"@"+version)
	}
	lines = append(lines, "go tool toolcontract -h", "go run "+root+"/examples/tour@"+version+" >/dev/null", "go mod verify")
	for _, line := range lines {
		if _, err := u.run(tools, line); err != nil {
			return err
		}
	}

	_, _ = fmt.Fprintln(log, "  each module by itself, without go.work")
	for _, m := range r.modules {
		_, _ = fmt.Fprintf(log, "  %s\n", m.folder)
		for _, line := range []string{"go mod tidy -diff", "go vet ./..."} {
			if _, err := u.run(m.dir, line); err != nil {
				return fmt.Errorf("%s: %w", m.folder, err)
			}
		}
	}
	return nil
}

// skew checks that each module still builds, and needs no other requirements,
// with the root of the previous release, because users can combine them like
// that.
func (r *repo) skew(scratch string, log io.Writer) error {
	before := r.latest()
	if before == "" {
		_, _ = fmt.Fprintln(log, "  there is no release before")
		return nil
	}
	dir := filepath.Join(scratch, "before")
	if _, err := git(r.dir, "worktree", "add", "--detach", dir, before); err != nil {
		return err
	}
	earlier, err := open(dir)
	if err != nil {
		return err
	}
	p := proxy{filepath.Join(scratch, "skew")}
	if err := p.add(earlier.modules[0], before); err != nil {
		return err
	}
	u, err := newUser(filepath.Join(scratch, "skewed"), p, log)
	if err != nil {
		return err
	}
	for _, m := range r.modules[1:] {
		if err := r.requireVersion(m.dir, before); err != nil {
			return err
		}
		if _, err := u.run(m.dir, "go mod tidy && go vet ./..."); err != nil {
			return fmt.Errorf("%s with the root of %s: %w", m.folder, before, err)
		}
		if err := p.add(m, before); err != nil {
			return err
		}
	}
	return nil
}

// latest returns the newest release that the checkout contains, or "".
func (r *repo) latest() string {
	tag, err := git(r.dir, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
	if err != nil {
		return ""
	}
	return tag
}

// clone copies the newest commit of a checkout, with its tags.
func clone(from, to string) (*repo, error) {
	if out, err := exec.Command("git", "clone", "-q", "--no-hardlinks", from, to).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git clone: %w\n%s", err, out)
	}
	return open(to)
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, words.String())
	}
	return strings.TrimSpace(string(out)), nil
}
