package catalog

import (
	"context"
	"slices"
)

// The rules of an [Error] of [Catalog.Accept].
const (
	fileAccept = "accept"

	ruleAcceptDigest = "accept.digest" // a tool that is not listed now with this digest
)

// Accept records that the operator has reviewed a tool's definition, as
// "digest" in the operator's file does. tool is its [Entry.Name] and digest the
// [Entry.Digest] that was reviewed. From the next [Catalog.Refresh] on, the
// changed definition no longer quarantines the tool; a downgrade still does.
//
// The error is an [*Error] if the last cycle lists no such tool, or another
// definition of it. Other errors come from the state file or the context.
func (c *Catalog) Accept(ctx context.Context, tool, digest string) error {
	select {
	case c.refreshing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.refreshing }()
	e, ok := c.Cycle().Entry(tool)
	if !ok || e.Digest != digest {
		return &Error{File: fileAccept, Rule: ruleAcceptDigest, Message: "no tool of this name is listed with this digest",
			Remedy: "review the definition that is listed now, and accept its digest"}
	}
	state := c.state
	state.Tools = slices.Clone(state.Tools)
	for i, s := range state.Tools {
		if s.Server == e.Server && s.Tool == e.Tool {
			state.Tools[i].Digest, state.Tools[i].Listed, state.Tools[i].Definition = digest, "", nil // the next cycle sets it
		}
	}
	if c.options.StateFile != "" {
		if err := c.save(state); err != nil {
			return err
		}
	}
	c.state = state
	return nil
}
