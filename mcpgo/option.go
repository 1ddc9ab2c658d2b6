package mcpgo

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// An Option configures [NewServer], [NewHandler], [ServeStdio], [NewTable],
// [Register] and [RegisterSession]. Nil is an error.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithTools adds the tools to serve. It may be given more than once. Default:
// none. A nil tool is an error of NewServer, and so is a name or alias that two
// tools have.
func WithTools(tools ...*contract.Tool) Option {
	tools = slices.Clone(tools)
	return optionFunc(func(c *config) { c.table.Tools = append(c.table.Tools, tools...) })
}

// WithTier sets how much of each contract tools/list shows. Default:
// [contract.TierSummary]. The last one given counts.
func WithTier(t contract.Tier) Option {
	return optionFunc(func(c *config) { c.table.Tier, c.lists = t, true })
}

// WithHostConfirmation writes two keys into the _meta of tools whose contract
// always has a person confirm: anthropic/requiresUserInteraction, by which
// Claude Code asks its user before each call, and cursor/requiresConfirmation.
// Default: neither.
//
// The keys outrank the rules of the user, who is asked even about a tool that
// they have allowed for good. A host without a person, as in an unattended run,
// denies every call. The server asks as before, so the user may have to answer
// twice. The keys are no protection, because most hosts ignore them, and no
// rule of this library counts them. It is an error if the guard has an Approver
// (rule serve.hostConfirmation), because the approver asks already.
func WithHostConfirmation() Option {
	return optionFunc(func(c *config) { c.table.HostConfirmation, c.lists = true, true })
}

// WithServerOptions adds options of mcp-go, in their order. It may be given
// more than once. Hooks from server.WithHooks are kept and added to, so give
// each server its own; only [Table.NewServer] copies them. Tool filters from
// server.WithToolFilter apply too; they can hide tools and never add one.
func WithServerOptions(opts ...server.ServerOption) Option {
	opts = slices.Clone(opts)
	return optionFunc(func(c *config) { c.server = append(c.server, opts...) })
}

// WithNames sets how names and aliases are listed and called. Default:
// [contract.Underscore]. The last one given counts. Two names that become equal
// are an error.
func WithNames(n contract.Naming) Option {
	return optionFunc(func(c *config) { c.table.Naming, c.lists = n, true })
}

// WithClosedWorld closes a server that existed before [Register]: tools without
// a contract are neither listed nor run, as on a server of [NewServer]. It is
// for the end of a migration. Default: tools without a contract stay as they
// were.
func WithClosedWorld() Option {
	return optionFunc(func(c *config) { c.closed = true })
}

// WithSessionTimeout sets after how long without a request or an open stream a
// session over HTTP ends, for [NewHandler] and [HandlerOf]. Its client gets
// status 404 and begins another one. Zero or less means 30 minutes, the
// default. The last one given counts.
func WithSessionTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) { c.sessionTimeout = d })
}

// WithStreams sets what [ServeStdio] and [ServeStdioServer] read and write in
// place of standard input and output, such as the streams of keys.Stdio. The
// streams stay open. The last one given counts. Nil means standard input or
// output, the default.
func WithStreams(in io.Reader, out io.Writer) Option {
	return optionFunc(func(c *config) { c.streams.In, c.streams.Out = in, out })
}

// WithSharedStdout lets the program write to standard output while [ServeStdio]
// or [ServeStdioServer] serves there, so anything a handler prints corrupts the
// session. Default: prints go to standard error. Use it for a program that
// keeps standard output clean itself and needs its prints before and during a
// session in one place.
func WithSharedStdout() Option {
	return optionFunc(func(c *config) { c.streams.SharedStdout = true })
}

// WithResourceMetadata declares that the server is an OAuth 2.0 protected
// resource whose permissions are scopes, and sets the address of its metadata
// (RFC 9728), absolute, http or https. Challenges of step_up_required then name
// the address, and permission_denied has a challenge too, so that a host finds
// out which token it needs and where to get it. To serve the metadata use
// mcp-go's server.WithProtectedResourceMetadata. The last one given counts.
// Default: a challenge of step_up_required names no address, and
// permission_denied has no challenge.
func WithResourceMetadata(address string) Option {
	return optionFunc(func(c *config) { c.table.ResourceMetadata = &address })
}

// A config is the result of the options.
type config struct {
	table  adapter.Config
	lists  bool // tier or naming was given
	closed bool
	server []server.ServerOption

	sessionTimeout time.Duration

	wrapper *wrapper // nil: no tools are wrapped by rules
	streams adapter.Streams
}

// newConfig applies the options and reports what is wrong with them.
func newConfig(opts []Option) (*config, error) {
	var errs []error
	c := &config{}
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errNilOption())
			continue
		}
		o.apply(c)
	}
	errs = append(errs, c.table.Check())
	if slices.ContainsFunc(c.server, func(o server.ServerOption) bool { return o == nil }) {
		errs = append(errs, &contract.DeclarationError{Rule: "serve.option", Where: "WithServerOptions",
			Message: "an option of mcp-go is nil", Remedy: "remove it"})
	}
	return c, errors.Join(errs...)
}

// refuseServerOptions returns an error if there are options that only a server
// that is being made can take.
func (c *config) refuseServerOptions() error {
	if len(c.server) == 0 {
		return nil
	}
	return &contract.DeclarationError{Rule: "serve.option", Where: "WithServerOptions", Message: "the server exists already",
		Remedy: "give them to server.NewMCPServer"}
}
