package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJSON_EscapesTerminalControlCharacters(t *testing.T) {
	t.Parallel()
	text := "a\x1b\u007f\u009b\u200d\u202e\u2028\U000e0041<é\U0001f600\ufffd"
	encoded, err := JSON([]string{text}, "")
	require.NoError(t, err)
	assert.Equal(t, `["a\u001b\u007f\u009b\u200d\u202e\u2028\udb40\udc41<é`+"\U0001f600\ufffd\"]\n", string(encoded))
	var read []string
	require.NoError(t, json.Unmarshal(encoded, &read))
	assert.Equal(t, []string{text}, read)
	encoded, err = JSON(map[string]any{"a": json.RawMessage("[\"\x9b\u009b\"]")}, "  ")
	require.NoError(t, err)
	assert.Equal(t, "{\n  \"a\": [\n    \"\\ufffd\\u009b\"\n  ]\n}\n", string(encoded), "raw JSON of a server")
}
