package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// A listed tool is an entry of the list.
type listed struct {
	Name     string            `json:"name"`
	Hints    []string          `json:"hints"`
	Contract contract.Document `json:"contract"`
}

// list lists the tools and fills in the result.
func (st step) list(ctx context.Context, t stepResult) (stepResult, error) {
	result, err := st.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return t, err
	}
	var names []string
	for _, tool := range result.Tools {
		item := listed{Name: tool.Name, Hints: hints(tool.Annotations)}
		if tool.Meta == nil {
			return t, errors.New("a tool has no _meta")
		}
		if err := decodeInto(tool.Meta.AdditionalFields[contract.MetaKeyContract], &item.Contract); err != nil {
			return t, err
		}
		t.Tools = append(t.Tools, item)
		names = append(names, tool.Name)
	}
	t.Status = "ok"
	if got := strings.Join(names, " "); got != st.want {
		return t, fmt.Errorf("expected the tools %q, got %q", st.want, got)
	}
	return t, nil
}

// hints returns the names of the hints that are true.
func hints(a mcp.ToolAnnotation) []string {
	names := []string{}
	for _, h := range []struct {
		name string
		is   *bool
	}{
		{"readOnly", a.ReadOnlyHint}, {"destructive", a.DestructiveHint},
		{"idempotent", a.IdempotentHint}, {"openWorld", a.OpenWorldHint},
	} {
		if h.is != nil && *h.is {
			names = append(names, h.name)
		}
	}
	return names
}
