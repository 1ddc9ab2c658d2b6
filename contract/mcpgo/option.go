package mcpgo

import (
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// An Option configures [NewServer] and [ServeStdio]. Nil is an error.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// Tools names the tools to serve. It may be given more than once, and adds.
// Default: none. A nil tool, and a name or alias that two tools have, is an
// error of NewServer.
func Tools(tools ...*contract.Tool) Option {
	tools = slices.Clone(tools)
	return optionFunc(func(c *config) { c.tools = append(c.tools, tools...) })
}

// Tier sets how much of each contract tools/list shows. Default: [Full]. The
// last one given holds.
func Tier(t ContractTier) Option {
	return optionFunc(func(c *config) { c.tier = t })
}

// ServerOptions passes mcp-go's own options on, in their order. It may be given
// more than once, and adds. Hooks given with server.WithHooks are kept and
// added to: give each server its own. Tool filters given with
// server.WithToolFilter apply too; they can hide tools and never add one.
func ServerOptions(opts ...server.ServerOption) Option {
	opts = slices.Clone(opts)
	return optionFunc(func(c *config) { c.server = append(c.server, opts...) })
}

// A config is what the options said.
type config struct {
	tools  []*contract.Tool
	tier   ContractTier
	server []server.ServerOption
}

// newConfig applies the options and reports what is wrong with them.
func newConfig(name, version string, opts []Option) (*config, error) {
	var errs []error
	bad := func(rule, clause, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Clause: clause, Message: message, Remedy: remedy})
	}
	if name == "" {
		bad("serve.name", "name", "the server has no name", "pass one")
	}
	if version == "" {
		bad("serve.version", "version", "the server has no version", "pass one")
	}
	c := &config{}
	for _, o := range opts {
		if o == nil {
			bad("serve.option", "options", "an option is nil", "remove it")
			continue
		}
		o.apply(c)
	}
	if !c.tier.IsValid() {
		bad("serve.tier", "tier", "the tier is unknown", "use Full, Summary or Hints")
	}
	for _, o := range c.server {
		if o == nil {
			bad("serve.option", "ServerOptions", "an option of mcp-go's is nil", "remove it")
			break
		}
	}
	return c, errors.Join(errs...)
}
