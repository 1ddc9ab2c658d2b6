// Command prose checks the language of the project: the words and sentence
// forms that its readers would have to translate first. It reads the comments
// and the texts of every Go file, the names of its tests, and every Markdown
// page. CONTRIBUTING.md has the rules in words. Run it from the project's root:
//
//	go run ./.ci/prose
//	go run ./.ci/prose contract/guard/audit
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	found, err := checkFolder(folder)
	for _, f := range found {
		fmt.Fprintln(os.Stderr, f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
	}
	if err != nil || len(found) > 0 {
		os.Exit(1)
	}
}

// checkFolder checks every Go file and every page below a folder.
func checkFolder(folder string) ([]finding, error) {
	var found []finding
	files := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != folder && isLeftOut(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		isGo := strings.HasSuffix(path, ".go")
		if !isGo && !strings.HasSuffix(path, ".md") {
			return nil
		}
		files++
		inFile, err := checkFile(path, isGo)
		found = append(found, inFile...)
		return err
	})
	if err == nil && files == 0 {
		err = errors.New("no Go file and no page below " + folder)
	}
	return found, err
}

// isLeftOut reports whether a folder is not the project's own text. The rules
// of this command have the words that they refuse.
func isLeftOut(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".ci" ||
		name == "testdata" || name == "node_modules" || name == "prose"
}

// checkFile checks one Go file or page.
func checkFile(path string, isGo bool) ([]finding, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	texts := fromMarkdown(path, source)
	if isGo {
		if texts, err = fromGo(path, source); err != nil {
			return nil, err
		}
	}
	return append(check(texts), checkLines(path, source)...), nil
}
