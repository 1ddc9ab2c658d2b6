package docs_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/assert/yaml" // the reader of YAML that testify has
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// An action is a composite action of GitHub, as far as the tests run it.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []step
	}
}

type step struct {
	Name, If, Shell, Run string
	WorkingDirectory     string `yaml:"working-directory"`
	Env                  map[string]string
}

const actionFolder = ".github/actions/contracts"

func readAction(t *testing.T) (a action) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(read(t, actionFolder+"/action.yml")), &a))
	require.Equal(t, "composite", a.Runs.Using)
	return a
}

var inputExpression = regexp.MustCompile(`\$\{\{ inputs\.([a-z-]+) \}\}`)

// run runs steps in a folder as GitHub does, and returns the names of those
// that failed, and the summary. Temp is the folder in which steps leave files.
func (a action) run(t *testing.T, steps []step, temp, dir string, inputs map[string]string) (failed []string, summary string) {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	summaryFile := filepath.Join(temp, "summary")
	outputFile := filepath.Join(temp, "output")
	fill := func(text string) string {
		return inputExpression.ReplaceAllStringFunc(text, func(e string) string {
			name := inputExpression.FindStringSubmatch(e)[1]
			require.Contains(t, a.Inputs, name)
			if value, set := inputs[name]; set {
				return value
			}
			return a.Inputs[name].Default
		})
	}
	for _, step := range steps {
		if len(failed) > 0 && step.If != "${{ !cancelled() }}" {
			continue
		}
		require.Equal(t, "bash", step.Shell, step.Name)
		require.NotContains(t, step.Run, "${{", "%s: an expression in a script runs what it expands to", step.Name)
		script := filepath.Join(temp, "step.sh")
		require.NoError(t, os.WriteFile(script, []byte(step.Run), 0o600))
		c := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		c.Dir = filepath.Join(dir, fill(step.WorkingDirectory))
		c.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "GITHUB_STEP_SUMMARY="+summaryFile, "GITHUB_OUTPUT="+outputFile,
			"GITHUB_ACTION_PATH="+filepath.Join(root, actionFolder))
		for name, value := range step.Env {
			c.Env = append(c.Env, name+"="+fill(value))
		}
		if out, err := c.CombinedOutput(); err != nil {
			t.Logf("%s: %v\n%s", step.Name, err, out)
			failed = append(failed, step.Name)
		}
	}
	text, err := os.ReadFile(summaryFile)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return failed, string(text)
}

// contractsOf returns the snapshot of one tool.
func contractsOf(t *testing.T, version string, permissions ...string) string {
	t.Helper()
	type in struct {
		A int `json:"a" jsonschema:"description=One number."`
	}
	tool := contract.New("numbers.add", func(_ context.Context, _ in) (in, error) { return in{}, nil }).
		Title("Add").Description("Adds.").Version(version).Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions(permissions...)
	s, err := compat.NewSnapshot(tool.MustBuild())
	require.NoError(t, err)
	text, err := s.Text()
	require.NoError(t, err)
	return string(text)
}

// repository returns a clone with a module in the folder server, on a branch
// that has these files more than the branch main of its origin.
func repository(t *testing.T, base, head map[string]string) string {
	t.Helper()
	for _, name := range []string{"git", "bash", "tee"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	origin, clone := filepath.Join(t.TempDir(), "origin"), filepath.Join(t.TempDir(), "clone")
	git := func(dir string, args ...string) {
		c := exec.CommandContext(t.Context(), "git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
			"GIT_COMMITTER_EMAIL=a@example.com")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
	}
	commit := func(dir string, files map[string]string) {
		for name, text := range files {
			path := filepath.Join(dir, "server", name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		git(dir, "add", ".")
		git(dir, "commit", "-qm", "a")
	}
	git(".", "init", "-q", "-b", "main", origin)
	all := map[string]string{"go.mod": "module a.example/server\n\ngo 1.26\n", "a_test.go": "package server\n"}
	maps.Copy(all, base)
	commit(origin, all)
	git(".", "clone", "-q", "--depth=1", "file://"+origin, clone)
	git(clone, "checkout", "-q", "-b", "change")
	commit(clone, head)
	return clone
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestAction_ExampleSetsItsInputs(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, actionFolder+"/example.yml")), &workflow))
	used := 0
	for _, step := range workflow.Jobs["contracts"].Steps {
		if strings.HasPrefix(step.Uses, "toolcontract/toolcontract/"+actionFolder+"@") {
			used++
			for name := range step.With {
				assert.Contains(t, a.Inputs, name)
			}
		}
	}
	assert.Equal(t, 1, used)
}

