package install

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The last check of a file before it replaces a person's: nothing but the
// server may differ.
func TestSameBut_IsTrueOnlyForTheServer(t *testing.T) {
	t.Parallel()
	const with = `{"a":1,"servers":{"own":{},"other":{"x":1}}}`
	for name, c := range map[string]struct {
		without, with string
		inputs, want  bool
	}{
		"only the server":            {`{"a":1,"servers":{"other":{"x":1}}}`, with, false, true},
		"the first server":           {`{"a":1}`, `{"a":1,"servers":{"own":{}}}`, false, true},
		"no server":                  {`{"a":1,"servers":{"other":{"x":1}}}`, `{"a":1,"servers":{"other":{"x":1}}}`, false, false},
		"another server is lost":     {`{"a":1,"servers":{"other":{"x":1},"third":{}}}`, with, false, false},
		"another server is changed":  {`{"a":1,"servers":{"other":{"x":2}}}`, with, false, false},
		"another member is changed":  {`{"a":2,"servers":{"other":{"x":1}}}`, with, false, false},
		"an empty list is left out":  {`{"a":1,"servers":{}}`, `{"a":1,"servers":{"own":{}}}`, false, true},
		"inputs that are the host's": {`{"a":1,"inputs":[1]}`, `{"a":1,"inputs":[1,2],"servers":{"own":{}}}`, true, true},
		"inputs that nobody asked":   {`{"a":1}`, `{"a":1,"inputs":[1],"servers":{"own":{}}}`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var without, with map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.without), &without))
			require.NoError(t, json.Unmarshal([]byte(c.with), &with))
			assert.Equal(t, c.want, sameBut(without, with, "servers", "own", c.inputs))
		})
	}
}
