package adapter_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// It is not parallel, because it replaces the default logger.
func TestTable_WarnsOnceOverHTTPThatOutcomesAreOnlyInMemory(t *testing.T) {
	var logged bytes.Buffer
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	warnings := func() int { return strings.Count(logged.String(), "tools=[notes.pay]") }

	pay := contract.New("notes.pay", func(context.Context, empty) (string, error) { return "", nil }).
		Description("Pays.").Version("1.0.0").Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		ConfirmNever("a test").Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild()
	table, _ := newTable(t, adapter.Config{Tools: append(all(), pay)})
	table.Lists(adapter.WithCaller(t.Context(), adapter.Caller{Local: true}))
	assert.Zero(t, warnings(), "a local client does not outlive the server")
	table.Lists(as(t, "alice"))
	assert.Equal(t, 1, warnings())
	call(as(t, "alice"), t, table, "notes_find", `{}`)
	next, err := table.With(find().Version("2.0.0").MustBuild())
	require.NoError(t, err)
	next.Lists(as(t, "alice"))
	assert.Equal(t, 1, warnings(), "once is enough")
}
