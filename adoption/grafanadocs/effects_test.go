package grafanadocs_test

import (
	"testing"

	docs "github.com/grafana/mcp-doc-server/pkg/grafanadocs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/grafanadocs"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/adoption/internal/longtest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/verify/effectcheck"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	longtest.Only(t)
	g, _ := drive.Guard(t)
	s, _, err := grafanadocs.New(g, &docs.Index{})
	require.NoError(t, err)
	report, err := effectcheck.Analyze(mcpgo.ToolsOf(s))
	require.NoError(t, err)
	report.Assert(t)
	assert.Len(t, report.Tools, 4)
	assert.Equal(t, []string{"NETWORK/READ"}, report.Capabilities()["get_doc"])
}
