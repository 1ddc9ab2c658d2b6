package catalog

import "time"

// An Option configures a [Catalog].
type Option interface{ applyTo(*config) }

type optionFunc func(*config)

func (f optionFunc) applyTo(c *config) { f(c) }

type config struct {
	overrides Overrides
	advice    []Overrides
	stateFile string
	response  Response
	timeout   time.Duration
	maxTools  int
	clock     func() time.Time // nil: time.Now
}

const (
	defaultListTimeout = 30 * time.Second
	defaultMaxTools    = 1000
)

// WithOverrides sets the decisions of the operator. Default: there are none.
// Decisions about a server that is no [Source] are an error of [New].
func WithOverrides(o Overrides) Option { return optionFunc(func(c *config) { c.overrides = o }) }

// WithAdvice adds overrides of somebody else, such as a list that a community
// maintains. Each member counts only if it is stricter than what the server
// declares, and never against [WithOverrides].
func WithAdvice(o Overrides) Option {
	return optionFunc(func(c *config) { c.advice = append(c.advice, o) })
}

// WithStateFile sets the file that remembers what was seen. Only one catalogue
// may use the file at a time: [Catalog.Refresh] is an error if another process
// has written it. There is no lock, so two processes that write at the same
// moment are found in the cycle after it. Default: nothing is remembered after
// the process.
func WithStateFile(path string) Option { return optionFunc(func(c *config) { c.stateFile = path }) }

// WithResponse sets what happens to a tool that became weaker. Default:
// [Quarantine].
func WithResponse(r Response) Option { return optionFunc(func(c *config) { c.response = r }) }

// WithListTimeout bounds how long one server may take to list its tools.
// Default: 30 seconds. Zero or less is an error of [New].
func WithListTimeout(d time.Duration) Option { return optionFunc(func(c *config) { c.timeout = d }) }

// WithMaxTools bounds the tools of one server. If the server lists more, none
// of its list counts. Default: 1000. A number below 1 or above
// [client.MaxListTools] is an error of [New].
func WithMaxTools(n int) Option { return optionFunc(func(c *config) { c.maxTools = n }) }
