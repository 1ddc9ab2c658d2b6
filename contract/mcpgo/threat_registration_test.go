package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

// Task mode would bypass the guard, because mcp-go runs task tools without
// middleware and without a check of their results. A contract cannot declare
// it. Task tools that are registered next to contracts are hidden, not run, and
// named by Verify.
func TestThreat08_TaskToolsAreHiddenAndNotRun(t *testing.T) {
	t.Parallel()
	for _, support := range []mcp.TaskSupport{mcp.TaskSupportOptional, mcp.TaskSupportRequired} {
		n := &tools{}
		k := newKit(t, n.all(), mcpgo.WithServerOptions(server.WithTaskCapabilities(true, true, true)))
		ran := make(chan struct{}, 10)
		k.server.AddTaskTool(mcp.NewTool("other.task", mcp.WithTaskSupport(support)), func(context.Context, mcp.CallToolRequest) (*mcp.CreateTaskResult, error) {
			ran <- struct{}{}
			return &mcp.CreateTaskResult{}, nil
		})
		// The tool of a contract is registered again with task support.
		tool := *k.server.GetTool("calc.add")
		tool.Tool.Execution = &mcp.ToolExecution{TaskSupport: support}
		k.server.AddTools(tool)

		eachEra(t, func(t *testing.T, e era) {
			assert.Equal(t, []string{"notes.write"}, listedNames(t, k.client(e, "alice")))
			for _, name := range []string{"other.task", "calc.add"} {
				for _, params := range []string{`{"name":"` + name + `","arguments":{"a":1}}`, `{"name":"` + name + `","arguments":{"a":1},"task":{"ttl":1000}}`} {
					assertUnknown(t, k.post(e, "alice", "tools/call", name, message(t, e, 1, "tools/call", params)), name)
				}
			}
		})
		assert.Empty(t, ran)
		assert.Zero(t, n.adds.Load())
		assert.Equal(t, []string{"verify.task calc.add", "verify.task other.task"}, rules(mcpgo.Verify(k.server)))
	}
}

// A call that asks for a task is refused. It does not run without a task.
func TestThreat08_TaskAugmentedCallIsRefused(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.all(), mcpgo.WithServerOptions(server.WithTaskCapabilities(true, true, true)))
	eachEra(t, func(t *testing.T, e era) {
		for _, task := range []string{`{}`, `{"ttl":60000}`} {
			for _, name := range []string{"calc.add", "calc.plus"} {
				body := message(t, e, 1, "tools/call", `{"name":"`+name+`","arguments":{"a":1},"task":`+task+`}`)
				assertRefused(t, k.post(e, "", "tools/call", name, body), contract.CodeInvalidInput)
			}
		}
	})
	assert.Zero(t, n.adds.Load())
}
