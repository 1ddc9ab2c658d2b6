package github

import (
	"context"
	"log/slog"
	"net/url"

	upstream "github.com/github/github-mcp-server/pkg/github"
	"github.com/github/github-mcp-server/pkg/raw"
	"github.com/github/github-mcp-server/pkg/translations"
	rest "github.com/google/go-github/v89/github"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/shurcooL/githubv4"
)

// contentWindow bounds the logs that the upstream returns, in lines. It is the
// upstream's own default.
const contentWindow = 5000

// newUpstream assembles the server as the upstream's command does, with the
// toolsets that are given.
func newUpstream(client *rest.Client, toolsets ...string) (*mcp.Server, error) {
	translate := translations.NullTranslationHelper
	inventory, err := upstream.NewInventory(translate).WithToolsets(toolsets).Build()
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(client.BaseURL())
	if err != nil {
		return nil, err
	}
	contents, err := raw.NewClient(client, base)
	if err != nil {
		return nil, err
	}
	deps := upstream.NewBaseDeps(client, githubv4.NewClient(client.Client()), contents, nil,
		translate, upstream.FeatureFlags{}, contentWindow, nil, nil)
	cfg := &upstream.MCPServerConfig{Version: "1.9.0", Translator: translate, Logger: slog.New(slog.DiscardHandler)}
	return upstream.NewMCPServer(context.Background(), cfg, deps, inventory)
}
