package guard_test

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// An adapter of an MCP SDK audits a call that the SDK refused by itself.
func ExampleAdapter() {
	var events audit.Recorder
	g, err := guard.New(guard.WithAudit(&events), asAnna())
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := g.Protect(noteTool("notes.add").MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	tools.Adapter().UnknownTool(ctx, "notes.delete")
	if err := g.Close(ctx); err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range events.Events(audit.Terminal) {
		fmt.Println(e.Tool, e.Code)
	}
	// Output: notes.delete unknown_tool
}
