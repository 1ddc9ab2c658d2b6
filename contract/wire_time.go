package contract

import (
	"encoding/json"
	"math"
	"time"
)

// A contract's JSON has times in whole seconds, and the timeout in
// milliseconds. These types without methods hold such numbers in their
// [time.Duration] fields.
type (
	plainRateLimit   RateLimit
	plainRetryBudget RetryBudget
	plainStepUp      StepUp
	plainIdempotency Idempotency
	plainReconciling Reconciling
)

// fromWire returns the duration of n units, capped at the longest in whole
// units, because other servers may write any number.
func fromWire(n, unit time.Duration) time.Duration {
	most := math.MaxInt64 / int64(unit)
	return time.Duration(min(max(int64(n), -most), most) * int64(unit))
}

// readSeconds reads a clause with durations. plain is the clause without its
// methods.
func readSeconds(data []byte, plain any, times ...*time.Duration) error {
	for _, t := range times {
		*t /= time.Second
	}
	err := json.Unmarshal(data, plain)
	for _, t := range times {
		*t = fromWire(*t, time.Second)
	}
	return err
}

// MarshalJSON writes the time in whole seconds.
func (r RateLimit) MarshalJSON() ([]byte, error) {
	r.Per /= time.Second
	return json.Marshal(plainRateLimit(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *RateLimit) UnmarshalJSON(data []byte) error {
	return readSeconds(data, (*plainRateLimit)(r), &r.Per)
}

// MarshalJSON writes the window in whole seconds.
func (r RetryBudget) MarshalJSON() ([]byte, error) {
	r.Window /= time.Second
	return json.Marshal(plainRetryBudget(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *RetryBudget) UnmarshalJSON(data []byte) error {
	return readSeconds(data, (*plainRetryBudget)(r), &r.Window)
}

// MarshalJSON writes the age in whole seconds.
func (s StepUp) MarshalJSON() ([]byte, error) {
	s.MaxAge /= time.Second
	return json.Marshal(plainStepUp(s))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *StepUp) UnmarshalJSON(data []byte) error {
	return readSeconds(data, (*plainStepUp)(s), &s.MaxAge)
}

// MarshalJSON writes the retentions in whole seconds.
func (i Idempotency) MarshalJSON() ([]byte, error) {
	i.Retention /= time.Second
	i.ArgumentsRetention /= time.Second
	return json.Marshal(plainIdempotency(i))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Idempotency) UnmarshalJSON(data []byte) error {
	return readSeconds(data, (*plainIdempotency)(i), &i.Retention, &i.ArgumentsRetention)
}

// MarshalJSON writes the quiet time in whole seconds.
func (r Reconciling) MarshalJSON() ([]byte, error) {
	r.Quiet /= time.Second
	return json.Marshal(plainReconciling(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Reconciling) UnmarshalJSON(data []byte) error {
	return readSeconds(data, (*plainReconciling)(r), &r.Quiet)
}

// A strictDocument reads a document without its clauses' methods, so that the
// reader refuses their unknown members.
type strictDocument struct {
	plainDocument
	StepUp         *plainStepUp      `json:"stepUp"`
	Idempotency    *plainIdempotency `json:"idempotency"`
	Reconcile      *plainReconciling `json:"reconcile"`
	RateLimit      *plainRateLimit   `json:"rateLimit"`
	TotalRateLimit *plainRateLimit   `json:"totalRateLimit"`
	RetryBudget    *plainRetryBudget `json:"retryBudget"`
}

func (s *strictDocument) read() Document {
	d := s.plainDocument.read()
	d.StepUp = (*StepUp)(s.StepUp)
	d.Idempotency = (*Idempotency)(s.Idempotency)
	d.Reconcile = (*Reconciling)(s.Reconcile)
	d.RateLimit = (*RateLimit)(s.RateLimit)
	d.TotalRateLimit = (*RateLimit)(s.TotalRateLimit)
	d.RetryBudget = (*RetryBudget)(s.RetryBudget)
	for _, t := range timesOf(&d) {
		*t = fromWire(*t, time.Second)
	}
	return d
}

// timesOf returns the durations that clauses of d hold in seconds.
func timesOf(d *Document) []*time.Duration {
	var all []*time.Duration
	if d.StepUp != nil {
		all = append(all, &d.StepUp.MaxAge)
	}
	if d.Idempotency != nil {
		all = append(all, &d.Idempotency.Retention, &d.Idempotency.ArgumentsRetention)
	}
	if d.Reconcile != nil {
		all = append(all, &d.Reconcile.Quiet)
	}
	if d.RateLimit != nil {
		all = append(all, &d.RateLimit.Per)
	}
	if d.TotalRateLimit != nil {
		all = append(all, &d.TotalRateLimit.Per)
	}
	if d.RetryBudget != nil {
		all = append(all, &d.RetryBudget.Window)
	}
	return all
}

func (d plainDocument) read() Document {
	d.Timeout = fromWire(d.Timeout, time.Millisecond)
	return Document(d)
}
