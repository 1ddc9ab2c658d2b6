package main

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
)

// wrappedTools is how many tools a known server has, which others wrote.
const wrappedTools = 863

// wrapGroup makes a server of the official SDK with many tools, and puts
// contracts around all of them.
func wrapGroup() group {
	op := func(name string, after func(*mcp.Server) error) variant {
		return variant{name: name, times: 1, open: func() (func() error, func(), error) {
			t, err := full()
			return func() error { return after(manyForeign(t.Document())) }, func() {}, err
		}}
	}
	return group{name: "wrap", variants: []variant{
		op("register_863_tools", func(*mcp.Server) error { return nil }),
		op("wrap_863_tools", func(s *mcp.Server) error {
			g, end, err := newGuard()
			if err != nil {
				return err
			}
			defer end()
			_, err = gosdk.WrapAll(s, g, wrap.Rules{Base: contract.Base{Version: "1.0.0", Permissions: []string{permission}}})
			return err
		}),
	}}
}

// manyForeign returns a server whose tools have the schemas of doc, and hints
// from which different contracts follow.
func manyForeign(doc contract.Document) *mcp.Server {
	yes, no := true, false
	hints := []mcp.ToolAnnotations{
		{ReadOnlyHint: true}, {DestructiveHint: &no, OpenWorldHint: &yes}, {DestructiveHint: &yes, IdempotentHint: true}, {},
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	for i, name := range names(wrappedTools) {
		s.AddTool(&mcp.Tool{
			Name: name, Description: doc.Description, InputSchema: doc.InputSchema, OutputSchema: doc.OutputSchema,
			Annotations: &hints[i%len(hints)],
		}, nil)
	}
	return s
}
