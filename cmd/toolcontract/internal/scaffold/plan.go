package scaffold

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

//go:embed files/*.tmpl
var templates embed.FS

// files maps each template to the file it becomes.
var files = []struct{ template, path string }{
	{"go.mod.tmpl", "go.mod"},
	{"main.go.tmpl", "main.go"},
	{"tools.go.tmpl", "tools.go"},
	{"tools_test.go.tmpl", "tools_test.go"},
	{"Makefile.tmpl", "Makefile"},
	{"mcp.json.tmpl", ".mcp.json"},
	{"gitignore.tmpl", ".gitignore"},
	{"test.yml.tmpl", ".github/workflows/test.yml"},
}

// A plan is what the templates need.
type plan struct {
	// Word is the domain of the tools. Module is the module path, and Name its
	// last element, which names the binary.
	Word, Module, Name string
	// SDK is official or mcp-go.
	SDK string
}

// filled returns a replacer that writes the plan into the templates. Without a
// release of the library, go mod tidy selects the newest.
func (p *plan) filled() *strings.Replacer {
	const library = "\n\tgithub.com/toolcontract/toolcontract"
	var sdkImport, sdkField, require string
	modules := []string{"", "/store/sqlitefile", "/verify"}
	if p.SDK == "official" {
		sdkImport, sdkField = "\n\t\"github.com/toolcontract/toolcontract/gosdk\"", " SDK: gosdk.SDK{},"
		modules = slices.Insert(modules, 1, "/gosdk")
	}
	version := libraryVersion()
	if version != "" {
		separator := " " + version + library
		require = "\n\nrequire (" + library + strings.Join(modules, separator) + " " + version + "\n)"
	}
	return strings.NewReplacer("{{.Word}}", p.Word, "{{.Module}}", p.Module, "{{.Name}}", p.Name, "{{.SDKImport}}", sdkImport,
		"{{.SDKField}}", sdkField, "{{.Require}}", require, "{{.Command}}", cmp.Or(version, "latest"))
}

// write writes all files, or none.
func (p *plan) write(dir string) error {
	for _, f := range files {
		_, err := os.Lstat(filepath.Join(dir, f.path))
		switch {
		case err == nil:
			return fmt.Errorf("%s exists already; nothing was written: choose another folder", filepath.Join(dir, f.path))
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w; nothing was written", err)
		}
	}
	var made []string
	filled := p.filled()
	for _, f := range files {
		text, err := templates.ReadFile("files/" + f.template)
		if err == nil {
			err = create(filepath.Join(dir, f.path), []byte(filled.Replace(string(text))), &made)
		}
		if err != nil {
			for _, path := range slices.Backward(made) {
				_ = os.Remove(path) // a folder with another file in it stays
			}
			return fmt.Errorf("%w; nothing was written", err)
		}
	}
	return nil
}

// create writes a file that must not exist yet. It appends what it created to
// made, folders first.
func create(path string, text []byte, made *[]string) error {
	var folders []string
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		folders = append(folders, at)
	}
	slices.Reverse(folders)
	*made = append(*made, folders...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // it is source code
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // the person names the folder
	if err != nil {
		return err
	}
	*made = append(*made, path)
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// libraryVersion returns the library's version in this binary, or "" if it is
// not a release.
func libraryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/toolcontract/toolcontract" && dep.Replace == nil && strings.HasPrefix(dep.Version, "v") {
			return dep.Version
		}
	}
	return ""
}
