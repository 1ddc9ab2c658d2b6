package clients

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A scenario is a file of ../scenarios. ../scenarios.mjs describes it.
type scenario struct {
	example   string
	Args      []string `json:"args"`
	Callers   []caller `json:"callers"`
	Forbidden string   `json:"forbidden"`
	Unknown   string   `json:"unknown"`
	Calls     []call   `json:"calls"`
}

type caller struct {
	Name        string            `json:"name"`
	Token       string            `json:"token"`
	Permissions *string           `json:"permissions"`
	Over        string            `json:"over"`
	Tools       []string          `json:"tools"`
	Refused     map[string]string `json:"refused"`
}

type call struct {
	Title      string          `json:"title"`
	Tool       string          `json:"tool"`
	Arguments  json.RawMessage `json:"arguments"`
	Structured json.RawMessage `json:"structured"`
	Code       string          `json:"code"`
	Class      string          `json:"class"`
	Pointers   []string        `json:"pointers"`
}

// scenarios returns the scenarios whose examples ../run has built, or all.
func scenarios(t *testing.T) []scenario {
	t.Helper()
	paths, err := filepath.Glob("../scenarios/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var all []scenario
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		s := scenario{example: strings.TrimSuffix(filepath.Base(path), ".json")}
		if built := os.Getenv("EXAMPLES"); built != "" {
			if _, err := os.Stat(filepath.Join(built, s.example)); errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		require.NoError(t, json.Unmarshal(data, &s))
		require.NotEmpty(t, s.Callers)
		require.NotEmpty(t, s.Calls)
		all = append(all, s)
	}
	require.NotEmpty(t, all)
	return all
}

// flags returns the flags of the example, with a new directory.
func (s scenario) flags(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	flags := slices.Clone(s.Args)
	for i, flag := range flags {
		flags[i] = strings.ReplaceAll(flag, "{dir}", dir)
	}
	return flags
}
