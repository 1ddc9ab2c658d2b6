package sdks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/idletest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// These environment variables turn the test binary into a stdio server.
const (
	envSDK   = "SDKS_SDK"
	envKind  = "SDKS_KIND"
	envDrain = "SDKS_DRAIN"
)

// A kind is a kind of server.
type kind string

const (
	// kindNew is a server that has only tools with contracts.
	kindNew kind = "new"
	// kindExisting is an SDK server that contracts are added to.
	kindExisting kind = "existing"
	// kindPrinting is a server whose handler prints to standard output, and
	// kindSharing one that leaves it alone.
	kindPrinting kind = "printing"
	kindSharing  kind = "sharing"
	// kindReading is a server with a long read, which ends with its context.
	kindReading kind = "reading"
)

// serverEnv returns the variables that turn the test binary into a server.
func serverEnv(s sdk, k kind, drain time.Duration) []string {
	return []string{envSDK + "=" + s.Name(), envKind + "=" + string(k), envDrain + "=" + drain.String()}
}

func TestMain(m *testing.M) {
	if text := os.Getenv(envPrint); text != "" {
		fmt.Println(text)
		os.Exit(0)
	}
	for _, s := range all {
		if os.Getenv(envProgram) == s.Name() {
			os.Exit(library(s, &tools{}).Main(os.Args[1:], os.Stdout, os.Stderr))
		}
		if os.Getenv(envSDK) == s.Name() {
			os.Exit(serveProcess(s))
		}
	}
	os.Exit(idletest.Main(m))
}

// serveProcess serves until the input ends and returns the exit code. To standard
// error it writes the audit log, plus a line for each handler that starts and
// for the first signal. openGate returns the gate: notes.write and wait
// report that they have started, and return when the test closes it.
func serveProcess(s sdk) (code int) {
	report := func(line string) { fmt.Fprintln(os.Stderr, line) }
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		report("signalled")
	}()
	gate := openGate()
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
	g, err := guard.New(guard.WithPrincipal(s.LocalUser("notes:write")), guard.WithTimes(guard.Times{Drain: drain}),
		guard.WithAudit(audit.Slog(slog.New(slog.NewJSONHandler(os.Stderr, nil)))))
	if k := kind(os.Getenv(envKind)); err == nil && (k == kindPrinting || k == kindSharing) {
		err = servePrinting(s, g, k)
	} else if err == nil && k == kindReading {
		err = s.ServeStdio("reading", "1.0.0", g, asWritten(reading(report)))
	} else if err == nil {
		n := &tools{}
		note := n.Note(func(ctx context.Context, _ string) error {
			wait()
			return ctx.Err()
		}).MustBuild()
		if os.Getenv(envKind) == string(kindNew) {
			err = s.ServeStdio("stdio", "1.0.0", g, asWritten(n.Add().MustBuild(), note, n.Send(), exit(), stuck(report)))
		} else {
			err = serveExisting(s, g, note, wait)
		}
	}
	if err != nil {
		report(err.Error())
		return 3
	}
	return 0
}

func serveExisting(s sdk, g *guard.Guard, note *contract.Tool, wait func()) error {
	existing := orders(s)
	existing.AddTool(plain("wait"), func(context.Context, request) (*result, error) {
		wait()
		return &result{text: "waited"}, nil
	})
	_, wrong := existing.WrapAll(g, wrap.Rules{Base: versioned(), Tools: map[string]wrap.Rule{"wait": {Uncontracted: true}}},
		options{Config: adapter.Config{Tools: []*contract.Tool{note}, Naming: contract.Dotted}})
	return errors.Join(wrong, existing.ServeStdioServer())
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

// reading returns a tool whose handler runs until its context ends.
func reading(report func(string)) *contract.Tool {
	return contract.New("proc.read", func(ctx context.Context, _ numbered) (string, error) {
		report("begun")
		<-ctx.Done()
		return "", ctx.Err()
	}).From(misbehaving()).MustBuild()
}

// stuck returns a tool whose handler never ends.
func stuck(report func(string)) *contract.Tool {
	return contract.New("proc.stuck", func(context.Context, numbered) (string, error) { report("begun"); select {} }).
		From(misbehaving()).MustBuild()
}
