package mcpgo_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestServeStdioServer_RefusesAnOptionThatIsNil(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"serve.option"}, sdktest.Rules(mcpgo.ServeStdioServer(later(t, readable()), nil)))
}

// The calls run at the same time, before any initialize.
func TestStdio_AnswersAnIDOfAnyType(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	var begun sync.WaitGroup
	begun.Add(3)
	note := new(tools).Note(func(context.Context, string) error {
		begun.Done()
		begun.Wait()
		return nil
	}).MustBuild()
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")))
	require.NoError(t, err)
	in, client := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- mcpgo.ServeStdio("notes", "1.0.0", g, mcpgo.WithTools(note), mcpgo.WithStreams(in, out))
		_ = out.Close()
	}()
	for _, id := range []string{`[1]`, `{}`, `true`} {
		_, err := io.WriteString(client, strings.Replace(sdktest.Call(7, "notes_write", `{"text":"x"}`), `"id":7`, `"id":`+id, 1)+"\n")
		require.NoError(t, err)
	}
	require.NoError(t, client.Close())
	read := bufio.NewReader(answers)
	var ids []any
	for range 3 {
		a := sdktest.Parse(t, nextAnswer(t, read))
		require.NotNil(t, a.Result)
		assert.False(t, a.Result.IsError)
		ids = append(ids, a.ID)
	}
	assert.ElementsMatch(t, []any{[]any{1.0}, map[string]any{}, true}, ids)
	require.NoError(t, <-served)
	_, err = read.ReadByte()
	assert.ErrorIs(t, err, io.EOF)
}
