package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// quickStart is the first page that a user follows. Others continue it.
const quickStart = "docs/quickstart.md"

// programs are the commands of published modules.
var programs = []string{"cmd/toolcontract", "cmd/toolcontract-state"}

// prepare gives every module of a checkout a version, tidies each against the
// modules below it, and publishes it into the proxy. The go.sum files have no
// hashes of the repository's own modules, because the next change of a module
// would contradict them.
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
		if err := r.requireVersion(m.dir, version); err != nil {
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
	if err := r.followPages(nil, p, scratch, log); err != nil {
		return err
	}
	u, err := newUser(filepath.Join(scratch, "programmer"), p, log)
	if err != nil {
		return err
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
	lines = append(lines, "go tool toolcontract -h", "go tool toolcontract init -word notes made",
		"cd made && go vet . && go test . && go build . && go mod verify",
		"go tool toolcontract call notes_read id=a1 -- made/notes -state state.db | grep first",
		"made/notes -state state.db state show && go tool toolcontract-state show state.db",
		"go run "+root+"/examples/tour@"+version+" >/dev/null", "go mod verify")
	for _, line := range lines {
		if _, err := u.run(tools, line); err != nil {
			return err
		}
	}

	return r.alone(p, scratch, log)
}

// alone tests each module by itself, without go.work, against the published
// ones. Those that are not published come after them. It finds a module that
// needs more than its go.mod requires. So it starts no database, which the
// tests with go.work do.
func (r *repo) alone(p proxy, scratch string, log io.Writer) error {
	u, err := newUser(filepath.Join(scratch, "tester"), p, log)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(log, "  each module by itself, without go.work")
	for _, m := range slices.Concat(r.modules, r.others) {
		_, _ = fmt.Fprintf(log, "  %s\n", m.folder)
		lines := []string{"go mod tidy", "go vet ./...", "go test -short ./..."}
		if m.folder == "." || m.folder == "examples" || slices.Contains(r.others, m) {
			// The tests of the first two take minutes. No module requires the
			// examples, or one that is not published.
			lines = lines[:2]
		}
		for _, line := range lines {
			if _, err := u.run(m.dir, line); err != nil {
				return fmt.Errorf("%s: %w", m.folder, err)
			}
		}
	}
	return nil
}

// followPages follows every page that has files or commands for its reader, or
// only the given ones. Each page has a user of its own. All users have the
// module cache of the first one, which begins empty. The first user has the
// oldest release of Go that the library supports.
func (r *repo) followPages(only []string, p proxy, scratch string, log io.Writer) error {
	u, err := newUser(filepath.Join(scratch, "reader"), p, log)
	if err != nil {
		return err
	}
	pages, err := r.pages()
	if err != nil {
		return err
	}
	root, err := readMod(r.dir)
	if err != nil {
		return err
	}
	reader := u.with("GOWORK=", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+r.dir+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://"+r.modules[0].path)
	var total tally
	var failed []error
	end := "" // of the quick start
	for _, page := range pages {
		if len(only) > 0 && page != quickStart && !slices.Contains(only, page) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(page)))
		if err != nil {
			return err
		}
		all, err := steps(string(text))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", page, err))
			continue
		}
		if !followable(all) {
			continue
		}
		dir := filepath.Join(scratch, "pages", strings.TrimSuffix(page, ".md"))
		reader := reader.with("HOME=" + dir + "-home")
		if page == quickStart {
			reader = reader.with("GOTOOLCHAIN=go" + root.Go.Version)
		}
		u.logf("  %s, word for word", page)
		if resumes.Match(text) {
			if err := os.CopyFS(dir, os.DirFS(end)); err != nil {
				return err
			}
		}
		if strings.HasPrefix(page, "examples/") {
			dir = r.dir // its reader has a clone
		}
		sh := &shell{user: reader, dir: dir}
		done, err := sh.follow(page, all)
		if err != nil {
			failed = append(failed, err)
			u.logf("    failed: %v", err)
		}
		u.logf("    %v", done)
		total.add(done)
		if page == quickStart {
			end = sh.dir
		}
	}
	u.logf("  all pages: %v", total)
	return errors.Join(failed...)
}

// pages returns the pages of the repository for users, the quick start first.
func (r *repo) pages() ([]string, error) {
	listed, err := git(r.dir, "ls-files", "README.md", "docs/*.md", "examples/*README.md")
	if err != nil {
		return nil, err
	}
	pages := []string{quickStart}
	for page := range strings.Lines(listed) {
		if page = strings.TrimSpace(page); page != quickStart {
			pages = append(pages, page)
		}
	}
	return pages, nil
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
