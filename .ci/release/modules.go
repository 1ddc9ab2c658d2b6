package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// A repo is a checkout of the repository.
type repo struct {
	dir     string
	modules []*mod // published modules, each after those that it requires
	others  []*mod // modules of go.work that are not published
}

// A mod is a module of the repository.
type mod struct {
	path   string // such as github.com/toolcontract/toolcontract/gosdk
	folder string // below the root, with slashes; "." for the root
	dir    string
	needs  []string // paths of the published modules that it requires
}

// tag returns the tag of a version of the module.
func (m *mod) tag(version string) string {
	if m.folder == "." {
		return version
	}
	return m.folder + "/" + version
}

// open reads the modules that go.work uses. A module is published if its folder
// has a LICENSE.
func open(dir string) (*repo, error) {
	work, err := readWork(dir)
	if err != nil {
		return nil, err
	}
	r := &repo{dir: dir}
	found := map[string]*mod{}
	for _, use := range work.Use {
		folder := filepath.ToSlash(filepath.Clean(use.Path))
		file, err := readMod(filepath.Join(dir, folder))
		if err != nil {
			return nil, err
		}
		if len(file.Replace) > 0 {
			return nil, fmt.Errorf("%s/go.mod: a module that go.work uses has no replace; put it into go.work", folder)
		}
		m := &mod{path: file.Module.Mod.Path, folder: folder, dir: filepath.Join(dir, folder)}
		for _, q := range file.Require {
			m.needs = append(m.needs, q.Mod.Path)
		}
		if _, err := os.Stat(filepath.Join(m.dir, "LICENSE")); err != nil {
			r.others = append(r.others, m)
			continue
		}
		found[m.path] = m
	}
	for len(r.modules) < len(found) {
		before := len(r.modules)
		for _, path := range slices.Sorted(maps.Keys(found)) {
			m := found[path]
			m.needs = slices.DeleteFunc(m.needs, func(p string) bool { return found[p] == nil })
			early := slices.ContainsFunc(m.needs, func(p string) bool { return !slices.Contains(r.modules, found[p]) })
			if !early && !slices.Contains(r.modules, m) {
				r.modules = append(r.modules, m)
			}
		}
		if len(r.modules) == before {
			return nil, errors.New("go.work: modules require each other in a circle")
		}
	}
	return r, nil
}

func readWork(dir string) (*modfile.WorkFile, error) {
	name := filepath.Join(dir, "go.work")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork(name, text, nil)
}

func readMod(dir string) (*modfile.File, error) {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// version returns the version that go.work replaces by the folders: the next
// one.
func (r *repo) version() (string, error) {
	work, err := readWork(r.dir)
	if err != nil {
		return "", err
	}
	if len(work.Replace) == 0 {
		return "", errors.New("go.work: no replace has the next version")
	}
	return work.Replace[0].Old.Version, nil
}

// requirements returns the go.mod and the go.sum of the module.
func (m *mod) requirements() string {
	file, _ := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	sums, _ := os.ReadFile(filepath.Join(m.dir, "go.sum"))
	return string(file) + string(sums)
}

// setVersion sets the version at which the modules that go.work uses require
// each other, and which go.work replaces by the folders.
func (r *repo) setVersion(version string) error {
	work, err := readWork(r.dir)
	if err != nil {
		return err
	}
	for _, replace := range work.Replace {
		at := slices.Index(replace.Syntax.Token, replace.Old.Version)
		if at < 0 {
			return fmt.Errorf("go.work: the replace of %s has no version", replace.Old.Path)
		}
		replace.Syntax.Token[at] = version
	}
	if err := os.WriteFile(filepath.Join(r.dir, "go.work"), modfile.Format(work.Syntax), 0o644); err != nil {
		return err
	}
	// Those that go.work does not use replace the version by themselves.
	listed, err := git(r.dir, "ls-files", "go.mod", "*/go.mod")
	if err != nil {
		return err
	}
	for name := range strings.Lines(listed) {
		if err := r.requireVersion(filepath.Join(r.dir, filepath.Dir(strings.TrimSpace(name))), version); err != nil {
			return err
		}
	}
	return nil
}

// requireVersion sets the version of the repository's own modules in a go.mod,
// and removes their old hashes from its go.sum.
func (r *repo) requireVersion(dir, version string) error {
	file, err := readMod(dir)
	if err != nil {
		return err
	}
	ours := func(path string) bool {
		return slices.ContainsFunc(r.modules, func(m *mod) bool { return m.path == path })
	}
	for _, q := range slices.Clone(file.Require) {
		if ours(q.Mod.Path) {
			if err := file.AddRequire(q.Mod.Path, version); err != nil {
				return err
			}
		}
	}
	file.Cleanup()
	text, err := file.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	name := filepath.Join(dir, "go.sum")
	sums, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(sums)) {
		if path, _, _ := strings.Cut(line, " "); !ours(path) {
			kept.WriteString(line)
		}
	}
	return os.WriteFile(name, []byte(kept.String()), 0o644)
}
