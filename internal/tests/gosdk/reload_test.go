package gosdk_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A cluster is shaped like containers/kubernetes-mcp-server: whenever its
// configuration or current context changes, it registers its toolsets again,
// and their schemas name the contexts it knows.
type cluster struct {
	server *mcp.Server
	served []string
}

func newCluster() *cluster {
	return &cluster{server: mcp.NewServer(&mcp.Implementation{Name: "cluster", Version: "1"}, nil)}
}

// load serves the toolsets for some contexts, replacing earlier ones.
func (c *cluster) load(sets []string, contexts ...string) {
	wanted := map[string]bool{}
	for _, set := range sets {
		for _, verb := range []string{"list", "get", "delete"} {
			tool := hinted(set+"_"+verb, mcp.ToolAnnotations{ReadOnlyHint: verb != "delete"})
			tool.InputSchema = map[string]any{"type": "object", "properties": map[string]any{
				"context": map[string]any{"type": "string", "enum": contexts},
			}}
			c.server.AddTool(tool, answering(tool.Name+" of "+strings.Join(contexts, ",")))
			wanted[tool.Name] = true
		}
	}
	for _, name := range c.served {
		if !wanted[name] {
			c.server.RemoveTools(name)
		}
	}
	c.served = c.served[:0]
	for name := range wanted {
		c.served = append(c.served, name)
	}
}

// After use-context, SIGHUP, and turning a toolset off and on, clients are
// notified of the new list, and each tool is under its contract.
func TestWrapAll_AServerThatReloadsKeepsItsTools(t *testing.T) {
	t.Parallel()
	c := newCluster()
	c.load([]string{"pods", "helm"}, "dev")
	k := newKitOf(t, c.server)
	rule := wrap.Rule{Base: contract.Base{
		Effect: risk.HighRiskWrite, Confirmation: contract.ConfirmationNever, ConfirmationReason: "Tests.",
	}}
	_, err := gosdk.WrapAll(c.server, k.guard, wrap.Rules{
		Base:  contract.Base{Version: "1.0.0", Trust: trust.Trusted, Permissions: []string{"notes:write"}},
		Tools: map[string]wrap.Rule{"pods_delete": rule, "helm_delete": rule},
	})
	require.NoError(t, err)
	changed := make(chan struct{}, 100)
	client := connect(t, k.transport("alice"), legacy, &mcp.ClientOptions{
		Capabilities:           &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	all := []string{"helm_delete", "helm_get", "helm_list", "pods_delete", "pods_get", "pods_list"}
	require.Equal(t, all, listedNames(t, client))
	in := func(at string) string { return `{"context":"` + at + `"}` }
	sdktest.AssertRefused(t, k.call(legacy, "alice", "pods_delete", in("prod")), contract.CodeInvalidInput)
	for _, step := range []struct {
		name, context, words string
		load                 func()
		listed               []string
	}{
		{"use-context", "prod", "pods_delete of dev,prod", func() { c.load([]string{"pods", "helm"}, "dev", "prod") }, all},
		{"the same again", "prod", "pods_delete of dev,prod", func() { c.load([]string{"pods", "helm"}, "dev", "prod") }, all},
		{"a set is off", "prod", "pods_delete of prod", func() { c.load([]string{"pods"}, "prod") }, all[3:]},
		{"a set is on", "dev", "pods_delete of dev", func() { c.load([]string{"pods", "helm"}, "dev") }, all},
	} {
		step.load()
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatal("the client was not notified")
		}
		assert.Equal(t, step.listed, listedNames(t, client), step.name)
		assert.Equal(t, step.words, firstText(t, k.call(legacy, "alice", "pods_delete", in(step.context))), step.name)
		sdktest.AssertRefused(t, k.call(legacy, "alice", "pods_delete", in("gone")), contract.CodeInvalidInput)
		for _, name := range step.listed {
			sdktest.AssertRefused(t, k.call(legacy, "bob", name, in(step.context)), contract.CodePermissionDenied)
		}
	}
	require.NoError(t, gosdk.Verify(c.server))
}

// A changed definition that weakens the contract needs the consent of the
// server's author.
func TestWrapAll_AToolThatIsAddedAgainCannotWeakenItsContract(t *testing.T) { //nolint:paralleltest // sets the logger
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	c := newCluster()
	c.load([]string{"pods"}, "dev")
	k := newKitOf(t, c.server)
	_, err := gosdk.WrapAll(c.server, k.guard, wrap.Rules{Base: versioned()})
	require.NoError(t, err)
	for range 2 {
		c.server.AddTool(hinted("pods_delete", mcp.ToolAnnotations{ReadOnlyHint: true}), answering("weaker"))
		for range 2 {
			assertUnknown(t, k.call(legacy, "alice", "pods_delete", `{}`), "pods_delete")
		}
		assert.Equal(t, []string{"verify.replaced pods_delete"}, sdktest.Rules(gosdk.Verify(c.server)))
		c.load([]string{"pods"}, "dev")
		sdktest.AssertRefused(t, k.call(legacy, "alice", "pods_delete", `{}`), contract.CodeConfirmationRequired)
	}
	assert.Equal(t, 1, strings.Count(lines.String(), "wrap.weaker"), lines.String())
	assert.Contains(t, lines.String(), "declare its effect in a rule, and restart the server")
}
