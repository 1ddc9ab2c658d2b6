package effecttest_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/effectcheck"
	"github.com/toolcontract/toolcontract/verify/internal/testing/effecttest"
)

func TestAnalyze_RefusesToolsThatItCannotDistinguish(t *testing.T) {
	var s effecttest.Store
	tool := reading("read.read", s.Read).MustBuild()
	for name, tools := range map[string][]*contract.Tool{"a nil tool": {tool, nil}, "one name twice": {tool, tool}} {
		_, err := effectcheck.Analyze(tools)
		assert.Error(t, err, name)
	}
	_, err := effectcheck.Analyze([]*contract.Tool{tool}, effectcheck.WithHandler("read.other", s.Read))
	assert.Error(t, err, "no such tool")
	_, err = effectcheck.Analyze([]*contract.Tool{tool}, effectcheck.WithHandler("read.read", "Read"))
	assert.Error(t, err, "no function")
}

// onlyForItsAuthors skips the test unless TOOLCONTRACT_SUITES is 1, because
// only changes to package effectcheck need it.
func onlyForItsAuthors(t *testing.T) {
	t.Helper()
	if os.Getenv("TOOLCONTRACT_SUITES") != "1" {
		t.Skip("TOOLCONTRACT_SUITES is not 1")
	}
}

func TestAnalyze_HeedsItsOptions(t *testing.T) {
	onlyForItsAuthors(t)
	var s effecttest.Store
	tools := []*contract.Tool{
		reading("read.wrapped", effecttest.Wrapped(s.Nothing)).MustBuild(),
		reading("read.wrapped_write", effecttest.Wrapped(s.Append)).MustBuild(),
		reading("read.post", s.Post).MustBuild(),
	}
	r, err := effectcheck.Analyze(tools,
		effectcheck.WithHandler("read.wrapped", s.Nothing), effectcheck.WithHandler("read.wrapped_write", s.Append),
		effectcheck.WithFunction("(*github.com/toolcontract/toolcontract/verify/internal/testing/effecttest.Store).send",
			"NETWORK/READ"))
	require.NoError(t, err)
	assert.Equal(t, effectcheck.Consistent, r.Conclusion("read.wrapped"))
	assert.Equal(t, effectcheck.Contradicted, r.Conclusion("read.wrapped_write"))
	assert.Equal(t, effectcheck.Consistent, r.Conclusion("read.post"))

	_, err = effectcheck.Analyze(tools, effectcheck.WithFunction("net.Dail", "NETWORK"))
	assert.Error(t, err, "nothing calls the function")
}

func TestAnalyze_FindsHandlersInTestFiles(t *testing.T) {
	onlyForItsAuthors(t)
	var s effecttest.Store
	literal := reading("read.literal", func(ctx context.Context, in effecttest.In) (effecttest.Out, error) {
		return s.Append(ctx, in)
	}).MustBuild()
	r, err := effectcheck.Analyze([]*contract.Tool{literal})
	require.NoError(t, err)
	assert.Equal(t, effectcheck.Contradicted, r.Conclusion("read.literal"))
}
