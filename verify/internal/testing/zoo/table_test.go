package zoo_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
)

var update = flag.Bool("update", false, "write the table again")

// techniques are the table's columns, in order.
var techniques = []string{"inspect", "verify", "fuzz", "failurecheck", "effectcheck"}

// signs are the table's words for an answer about a lie.
var signs = map[string]string{zoo.Contradicted: "caught", zoo.Consistent: "missed", zoo.Unknown: "unknown", "-": "-"}

// TestTable_CatchesEveryLieAndSuspectsNoTwin reads the answers that the tests
// of each technique have recorded.
func TestTable_CatchesEveryLieAndSuspectsNoTwin(t *testing.T) {
	t.Parallel()
	columns := map[string]map[string]zoo.Answers{}
	for _, technique := range techniques[1:] {
		columns[technique] = column(t, technique)
	}
	columns["inspect"] = inspected(t)
	var table strings.Builder
	fmt.Fprintf(&table, "| lie | rule | published | %s |\n|---|---|---|%s\n", strings.Join(techniques, " | "),
		strings.Repeat("---|", len(techniques)))
	for _, e := range zoo.All() {
		caught := false
		fmt.Fprintf(&table, "| %s | %s | %s |", e.Name, e.Rule, e.Source)
		for _, technique := range techniques {
			a := columns[technique][e.Name]
			caught = caught || a.Lying == zoo.Contradicted
			assert.NotEqual(t, zoo.Contradicted, a.Honest, "%s suspects the twin of %s", technique, e.Name)
			require.Contains(t, signs, a.Lying, "%s of %s", e.Name, technique)
			fmt.Fprintf(&table, " %s |", signs[a.Lying])
		}
		table.WriteString("\n")
		assert.True(t, caught, "no technique catches %s", e.Name)
	}
	path := filepath.Join("testdata", "table.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(table.String()), 0o600))
	}
	recorded, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(recorded), table.String(), "write the table again with -update")
}

// inspected returns the answers of contracttest.Inspect, which reads only the
// contract. It can find a lie that is in the contract.
func inspected(t *testing.T) map[string]zoo.Answers {
	t.Helper()
	answers := map[string]zoo.Answers{}
	for _, e := range zoo.All() {
		a := zoo.Answers{Lying: "-", Honest: zoo.Consistent}
		if inContract[e.Name] {
			a.Lying = zoo.Consistent
			if more := warnings(subject(t, e, e.Lying)) - warnings(subject(t, e, e.Honest)); more > 0 {
				a.Lying = zoo.Contradicted
			}
		}
		answers[e.Name] = a
	}
	return answers
}

func warnings(s zoo.Subject) int {
	return contracttest.Inspect(s.Tool).Count(contracttest.Warning)
}

// column reads a technique's recorded answers.
func column(t *testing.T, technique string) map[string]zoo.Answers {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "columns", technique+".txt"))
	require.NoError(t, err)
	answers := map[string]zoo.Answers{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		require.Len(t, fields, 3, technique)
		answers[fields[0]] = zoo.Answers{Lying: fields[1], Honest: fields[2]}
	}
	return answers
}
