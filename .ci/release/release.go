package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"
)

// sbom writes the bill of materials of a module, in the form of CycloneDX.
const sbom = "go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0 mod -json -noserial -licenses -output %q ."

// What CHANGELOG.md has while nothing changed since the last release.
const (
	unreleased = "## [Unreleased]\n"
	nothing    = "\nNothing yet.\n"
)

// release makes a version in a clone, rehearses it, and then takes its commit
// and its tags into the checkout. A failure leaves the checkout unchanged.
func release(dir, version, scratch string, log io.Writer) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("VERSION %q: use a version such as v0.1.0", version)
	}
	if major := semver.Major(version); major != "v0" && major != "v1" {
		return fmt.Errorf("VERSION %q: the paths of the modules need /%s first", version, major)
	}
	changed, err := git(dir, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return errors.New("commit or stash what is not committed")
	}
	head, err := git(dir, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if at, err := git(dir, "rev-parse", "-q", "--verify", version+"^{commit}"); err == nil {
		if at != head {
			return fmt.Errorf("%s is another commit already; use the next version", version)
		}
		_, _ = fmt.Fprintf(log, "%s is this commit already; nothing changed\n", version)
		return nil
	}
	r, err := clone(dir, filepath.Join(scratch, "clone"))
	if err != nil {
		return err
	}
	if before := r.latest(); before != "" && semver.Compare(version, before) <= 0 {
		return fmt.Errorf("%s is not after %s", version, before)
	}
	if err := r.datePages(version); err != nil {
		return err
	}
	p := proxy{filepath.Join(scratch, "proxy")}
	_, _ = fmt.Fprintln(log, "modules")
	if err := r.prepare(version, p, scratch, log); err != nil {
		return err
	}
	if _, err := git(r.dir, "commit", "-qam", "release: "+version); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(log, "rehearsal")
	if err := r.rehearse(version, p, scratch, log); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(log, "bills of materials and checksums")
	if err := r.materials(version, p, scratch, log); err != nil {
		return err
	}
	return r.publish(dir, version, scratch, log)
}

// publish takes the commit of the clone, with a tag for each module, into the
// checkout.
func (r *repo) publish(dir, version, scratch string, log io.Writer) error {
	before, err := git(dir, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	fetched := []string{"fetch", "-q", r.dir}
	tags := make([]string, len(r.modules))
	for i, m := range r.modules {
		tags[i] = m.tag(version)
		if _, err := git(r.dir, "tag", "-a", "-m", tags[i], tags[i]); err != nil {
			return err
		}
		fetched = append(fetched, "refs/tags/"+tags[i]+":refs/tags/"+tags[i])
	}
	head, err := git(r.dir, "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if _, err := git(dir, "fetch", "-q", "--no-tags", r.dir, "HEAD"); err != nil {
		return err
	}
	if _, err := git(dir, "merge", "-q", "--ff-only", head); err != nil {
		return err
	}
	if _, err := git(dir, fetched...); err != nil {
		_, undo := git(dir, "reset", "-q", "--keep", before)
		return errors.Join(err, undo)
	}
	dist := filepath.Join(dir, "dist", version)
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	if err := os.CopyFS(dist, os.DirFS(filepath.Join(scratch, "dist"))); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(log, "%s is commit %.12s; its files are in dist/%s. Publish it with\n  git push --atomic origin HEAD %s\n",
		version, head, version, strings.Join(tags, " "))
	return nil
}

// materials writes the bills of materials of the modules, and the checksums of
// these and of the zips that module proxies will have.
func (r *repo) materials(version string, p proxy, scratch string, log io.Writer) error {
	dist := filepath.Join(scratch, "dist")
	if err := os.MkdirAll(dist, 0o755); err != nil {
		return err
	}
	u, err := newUser(filepath.Join(scratch, "maintainer"), p, log)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, m := range r.modules {
		name := strings.ReplaceAll(strings.TrimPrefix(m.path, "github.com/toolcontract/"), "/", "-") + "-" + version
		bill := filepath.Join(dist, name+".cdx.json")
		if _, err := u.run(m.dir, "go mod tidy && "+fmt.Sprintf(sbom, bill)); err != nil {
			return err
		}
		if err := nameVersion(bill, version); err != nil {
			return err
		}
		content, err := os.ReadFile(p.zip(m, version))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dist, name+".zip"), content, 0o644); err != nil {
			return err
		}
		for _, file := range []string{name + ".cdx.json", name + ".zip"} {
			content, err := os.ReadFile(filepath.Join(dist, file))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), file)
		}
	}
	return os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// nameVersion replaces the version of a bill's own module, which is made up as
// long as the module has no tag.
func nameVersion(bill, version string) error {
	content, err := os.ReadFile(bill)
	if err != nil {
		return err
	}
	var b struct {
		Metadata struct {
			Component struct{ Version string }
		}
	}
	if err := json.Unmarshal(content, &b); err != nil {
		return err
	}
	made := b.Metadata.Component.Version
	if made == "" {
		return fmt.Errorf("%s names no version", bill)
	}
	return os.WriteFile(bill, []byte(strings.ReplaceAll(string(content), made, version)), 0o644)
}

// datePages writes the version and the date above the changes since the last
// release, and adds a row to the table of versions.
func (r *repo) datePages(version string) error {
	// With the date of the commit, everybody can make the same files again.
	date, err := git(r.dir, "log", "-1", "--format=%cs")
	if err != nil {
		return err
	}
	changes, err := os.ReadFile(filepath.Join(r.dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	if strings.Contains(string(changes), unreleased+nothing) {
		return errors.New("CHANGELOG.md: write below Unreleased what changed")
	}
	number := strings.TrimPrefix(version, "v")
	err = r.edit("CHANGELOG.md", regexp.MustCompile(`(?m)^## \[Unreleased\]\n`),
		unreleased+nothing+"\n## ["+number+"] - "+date+"\n")
	if err != nil {
		return err
	}
	return r.edit("docs/upgrades.md", regexp.MustCompile(`(?m)^\| main( .*)$`), "| main$1\n| "+version+"$1")
}

func (r *repo) edit(name string, old *regexp.Regexp, now string) error {
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := len(old.FindAllIndex(text, -1)); n != 1 {
		return fmt.Errorf("%s: %d lines match %q, not one", name, n, old)
	}
	return os.WriteFile(path, old.ReplaceAll(text, []byte(now)), 0o644)
}
