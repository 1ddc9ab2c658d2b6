package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// A proxy is a folder in the form of a module proxy:
// https://go.dev/ref/mod#goproxy-protocol
type proxy struct{ dir string }

// add publishes a version of a module as its folder is now. The zip is the one
// that a tag would give, because it has the files that git knows or would add.
func (p proxy) add(m *mod, version string) error {
	dir := filepath.Join(p.dir, filepath.FromSlash(m.path), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(m.dir, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	list, err := os.ReadFile(filepath.Join(dir, "list"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for name, content := range map[string]string{
		version + ".mod": string(text), version + ".info": info, "list": string(list) + version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	file, err := os.Create(p.zip(m, version))
	if err != nil {
		return err
	}
	err = zip.Create(file, module.Version{Path: m.path, Version: version}, files)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// zip returns the file of a version of a module.
func (p proxy) zip(m *mod, version string) string {
	return filepath.Join(p.dir, filepath.FromSlash(m.path), "@v", version+".zip")
}

// files lists the files in the zip of a module: those of its folder, without
// those of the modules below it.
func (m *mod) files() ([]zip.File, error) {
	listed, err := git(m.dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimRight(listed, "\x00"), "\x00")
	var below []string
	for _, name := range names {
		if folder, ok := strings.CutSuffix(name, "/go.mod"); ok {
			below = append(below, folder+"/")
		}
	}
	var files []zip.File
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(m.dir, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted, or a link
		}
		if !slices.ContainsFunc(below, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			files = append(files, tracked{m.dir, name})
		}
	}
	return files, nil
}

// A tracked is a file of a module, in the form of package zip.
type tracked struct{ dir, name string }

func (t tracked) Path() string                 { return t.name }
func (t tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(t.dir, t.name)) }
func (t tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(t.dir, t.name)) }
