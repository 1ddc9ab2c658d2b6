package sdks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// envPrint makes the test binary print the variable's value and end.
const envPrint = "SDKS_PRINT"

// Writers to standard output that a program created before it began to serve.
// On Windows a descriptor's number means nothing.
var (
	early      = log.New(os.Stdout, "", 0)
	descriptor = os.NewFile(1, "descriptor")
)

// servePrinting serves a tool that prints in every way a handler can.
func servePrinting(s sdk, g *guard.Guard, k kind) error {
	prints := contract.New("proc.print", func(ctx context.Context, in numbered) (string, error) {
		fmt.Println("printed", in.N)
		early.Println("logged", in.N)
		if runtime.GOOS != "windows" {
			_, _ = descriptor.WriteString("written\n")
		}
		child := exec.CommandContext(ctx, os.Args[0])
		child.Env = append(os.Environ(), envPrint+"=by a child")
		child.Stdout = os.Stdout
		return "done", child.Run()
	}).From(misbehaving()).MustBuild()
	with := asWritten(prints)
	with.sharedStdout = k == kindSharing
	err := s.ServeStdio("printing", "1.0.0", g, with)
	fmt.Println("after the session") // goes to standard output again
	return err
}

// The program's prints never become part of the protocol: they go to standard
// error, after one line that says so.
func TestThreat196_StdioKeepsPrintsOutOfTheProtocol(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindPrinting)
		for id := 1; id <= 2; id++ {
			p.send(sdktest.Call(id, "proc.print", fmt.Sprintf(`{"n":%d}`, id)) + "\n")
			a := p.answer()
			assert.EqualValues(t, id, a.ID)
			require.NotNil(t, a.Result)
			assert.False(t, a.Result.IsError)
		}
		require.NoError(t, p.in.Close())
		require.True(t, p.lines.Scan())
		assert.Equal(t, "after the session", p.lines.Text())
		p.assertSilent()
		code, _ := p.ends()
		assert.Zero(t, code)
		want := []string{"printed 1", "logged 1", "by a child", "printed 2", "logged 2", "by a child"}
		if runtime.GOOS != "windows" {
			want = slices.Insert(slices.Insert(want, 5, "written"), 2, "written")
		}
		var got []string
		for line := range p.reports {
			got = append(got, line)
		}
		require.NotEmpty(t, got)
		assert.Contains(t, got[0], "standard output", "the line that says so")
		assert.Equal(t, want, got[1:])
	})
}

func TestWithSharedStdout_LeavesStandardOutputAlone(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		p := start(t, s, patience, kindSharing)
		p.send(sdktest.Call(1, "proc.print", `{"n":1}`) + "\n")
		require.NoError(t, p.in.Close())
		require.True(t, p.lines.Scan())
		assert.Equal(t, "printed 1", p.lines.Text())
		for p.lines.Scan() {
			continue
		}
		code, _ := p.ends()
		assert.Zero(t, code)
	})
}

// A server with streams of its own doesn't take over the process's.
func TestWithStreams_LeavesStandardOutputAlone(t *testing.T) { //nolint:paralleltest // it looks at os.Stdout
	add := new(tools).Add().MustBuild()
	for _, s := range all {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		stdout := os.Stdout
		os.Stdout = w
		var sent strings.Builder
		with := serving(add)
		with.in, with.out = strings.NewReader(sdktest.Opening(`{}`, "test")+"\n"), printingWriter{&sent}
		err = s.ServeStdio("calc", "1.0.0", nil, with)
		os.Stdout = stdout
		require.NoError(t, errors.Join(err, w.Close()))
		printed := make([]byte, 100)
		n, err := r.Read(printed)
		require.NoError(t, err)
		assert.Equal(t, "a print\n", string(printed[:n]))
		assert.NotNil(t, sdktest.Parse(t, strings.TrimSpace(sent.String())).Result)
	}
}

// A printingWriter prints whenever it is written to.
type printingWriter struct{ to *strings.Builder }

func (w printingWriter) Write(p []byte) (int, error) {
	fmt.Println("a print")
	return w.to.Write(p)
}

// A test that replaces os.Stdout and serves there sees only the protocol.
func TestServeStdio_KeepsPrintsOutOfAReplacedStandardOutput(t *testing.T) { //nolint:paralleltest // it looks at os.Stdout
	for _, s := range all {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		prints := contract.New("proc.print", func(context.Context, numbered) (string, error) {
			fmt.Println("printed")
			return "done", nil
		}).From(misbehaving()).MustBuild()
		g, err := guard.New()
		require.NoError(t, err)
		with := asWritten(prints)
		with.in, with.out = strings.NewReader(strings.Join([]string{
			sdktest.Opening(`{}`, "test"), initialized, sdktest.Call(2, "proc.print", `{"n":1}`), "",
		}, "\n")), w
		stdout := os.Stdout
		os.Stdout = w
		err = s.ServeStdio("printing", "1.0.0", g, with)
		fmt.Println("after")
		os.Stdout = stdout
		require.NoError(t, errors.Join(err, w.Close()))
		written, err := io.ReadAll(r)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(written)), "\n")
		require.Len(t, lines, 3, "two answers, and what was printed after the session")
		assert.Equal(t, "after", lines[2])
	}
}
