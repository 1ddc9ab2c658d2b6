package zoo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The answers of a technique about one tool.
const (
	Contradicted = "contradicted"
	Consistent   = "consistent"
	Unknown      = "unknown"
)

// Answers are a technique's answers about a lie and its twin. An empty answer
// means that the technique does not judge the tool.
type Answers struct{ Lying, Honest string }

// updateEnv makes Record write the columns if it is set.
const updateEnv = "TOOLCONTRACT_UPDATE"

// Record compares a technique's answers, by entry name, with the recorded ones.
// The table of package zoo has a column for each technique. If
// TOOLCONTRACT_UPDATE is 1, Record writes them instead.
func Record(t testing.TB, technique string, answers map[string]Answers) {
	t.Helper()
	var column strings.Builder
	for _, e := range All() {
		a := answers[e.Name]
		fmt.Fprintf(&column, "%s %s %s\n", e.Name, orNone(a.Lying), orNone(a.Honest))
	}
	folder, err := columns()
	must(t, err)
	path := filepath.Join(folder, technique+".txt")
	if os.Getenv(updateEnv) == "1" {
		must(t, os.WriteFile(path, []byte(column.String()), 0o600))
		return
	}
	recorded, err := os.ReadFile(path)
	must(t, err)
	if string(recorded) != column.String() {
		t.Errorf("zoo: the answers of %s differ from %s; record them with %s=1 and read the difference:\n%s", technique,
			path, updateEnv, column.String())
	}
}

const none = "-"

func orNone(answer string) string {
	if answer == "" {
		return none
	}
	return answer
}

// columns returns the folder of the recorded answers, which is below the
// working directory or one of its parents.
func columns() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		folder := filepath.Join(dir, "internal", "testing", "zoo", "testdata", "columns")
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("the working directory is not in the repository")
		}
		dir = parent
	}
}
