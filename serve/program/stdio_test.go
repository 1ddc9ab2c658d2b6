package program_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func printingTools() ([]*contract.Tool, error) {
	prints, err := contract.New("desk.print", func(context.Context, struct{}) (struct{}, error) {
		fmt.Println("printed")
		return struct{}{}, nil
	}).Description("Prints.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
	return []*contract.Tool{prints}, err
}

// Nothing but the protocol is on standard output, whether the program serves
// there directly or through the streams of package keys.
func TestMain_KeepsPrintsOutOfTheProtocol(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-prints"}, {"-prints", "-gateway"}} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env = append(os.Environ(), serveEnv+"=1")
		cmd.Stdin = strings.NewReader(strings.Join([]string{
			sdktest.Opening(`{}`, "test"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			"\ufeff" + sdktest.Listing, sdktest.Call(3, "desk_print", `{}`), "",
		}, "\n"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		require.NoError(t, err)
		ids := map[any]bool{}
		for line := range strings.Lines(string(stdout)) {
			a := sdktest.Parse(t, line)
			require.NotNil(t, a.Result, line)
			ids[a.ID] = true
			if a.ID == 2.0 {
				assert.Equal(t, len(args) == 2, strings.Contains(line, "risk_level"), "the keys of a gateway")
			}
		}
		assert.Equal(t, map[any]bool{1.0: true, 2.0: true, 3.0: true}, ids)
		assert.Contains(t, strings.Split(stderr.String(), "\n"), "printed")
	}
}
