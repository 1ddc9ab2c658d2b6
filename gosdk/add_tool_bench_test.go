package gosdk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/risk"
)

// BenchmarkAddTool makes a server of 300 tools: one by one, at once, and
// without contracts.
func BenchmarkAddTool(b *testing.B) {
	base := contract.Base{Version: "1.0.0", Effect: risk.ReadOnly}
	find := func(ctx context.Context, _ *mcp.CallToolRequest, in SearchIn) (*mcp.CallToolResult, SearchOut, error) {
		out, err := search(ctx, in)
		return nil, out, err
	}
	servers := map[string]func(tools []*mcp.Tool) error{
		"one by one": func(tools []*mcp.Tool) error {
			s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
			for _, t := range tools {
				if err := gosdk.AddTool(s, nil, t, find, base); err != nil {
					return err
				}
			}
			return gosdk.Verify(s)
		},
		"at once": func(tools []*mcp.Tool) error {
			s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
			var all []*contract.Tool
			for _, t := range tools {
				built, err := gosdk.WrapFor(t, find).From(base).Build()
				if err != nil {
					return err
				}
				all = append(all, built)
			}
			if err := gosdk.Register(s, nil, gosdk.WithTools(all...)); err != nil {
				return err
			}
			return gosdk.Verify(s)
		},
		"bare": func(tools []*mcp.Tool) error {
			s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
			for _, t := range tools {
				mcp.AddTool(s, t, find)
			}
			return nil
		},
	}
	for name, serve := range servers {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				tools := make([]*mcp.Tool, 300)
				for i := range tools {
					tools[i] = &mcp.Tool{Name: fmt.Sprintf("search_%03d", i), Description: "Searches the mailbox."}
				}
				if err := serve(tools); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
