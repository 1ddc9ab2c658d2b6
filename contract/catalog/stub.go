package catalog

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
)

func parseOverrides([]byte) (Overrides, error)            { return Overrides{}, nil }
func parseState([]byte) (State, error)                    { return State{}, nil }
func readState(string) (State, error)                     { return State{}, nil }
func (s State) writeFile(string) error                    { return nil }
func newCatalog(s []Source, _ []Option) (*Catalog, error) { return &Catalog{sources: s}, nil }
func (c *Catalog) refresh(context.Context) (Cycle, error) { return Cycle{}, nil }
func (e Entry) contract(h adapter.Handler, c adapter.WrapConfig) *adapter.WrappedBuilder {
	return adapter.Wrap(e.Definition, h, c)
}
func (c Cycle) tools(func(Entry) adapter.Handler, adapter.WrapConfig) ([]*contract.Tool, error) {
	return nil, nil
}
