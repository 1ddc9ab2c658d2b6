package agent

import "time"

// SetLag sets the delay before a lost call is sent again.
func SetLag(o *Options, d time.Duration) { o.lag = d }

// ConfirmProperty and TypedProperty are the properties of the forms of the
// guard.
const (
	ConfirmProperty = confirmProperty
	TypedProperty   = typedProperty
)