func TestAction_ComparesWithTheBaseAndTests(t *testing.T) {
	t.Parallel()
	a := readAction(t)
	const file, lint, compare, test = "testdata/contracts.json", "Lint for hosts", "Compare with the base", "Test the contracts"
	const list = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}` // it sends no hints
	const fails = "package server\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Fatal() }\n"
	now := func(version string, permissions ...string) map[string]string {
		return map[string]string{file: contractsOf(t, version, permissions...)}
	}
	old := now("1.0.0", "numbers:read")
	const reasonsOf = "testdata/contracts.reasons.json"
	reasons := func(entries []string) string { return `{"format":1,"reasons":[` + strings.Join(entries, ",") + `]}` }
	both := []string{
		`{"tool":"numbers.add","pointer":"","rule":"principal.waived","from":null,"to":null,"why":"Public; see $(touch ran)"}`,
		`{"tool":"numbers.add","pointer":"/permissions","rule":"permission.removed","from":"numbers:read","to":null,"why":"Public."}`,
	}
	built := t.TempDir()
	failed, _ := a.run(t, a.Runs.Steps[:1], built, ".", nil)
	require.Empty(t, failed)
	for name, c := range map[string]struct {
		base, head map[string]string
		inputs     map[string]string
		failed     []string
		summary    []string
	}{
		"equal": {old, map[string]string{"new.go": "package server\n"}, nil, nil,
			[]string{"### Contracts: the recorded contracts are equal"}},
		"breaking": {old, now("2.0.0", "numbers:read", "numbers:add"), nil, []string{compare},
			[]string{"### Contracts: not compatible", "| `numbers.add` | breaking, `permission.added` |"}},
		"weaker": {old, now("1.1.0"), nil, []string{compare},
			[]string{"a declared protection is weaker", "| weaker, `permission.removed` |"}},
		"breaking, and allowed": {old, now("2.0.0", "numbers:read", "numbers:add"), map[string]string{"allow-breaking": "true"}, nil,
			[]string{"### Contracts: not compatible"}},
		"weaker, and allowed": {old, map[string]string{file: contractsOf(t, "1.1.0"), reasonsOf: reasons(both)}, nil, nil,
			[]string{"which is allowed", `see $(touch ran)`}},
		"weaker, and allowed in part": {old, map[string]string{file: contractsOf(t, "1.1.0"), reasonsOf: reasons(both[:1])}, nil,
			[]string{compare}, []string{"is weaker than before\n"}},
		"without its version":     {old, now("1.0.0", "numbers:read", "numbers:add"), nil, []string{compare}, []string{"- compat"}},
		"no snapshot in the base": {map[string]string{}, old, nil, nil, []string{"no snapshot"}},
		"a new branch":            {old, now("2.0.0"), map[string]string{"base": strings.Repeat("0", 40)}, nil, []string{"no base"}},
		"no such base":            {old, now("1.0.0"), map[string]string{"base": "--upload-pack=x"}, []string{compare}, nil},
		"no snapshot":             {old, map[string]string{file: ""}, nil, []string{lint, compare}, nil},
		"no such host": {old, map[string]string{"new.go": "package server\n"}, map[string]string{"hosts": "emacs"},
			[]string{lint}, []string{"equal"}},
		"a directory refuses it": {old, map[string]string{file: list}, map[string]string{"hosts": "openai-directory"},
			[]string{lint, compare}, nil},
		"a directory refuses it, and that is accepted": {old, map[string]string{file: list}, map[string]string{
			"hosts": "openai-directory", "accept": "host.hints.missing=It is not for this directory; $(touch ran)\n",
		}, []string{compare}, nil},
		"a test fails": {old, map[string]string{"b_test.go": fails}, nil, []string{test}, []string{"equal", "### Contracts: the tests fail"}},
		"a weaker contract, and a failing test": {old, map[string]string{"b_test.go": fails, file: contractsOf(t, "1.1.0")}, nil,
			[]string{compare, test},
			[]string{"weaker"}},
		"other packages": {old, map[string]string{"b/b_test.go": strings.Replace(fails, "server", "b", 1)},
			map[string]string{"packages": ". ./c"}, []string{test}, []string{"equal"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs := map[string]string{"base": "main", "working-directory": "server"}
			maps.Copy(inputs, c.inputs)
			clone := repository(t, c.base, c.head)
			temp := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(temp, "contracts"), 0o700))
			const binary = "contracts/toolcontract"
			require.NoError(t, os.Link(filepath.Join(built, binary), filepath.Join(temp, binary)))
			failed, summary := a.run(t, a.Runs.Steps[1:], temp, clone, inputs)
			assert.Equal(t, c.failed, failed)
			if !slices.Contains([]string{"no snapshot", "no such host"}, name) {
				output := readFile(t, filepath.Join(temp, "output"))
				found := readFile(t, strings.TrimSpace(strings.TrimPrefix(output, "sarif=")))
				assert.Contains(t, found, `"uri": "server/testdata/contracts.json"`)
			}
			for _, text := range c.summary {
				assert.Contains(t, summary, text)
			}
			assert.NoFileExists(t, filepath.Join(clone, "server", "ran"))
			c := exec.CommandContext(t.Context(), "git", "status", "--porcelain")
			c.Dir = clone
			changed, err := c.Output()
			require.NoError(t, err)
			assert.Empty(t, bytes.TrimSpace(changed), "the checkout stays as it was")
		})
	}
}
