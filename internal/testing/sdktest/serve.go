package sdktest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The environment variables that make a test binary a stdio server.
const (
	envKind  = "SDKTEST_SERVE"
	envDrain = "SDKTEST_DRAIN"
)

// A Kind is a kind of server.
type Kind string

const (
	// KindNew is a server that has only tools with contracts.
	KindNew Kind = "new"
	// KindExisting is a server of the SDK to which contracts are added.
	KindExisting Kind = "existing"
)

// Env returns the variables that make a test binary a server.
func Env(k Kind, drain time.Duration) []string {
	return []string{envKind + "=" + string(k), envDrain + "=" + drain.String()}
}

// IsServer reports whether the environment makes this process a server; see
// [Env]. TestMain then calls [Serve] instead of running the tests.
func IsServer() bool { return os.Getenv(envKind) != "" }

// A Served has the parts of a server that need no SDK.
type Served struct {
	Kind  Kind
	Guard *guard.Guard
	// Note is notes.write. Its handler calls Wait.
	Note *contract.Tool
	// Wait reports that a handler has begun, and returns when the test closes
	// [Process.Gate].
	Wait func()
	// Tools are Note and others, some of which misbehave.
	Tools []*contract.Tool
}

// Serve serves until the input ends, and returns the exit code. On standard
// error it writes the audit log, and a line for each handler that has begun and
// for the first signal. File descriptor 3 is the gate.
func Serve(principal guard.PrincipalSource, serve func(Served) error) (code int) {
	report := func(line string) { fmt.Fprintln(os.Stderr, line) }
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		report("signalled")
	}()
	gate := os.NewFile(3, "gate")
	opened := sync.OnceFunc(func() { _, _ = io.Copy(io.Discard, gate) })
	wait := func() {
		report("begun")
		opened()
	}
	drain, err := time.ParseDuration(os.Getenv(envDrain))
	if err != nil {
		report(err.Error())
		return 4
	}
	g, err := guard.New(guard.WithPrincipal(principal), guard.WithTimes(guard.Times{Drain: drain}),
		guard.WithAudit(audit.Slog(slog.New(slog.NewJSONHandler(os.Stderr, nil)))))
	if err == nil {
		n := &Tools{}
		note := n.Note(func(ctx context.Context, _ string) error {
			wait()
			return ctx.Err()
		}).MustBuild()
		err = serve(Served{
			Kind: Kind(os.Getenv(envKind)), Guard: g, Note: note, Wait: wait,
			Tools: []*contract.Tool{n.Add().MustBuild(), note, n.Send(), exit(), stuck(report)},
		})
	}
	if err != nil {
		report(err.Error())
		return 3
	}
	return 0
}

// numbered makes calls differ, so that none repeats another.
type numbered struct {
	N int `json:"n"`
}

func misbehaving() contract.Base {
	return contract.Base{Description: "Misbehaves.", Version: "1.0.0", Effect: risk.ReadOnly, Trust: trust.Trusted}
}

// exit returns a tool whose handler ends its goroutine.
func exit() *contract.Tool {
	return contract.New("proc.exit", func(context.Context, numbered) (string, error) { runtime.Goexit(); return "", nil }).
		From(misbehaving()).MustBuild()
}

// stuck returns a tool whose handler never ends.
func stuck(report func(string)) *contract.Tool {
	return contract.New("proc.stuck", func(context.Context, numbered) (string, error) { report("begun"); select {} }).
		From(misbehaving()).MustBuild()
}
