package effectcheck

// An Option changes one analysis. See [Analyze].
type Option func(*config)

type config struct {
	dir       string // of the test
	packages  []string
	functions map[string]Capability
	handlers  map[string]any
}

// WithPackages also loads the packages that match the patterns, which are those
// of the go command, such as "../cmd/server". Name the packages that construct
// what the handlers call, such as a mailer behind an interface. By default, the
// packages of the handlers and of the test are loaded, without test files
// unless a handler is in one.
func WithPackages(patterns ...string) Option {
	return func(c *config) { c.packages = append(c.packages, patterns...) }
}

// WithFunction declares a function's capability, so that the analysis does not
// go into it. Use it for a driver, or for a client whose requests all look
// alike. function is the full name, as effects show it:
//
//	effectcheck.WithFunction("(*github.com/shurcooL/githubv4.Client).Query", "NETWORK/READ")
//
// If no analyzed tool calls the function, [Analyze] returns an error.
func WithFunction(function string, is Capability) Option {
	return func(c *config) { c.functions[function] = is }
}

// WithHandler names the function to analyze in place of a tool's handler. Use
// it if a helper wraps the handlers of several tools in one function literal,
// because the analysis cannot tell them apart.
func WithHandler(tool string, function any) Option {
	return func(c *config) { c.handlers[tool] = function }
}

func newConfig(dir string, opts []Option) *config {
	c := &config{dir: dir, functions: map[string]Capability{}, handlers: map[string]any{}}
	for _, opt := range opts {
		if opt != nil {
			opt(c)
		}
	}
	return c
}
