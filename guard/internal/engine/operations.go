package engine

import (
	"context"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/internal/operation"
	"github.com/toolcontract/toolcontract/store"
)

// LookUp returns the status of an operation of this call's principal. A malformed
// ID takes the same path as any other, so that it takes as long.
func (c *call) LookUp(ctx context.Context, id string) (operation.Status, error) {
	o, ok := operation.Parse(id)
	if !ok {
		o = operation.Operation{ID: store.Fingerprint([]byte(id))}
	}
	var tools []*facts.ProtectedTool
	for _, p := range c.set.plans {
		if records.ShowsOperations(p.tool) && p.tool.MayCall(c.principal) {
			tools = append(tools, p.tool)
		}
	}
	key := store.Key{Partition: c.scope().Key("").Partition, ID: o.ID}
	found, err := c.engine.records.LookUp(ctx, key, o.Generation, tools)
	if listed := c.request.Listed; listed != nil && found.Tool != "" {
		found.Tool = listed(found.Tool)
	}
	return found, err
}
