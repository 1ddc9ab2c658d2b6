package github_test

import (
	"testing"

	rest "github.com/google/go-github/v74/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/github"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/adoption/internal/longtest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/verify/effectcheck"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	longtest.Only(t)
	g, _ := drive.Guard(t)
	s, _, err := github.New(g, rest.NewClient(nil))
	require.NoError(t, err)
	report, err := effectcheck.Analyze(mcpgo.ToolsOf(s),
		effectcheck.WithFunction("(*github.com/shurcooL/githubv4.Client).Query", "NETWORK/READ"),
		effectcheck.WithFunction("(*github.com/shurcooL/githubv4.Client).Mutate", "NETWORK/WRITE"))
	require.NoError(t, err)
	report.Assert(t)
	assert.Len(t, report.Tools, 92)
	reaches := report.Capabilities()
	assert.Contains(t, reaches["delete_file"], "NETWORK/WRITE")
	assert.NotContains(t, reaches["get_me"], "NETWORK/WRITE")
}
