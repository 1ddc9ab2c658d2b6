package contract

import (
	"encoding/json"
	"math"
	"time"
)

// The JSON of a contract has times as whole numbers of seconds, and the timeout
// in milliseconds. Types without methods hold these numbers in the fields of
// type [time.Duration].
type (
	plainRateLimit   RateLimit
	plainRetryBudget RetryBudget
	plainStepUp      StepUp
	plainIdempotency Idempotency
)

// fromWire returns the time of n units: at most the longest one in whole units,
// because other servers may write any number.
func fromWire(n, unit time.Duration) time.Duration {
	most := math.MaxInt64 / int64(unit)
	return time.Duration(min(max(int64(n), -most), most) * int64(unit))
}

// MarshalJSON writes the time in whole seconds.
func (r RateLimit) MarshalJSON() ([]byte, error) {
	r.Per /= time.Second
	return json.Marshal(plainRateLimit(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *RateLimit) UnmarshalJSON(data []byte) error {
	var plain plainRateLimit
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	*r = *plain.read()
	return nil
}

func (r *plainRateLimit) read() *RateLimit {
	if r != nil {
		r.Per = fromWire(r.Per, time.Second)
	}
	return (*RateLimit)(r)
}

// MarshalJSON writes the window in whole seconds.
func (r RetryBudget) MarshalJSON() ([]byte, error) {
	r.Window /= time.Second
	return json.Marshal(plainRetryBudget(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *RetryBudget) UnmarshalJSON(data []byte) error {
	var plain plainRetryBudget
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	*r = *plain.read()
	return nil
}

func (r *plainRetryBudget) read() *RetryBudget {
	if r != nil {
		r.Window = fromWire(r.Window, time.Second)
	}
	return (*RetryBudget)(r)
}

// MarshalJSON writes the age in whole seconds.
func (s StepUp) MarshalJSON() ([]byte, error) {
	s.MaxAge /= time.Second
	return json.Marshal(plainStepUp(s))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *StepUp) UnmarshalJSON(data []byte) error {
	var plain plainStepUp
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	*s = *plain.read()
	return nil
}

func (s *plainStepUp) read() *StepUp {
	if s != nil {
		s.MaxAge = fromWire(s.MaxAge, time.Second)
	}
	return (*StepUp)(s)
}

// MarshalJSON writes the retention in whole seconds.
func (i Idempotency) MarshalJSON() ([]byte, error) {
	i.Retention /= time.Second
	return json.Marshal(plainIdempotency(i))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Idempotency) UnmarshalJSON(data []byte) error {
	var plain plainIdempotency
	if err := json.Unmarshal(data, &plain); err != nil {
		return err
	}
	*i = *plain.read()
	return nil
}

func (i *plainIdempotency) read() *Idempotency {
	if i != nil {
		i.Retention = fromWire(i.Retention, time.Second)
	}
	return (*Idempotency)(i)
}

// A strictDocument reads a document without the methods of its clauses, so that
// the reader refuses their unknown members.
type strictDocument struct {
	plainDocument
	StepUp         *plainStepUp      `json:"stepUp"`
	Idempotency    *plainIdempotency `json:"idempotency"`
	RateLimit      *plainRateLimit   `json:"rateLimit"`
	TotalRateLimit *plainRateLimit   `json:"totalRateLimit"`
	RetryBudget    *plainRetryBudget `json:"retryBudget"`
}

func (s *strictDocument) read() Document {
	d := s.plainDocument.read()
	d.StepUp = s.StepUp.read()
	d.Idempotency = s.Idempotency.read()
	d.RateLimit = s.RateLimit.read()
	d.TotalRateLimit = s.TotalRateLimit.read()
	d.RetryBudget = s.RetryBudget.read()
	return d
}

func (d plainDocument) read() Document {
	d.Timeout = fromWire(d.Timeout, time.Millisecond)
	return Document(d)
}
