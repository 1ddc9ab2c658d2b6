package effectcheck

// An Option changes one analysis. See [Analyze].
type Option func(*config)

type config struct {
	dir       string // of the test
	packages  []string
	functions map[string]Capability
	handlers  map[string]any
}

// WithPackages also loads the packages of the patterns, as the go command reads
// them, such as "../cmd/server". Name those that construct what the handlers
// call, such as a mailer behind an interface. By default the packages of the
// handlers and the one of the test are loaded, without test files unless a
// handler is in one.
func WithPackages(patterns ...string) Option {
	return func(c *config) { c.packages = append(c.packages, patterns...) }
}

// WithFunction declares the capability of a function, so that the analysis does
// not enter it. Use it for a driver, or for a client whose requests look alike.
// Function is the full name, as effects show it:
//
//	effectcheck.WithFunction("(*github.com/shurcooL/githubv4.Client).Query", "NETWORK/READ")
//
// A function that no analyzed tool calls is an error of [Analyze].
func WithFunction(function string, is Capability) Option {
	return func(c *config) { c.functions[function] = is }
}

// WithHandler names the function to analyze in place of the handler of a tool.
// Use it if a helper wraps the handlers of several tools in one function
// literal, because the analysis cannot distinguish them.
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
