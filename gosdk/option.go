package gosdk

import (
	"errors"
	"io"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// An Option configures [NewServer], [NewHandler], [ServeStdio], [NewTable],
// [Register] and [WrapAll]. Nil is an error.
type Option interface{ apply(*config) }

type optionFunc func(*config)

func (f optionFunc) apply(c *config) { f(c) }

// WithTools adds tools to serve. It may be given more than once. Default: none.
// A nil tool is an error, and so is a name or alias that two tools share.
func WithTools(tools ...*contract.Tool) Option {
	tools = slices.Clone(tools)
	return optionFunc(func(c *config) { c.table.Tools = append(c.table.Tools, tools...) })
}

// WithTier sets how much of each contract tools/list shows. Default:
// [contract.TierSummary]. The last one given counts.
func WithTier(t contract.Tier) Option {
	return optionFunc(func(c *config) { c.table.Tier = t })
}

// WithNames sets how names and aliases are listed and called. Default:
// [contract.Underscore]. The last one given counts. It is an error if two names
// become equal.
func WithNames(n contract.Naming) Option {
	return optionFunc(func(c *config) { c.table.Naming = n })
}

// WithHostConfirmation writes two keys into the _meta of tools whose contract
// always asks a person to confirm: anthropic/requiresUserInteraction, which
// makes Claude Code ask its user before each call, and
// cursor/requiresConfirmation. Default: neither.
//
// The keys outrank the user's own rules: users are asked even if they have
// allowed the tool for good. A host without a person, as in an unattended run,
// denies every call. The server still asks too, so the user may have to answer
// twice. The keys protect nothing, because most hosts ignore them, and no rule
// of this library relies on them. It is an error if the guard has an Approver
// (rule serve.hostConfirmation), because the approver asks already.
func WithHostConfirmation() Option {
	return optionFunc(func(c *config) { c.table.HostConfirmation = true })
}

// WithServerOptions sets the SDK's options for the servers that this package
// makes. The last one given counts. Nil Capabilities become empty, so that the
// server does not declare logging, which it lacks. The SDK calls SetCacheable
// while it holds the server's lock, so that function must not call the server.
func WithServerOptions(o mcp.ServerOptions) Option {
	return optionFunc(func(c *config) { c.server = &o })
}

// WithHTTPOptions sets the options of the SDK's transport for [NewHandler],
// [HandlerOf] and [Table.Handler]. The last one given counts. The handler sets
// Stateless and MaxRequestBodyBytes itself. A SessionTimeout of zero or less
// becomes 30 minutes, because without one the SDK keeps a session until the
// process ends. Other functions ignore the option.
func WithHTTPOptions(o mcp.StreamableHTTPOptions) Option {
	return optionFunc(func(c *config) { c.http = o })
}

// WithClosedWorld closes a server that existed before [Register]: tools without
// a contract are neither listed nor run, as on a server of [NewServer]. Use it
// at the end of a migration. Default: tools without a contract stay as they
// were.
func WithClosedWorld() Option {
	return optionFunc(func(c *config) { c.closed = true })
}

// WithStreams sets what [ServeStdio] and [ServeStdioServer] read and write in
// place of standard input and output, such as the streams of keys.Stdio.
// They do not close them. The last one given counts. Default: standard input
// and output, also in place of nil.
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
// auth.ProtectedResourceMetadataHandler of the SDK, or package oauth. The last
// one given counts. Default: a challenge of step_up_required names no address,
// and permission_denied has no challenge.
func WithResourceMetadata(address string) Option {
	return optionFunc(func(c *config) { c.table.ResourceMetadata = &address })
}

// A config holds the options that were given.
type config struct {
	table   adapter.Config
	closed  bool
	server  *mcp.ServerOptions // nil: none were given
	http    mcp.StreamableHTTPOptions
	wrapper *adapter.Wrapper // nil: no tools are wrapped by rules
	streams adapter.Streams
}

// newConfig applies the options and reports what is wrong with them.
func newConfig(opts []Option) (*config, error) {
	var errs []error
	c := &config{}
	for _, o := range opts {
		if o == nil {
			errs = append(errs, &contract.DeclarationError{Rule: "serve.option", Where: "options", Message: "an option is nil",
				Remedy: "remove it"})
			continue
		}
		o.apply(c)
	}
	return c, errors.Join(append(errs, c.table.Check())...)
}

// refuseServerOptions reports options that come too late for an existing
// server.
func (c *config) refuseServerOptions() error {
	if c.server == nil {
		return nil
	}
	return &contract.DeclarationError{Rule: "serve.option", Where: "WithServerOptions", Message: "the server exists already",
		Remedy: "give them to mcp.NewServer"}
}
