package agent

import "github.com/toolcontract/toolcontract/trust"

// An Exposure is what a conversation has read so far. It only grows. The zero
// value has read nothing but trusted content.
type Exposure struct {
	// Injectable means that the conversation has read content that may carry
	// instructions to a model.
	Injectable bool `json:"injectable,omitempty"`
	// Confidential means that it has read content that must not leave the
	// organisation.
	Confidential bool `json:"confidential,omitempty"`
}

// After returns the exposure after a result with this trust. An undeclared
// trust counts as prompt-injection-prone.
func (e Exposure) After(level trust.Level) Exposure {
	e.Injectable = e.Injectable || level.MayInject()
	e.Confidential = e.Confidential || level == trust.Sensitive
	return e
}
