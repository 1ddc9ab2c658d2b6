package contracttest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
)

func TestMeasure_SortsTheToolsByName(t *testing.T) {
	t.Parallel()
	report, err := contracttest.Measure(writing("notes.write").MustBuild(), reading("notes.find").MustBuild())
	require.NoError(t, err)
	rows := strings.Split(report.String(), "\n")
	require.Len(t, rows, 5)
	assert.Equal(t, []string{"tool", "hints", "tokens", "summary", "tokens", "full", "tokens"}, strings.Fields(rows[0]))
	assert.Equal(t, "notes.find", strings.Fields(rows[1])[0])
	assert.Equal(t, "total", strings.Fields(rows[3])[0])
	again, err := contracttest.Measure(reading("notes.find").MustBuild(), writing("notes.write").MustBuild())
	require.NoError(t, err)
	assert.Equal(t, report.String(), again.String())
}

func TestMeasure_RefusesToolsThatCannotBeServed(t *testing.T) {
	t.Parallel()
	_, err := contracttest.Measure(nil, writing("notes.find").SideEffects(
		slices.Repeat([]contract.SideEffect{internalEffect()}, 400)...).MustBuild())
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 2)
	assert.Equal(t, "serve.nil", mistakes[0].Rule)
	assert.Equal(t, "serve.summary", mistakes[1].Rule)
	assert.Equal(t, "notes.find", mistakes[1].Tool)
	empty, err := contracttest.Measure()
	require.NoError(t, err)
	assert.Zero(t, empty.Total().Full)
}

func TestByteReport_RoundsTokensUp(t *testing.T) {
	t.Parallel()
	for bytes, tokens := range map[int]string{0: "0", 1: "1", 4: "1", 5: "2", 400: "100"} {
		report := contracttest.ByteReport{Tools: []contracttest.ToolBytes{{Name: "a", Hints: bytes}}}
		assert.Equal(t, tokens, strings.Fields(strings.Split(report.String(), "\n")[1])[2])
	}
}

func ExampleMeasure() {
	report, err := contracttest.Measure(reading("notes.find").MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range report.Tools {
		fmt.Println(t.Name, t.Hints < t.Summary, t.Summary < t.Full)
	}
	// Output: notes.find true true
}
