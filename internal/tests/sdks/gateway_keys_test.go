package sdks_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// addKeys are the annotations of the tool calc.add with the keys that a gateway
// reads.
var addKeys = map[string]any{
	"title": "Add", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
	"risk_level": "read-only", "content_trust_risk": "trusted", "version": "1.2.3", "aliases": []any{"calc_plus"},
}

func annotations(t *testing.T, tool string) map[string]any {
	t.Helper()
	var listed struct{ Annotations map[string]any }
	sdktest.Unmarshal(t, tool, &listed)
	return listed.Annotations
}

func TestNewHandler_ListHasTheKeysBehindTheirHandler(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k, add := &kit{t: t, sdk: s, sessions: map[string]string{}}, new(tools).Add().MustBuild()
		h, err := s.NewHandler("calc", "1.0.0", nil, serving(add))
		require.NoError(t, err)
		k.serve(keys.Handler(h, keys.For(contract.Underscore, add)))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			is, _ := k.list(e, "")
			assert.Equal(t, addKeys, annotations(t, is["calc_add"]))
		})
	})
}

func TestWithStreams_ListHasTheKeys(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	add := new(tools).Add().MustBuild()
	for _, s := range all {
		for name, serve := range map[string]func(options) error{
			"a new server": func(with options) error {
				with.Tools = []*contract.Tool{add}
				return s.ServeStdio("calc", "1.0.0", nil, with)
			},
			"a server with tools that are added later": func(with options) error {
				o, err := s.NewServer("calc", "1.0.0", nil, with)
				return errors.Join(err, o.Add(add), o.ServeStdioServer())
			},
		} {
			var sent strings.Builder
			in, out := keys.Stdio(strings.NewReader(strings.Join([]string{sdktest.Opening(`{}`, "test"), initialized,
				sdktest.Listing, ""}, "\n")), &sent, keys.For(contract.Underscore, add))
			require.NoError(t, serve(options{in: in, out: out}), name)
			require.NoError(t, out.Close())
			is := map[string]string{}
			for line := range strings.Lines(sent.String()) { // in any order
				var answer struct {
					ID     int
					Method string
				}
				require.NoError(t, json.Unmarshal([]byte(line), &answer), line)
				if answer.ID == 2 && answer.Method == "" {
					is, _ = listing(t, line)
				}
			}
			assert.Equal(t, addKeys, annotations(t, is["calc_add"]), "%s: %s", s.Name(), name)
		}
	}
}
