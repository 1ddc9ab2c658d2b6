package adapter_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// A misspelled permission of the local user would otherwise leave no trace.
func TestTable_LogsOnceWhichToolsTheLocalUserCannotSee(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	logger := guard.WithLogger(slog.New(slog.NewJSONHandler(&logged, nil)))
	local := adapter.WithCaller(t.Context(), adapter.Caller{Local: true})

	table, _ := newTable(t, adapter.Config{Tools: all()}, logger, guard.WithPrincipal(adapter.LocalUser("note:write")))
	table.Lists(t.Context())
	assert.Empty(t, logged.String(), "another caller is not the local user")
	assert.Equal(t, []string{"notes_find"}, listed(local, table))
	var line struct {
		Level          string
		Tools, Missing []string
	}
	require.NoError(t, json.Unmarshal(logged.Bytes(), &line), "one line")
	assert.Equal(t, "INFO", line.Level)
	assert.Equal(t, []string{"notes.write"}, line.Tools, "a forbidden tool is hidden from everybody")
	assert.Equal(t, []string{"notes:write"}, line.Missing)

	logged.Reset()
	next, err := table.With(find().Version("2.0.0").MustBuild())
	require.NoError(t, err)
	next.Lists(local)
	assert.Empty(t, logged.String(), "once is enough")
}

func TestTable_DoesNotLogWhatACallerWithATokenCannotSee(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	table, _ := newTable(t, adapter.Config{Tools: all()}, guard.WithLogger(slog.New(slog.NewJSONHandler(&logged, nil))))
	assert.Equal(t, []string{"notes_find"}, listed(as(t, "bob"), table))
	assert.Empty(t, logged.String())
}
