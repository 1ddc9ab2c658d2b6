package payouts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	var releases []verify.Option
	for _, id := range []string{"po_1001", "po_1003", "po_1004", "po_1005"} {
		releases = append(releases, verify.Case{Name: id, Input: ReleaseInput{PayoutID: id}})
	}
	tools, err := NewDesk().Tools()
	require.NoError(t, err)
	for i, tool := range tools {
		t.Run(tool.Name(), func(t *testing.T) {
			t.Parallel()
			options := []verify.Option{verify.WithFixture(func(t testing.TB) verify.Fixture {
				desk := NewDesk()
				all, err := desk.Tools()
				require.NoError(t, err)
				return verify.Fixture{Tool: all[i], State: func() any { return desk }}
			})}
			if tool.Name() == "payouts.release" {
				options = append(options, releases...)
			}
			verify.Tool(t, tool, options...)
		})
	}
}
