package agent

import "time"

// WithLag sets the delay before a lost call is sent again.
func WithLag(d time.Duration) Option { return optionFunc(func(c *config) { c.lag = d }) }

// ConfirmProperty and TypedProperty are the properties of the forms of the
// guard.
const (
	ConfirmProperty = confirmProperty
	TypedProperty   = typedProperty
)
