package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/guard/internal/records"
)

// Forget forgets the outcome of an earlier call of a tool of the same set, by
// the principal of this call.
func (c *call) Forget(ctx context.Context, tool string, key any) error {
	p := c.set.find(tool)
	if p == nil {
		return errors.New("guard: Forget: the server has no tool of this name")
	}
	t := p.tool
	named, err := records.KeyNamed(t, c.scopeOf(t), key)
	if err == nil {
		err = c.engine.records.Forget(ctx, named)
	}
	if err != nil {
		return fmt.Errorf("guard: Forget: %s: %w", t.Doc.Name, err)
	}
	return nil
}
