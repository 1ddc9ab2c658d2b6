package adapter_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

func TestLocalUser_IsOnlyALocalCallerWithoutAHeader(t *testing.T) {
	t.Parallel()
	find := adapter.LocalUser("a:b")
	p, err := find.Principal(adapter.WithCaller(t.Context(), adapter.Caller{Local: true}))
	require.NoError(t, err)
	assert.Equal(t, contract.LocalIssuer, p.Issuer)
	assert.Equal(t, []string{"a:b"}, p.Permissions)
	for name, ctx := range map[string]context.Context{
		"no caller":      t.Context(),
		"not local":      adapter.WithCaller(t.Context(), adapter.Caller{}),
		"over HTTP":      adapter.WithCaller(t.Context(), adapter.Caller{Local: true, Header: http.Header{"Accept": {"*/*"}}}),
		"called further": adapter.WithCaller(adapter.WithCaller(t.Context(), adapter.Caller{Local: true}), adapter.Caller{}),
	} {
		p, err := find.Principal(ctx)
		require.Error(t, err, name)
		assert.Zero(t, p, name)
	}
}

func TestIn_NamesThePackageOfTheAdapter(t *testing.T) {
	t.Parallel()
	own := &adapter.Error{Reason: "it is wrong", Err: guard.ErrUnavailable}
	assert.Equal(t, "adapter: it is wrong: "+guard.ErrUnavailable.Error(), own.Error())
	named := adapter.In("mysdk", own)
	assert.Equal(t, "mysdk: it is wrong: "+guard.ErrUnavailable.Error(), named.Error())
	require.ErrorIs(t, named, guard.ErrUnavailable)
	assert.Empty(t, own.Package, "the error is shared")

	other := errors.New("other")
	assert.Equal(t, other, adapter.In("mysdk", other))
	assert.NoError(t, adapter.In("mysdk", nil))
	joined := errors.Join(other, own)
	assert.Equal(t, joined, adapter.In("mysdk", joined), "an error around one of this package has its own text")
}

func TestProgress_SendsWhatJSONCanHold(t *testing.T) {
	t.Parallel()
	assert.Nil(t, adapter.Progress(nil, nil))
	var sent []map[string]any
	report := adapter.Progress("token", func(params map[string]any) { sent = append(sent, params) })
	report(1, 0, "")
	report(2, 4, "half")
	nan := 0.0
	report(nan/nan, 4, "dropped")
	assert.Equal(t, []map[string]any{
		{"progressToken": "token", "progress": 1.0},
		{"progressToken": "token", "progress": 2.0, "total": 4.0, "message": "half"},
	}, sent)
}
