package filesystem_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/filesystem"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/adoption/internal/longtest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/verify/effectcheck"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	longtest.Only(t)
	g, _ := drive.Guard(t)
	s, _, err := filesystem.New(g, t.TempDir())
	require.NoError(t, err)
	report, err := effectcheck.Analyze(mcpgo.ToolsOf(s))
	require.NoError(t, err)
	report.Assert(t)
	assert.Len(t, report.Tools, 14)
	reaches := report.Capabilities()
	assert.Contains(t, reaches["write_file"], "FILES/WRITE")
	assert.NotContains(t, reaches["read_file"], "FILES/WRITE")
}
