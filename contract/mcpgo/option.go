package mcpgo

import (
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
)

// An Option configures [NewServer], [ServeStdio], [Register] and
// [RegisterSession]. Nil is an error.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithTools names the tools to serve. It may be given more than once, and adds.
// Default: none. A nil tool, and a name or alias that two tools have, is an
// error of NewServer.
func WithTools(tools ...*contract.Tool) Option {
	tools = slices.Clone(tools)
	return optionFunc(func(c *config) { c.tools = append(c.tools, tools...) })
}

// WithTier sets how much of each contract tools/list shows. Default: [Full]. The
// last one given holds.
func WithTier(t ContractTier) Option {
	return optionFunc(func(c *config) { c.tier = t })
}

// WithServerOptions passes mcp-go's own options on, in their order. It may be given
// more than once, and adds. Hooks given with server.WithHooks are kept and
// added to: give each server its own. Tool filters given with
// server.WithToolFilter apply too; they can hide tools and never add one.
func WithServerOptions(opts ...server.ServerOption) Option {
	opts = slices.Clone(opts)
	return optionFunc(func(c *config) { c.server = append(c.server, opts...) })
}

// WithNames sets how names and aliases are listed and called. Default: [Dotted]. The
// last one given holds. Two that become one are an error.
func WithNames(n Naming) Option {
	return optionFunc(func(c *config) { c.naming = n })
}

// WithClosedWorld closes a server that existed before [Register]: what has no
// contract is neither listed nor run, as on one of [NewServer]'s. It is for the
// end of a migration. Default: tools without a contract stay as they were.
func WithClosedWorld() Option {
	return optionFunc(func(c *config) { c.closed = true })
}

// A config is what the options said.
type config struct {
	tools  []*contract.Tool
	tier   ContractTier
	naming Naming
	closed bool
	server []server.ServerOption

	resourceMetadata *string // nil: none
}

// newConfig applies the options and reports what is wrong with them.
func newConfig(opts []Option) (*config, error) {
	var errs []error
	bad := func(rule, clause, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Clause: clause, Message: message, Remedy: remedy})
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
	if !c.naming.IsValid() {
		bad("serve.names", "names", "the way to write names is unknown", "use Dotted or Underscore")
	}
	if slices.ContainsFunc(c.server, func(o server.ServerOption) bool { return o == nil }) {
		bad("serve.option", "WithServerOptions", "an option of mcp-go's is nil", "remove it")
	}
	if c.resourceMetadata != nil && !isResourceMetadata(*c.resourceMetadata) {
		bad("serve.resourceMetadata", "WithResourceMetadata", "the address is not an absolute one, http or https", "say, for instance, https://mail.example.com/.well-known/oauth-protected-resource/mcp")
	}
	return c, errors.Join(errs...)
}
