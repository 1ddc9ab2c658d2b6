package github

import (
	"context"

	"github.com/github/github-mcp-server/pkg/github"
	"github.com/github/github-mcp-server/pkg/raw"
	"github.com/github/github-mcp-server/pkg/translations"
	rest "github.com/google/go-github/v74/github"
	"github.com/mark3labs/mcp-go/server"
	"github.com/shurcooL/githubv4"
)

// contentWindow bounds the logs that the upstream returns, in lines. It is the
// upstream's own default.
const contentWindow = 5000

// upstream assembles the server as the upstream's command does, with all tools.
func upstream(client *rest.Client) (*server.MCPServer, error) {
	s := github.NewServer("0.20.0")
	all := github.DefaultToolsetGroup(false,
		func(context.Context) (*rest.Client, error) { return client, nil },
		func(context.Context) (*githubv4.Client, error) { return githubv4.NewClient(client.Client()), nil },
		func(context.Context) (*raw.Client, error) { return raw.NewClient(client, client.BaseURL), nil },
		translations.NullTranslationHelper, contentWindow)
	if err := all.EnableToolsets([]string{github.ToolsetMetadataAll.ID}, nil); err != nil {
		return nil, err
	}
	all.RegisterAll(s)
	return s, nil
}
