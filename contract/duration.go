package contract

import (
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Duration is a length of time in arguments and results. Its JSON is an ISO
// 8601 string such as "PT1H30M", in the form of RFC 3339, appendix A, so it has
// whole seconds and no sign. A day has 24 hours. Years and months are refused,
// because their length varies.
//
// A field's jsonschema tag limits it with Go durations:
//
//	type WaitInput struct {
//		Wait  contract.Duration `json:"wait" jsonschema:"minimum=1s,maximum=1h30m"`
//		Pause contract.Duration `json:"pause,omitzero" jsonschema:"default=90s"`
//	}
//
// Handlers convert it with time.Duration(in.Wait). A result that is negative or
// has a fraction of a second is output_invalid, so round it to seconds.
type Duration time.Duration

// String returns the duration as [time.Duration.String] does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText returns the ISO 8601 form, without days, such as "PT36H". A
// duration that is negative or has a fraction of a second is an error.
func (d Duration) MarshalText() ([]byte, error) {
	text, err := strictjson.FormatDuration(time.Duration(d))
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	return []byte(text), nil
}

// UnmarshalText parses the ISO 8601 form. On error, it leaves the duration as
// it was.
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := strictjson.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("contract: %w", err)
	}
	*d = Duration(read)
	return nil
}
