package gosdk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/gosdk"
)

func TestWithGatewayKeys_OverHTTP(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		list := func(opts ...gosdk.Option) (map[string]map[string]any, map[string]any) {
			k := newKit(t, []*contract.Tool{n.add().MustBuild()}, append(opts, gosdk.WithNames(gosdk.Underscore))...)
			return annotationsOf(t, k.post(e, "", "tools/list", "", message(t, e, 3, "tools/list", "{}")))
		}
		without, plain := list()
		with, changed := list(gosdk.WithGatewayKeys())
		assert.Equal(t, addHints, without["calc_add"])
		assert.Equal(t, addKeys, with["calc_add"])
		assert.Equal(t, plain, changed)
	})
}

// annotationsOf returns the annotations of the listed tools, and the answer
// without them.
func annotationsOf(t *testing.T, answer string) (annotations map[string]map[string]any, rest map[string]any) {
	t.Helper()
	for line := range strings.Lines(answer) { // of an event stream
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			answer = data
		}
	}
	unmarshal(t, answer, &rest)
	annotations = map[string]map[string]any{}
	result, ok := rest["result"].(map[string]any)
	require.True(t, ok, answer)
	tools, _ := result["tools"].([]any)
	for _, listed := range tools {
		tool, _ := listed.(map[string]any)
		annotations[fmt.Sprint(tool["name"])], _ = tool["annotations"].(map[string]any)
		delete(tool, "annotations")
	}
	return annotations, rest
}

// addKeys are the annotations of the tool calc.add with keys, and addHints
// those without.
var (
	addHints = map[string]any{"title": "Add", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}
	addKeys  = map[string]any{
		"title": "Add", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false,
		"risk_level": "read-only", "content_trust_risk": "trusted", "version": "1.2.3", "aliases": []any{"calc_plus"},
	}
)

const listOverStdio = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`

// listIn returns the answer to the list, which may be sent before that to the
// request before it.
func listIn(answers string) string {
	for line := range strings.Lines(answers) {
		if strings.Contains(line, `"id":2`) {
			return line
		}
	}
	return answers
}

func TestWithGatewayKeys_OverStdio(t *testing.T) {
	t.Parallel()
	n := &tools{}
	for _, c := range []struct {
		opts []gosdk.Option
		want map[string]any
	}{{nil, addHints}, {[]gosdk.Option{gosdk.WithGatewayKeys()}, addKeys}} {
		s, err := gosdk.NewServer("calc", "1.0.0", nil, append(c.opts, gosdk.WithTools(n.add().MustBuild()))...)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, gosdk.ServeStreams(t.Context(), s, strings.NewReader(listOverStdio), &out))
		annotations, _ := annotationsOf(t, listIn(out.String()))
		assert.Equal(t, c.want, annotations["calc_add"])
	}
}
