package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// child is the argument with which the command serves stdio, as one of the
// variants below.
const child = "serve-stdio"

// The environment of a child: which server, its number of tools, and where its
// store is.
const (
	childKind  = "BENCH_SERVER"
	childTools = "BENCH_TOOLS"
	childPlace = "BENCH_PLACE"
)

// serveChild serves stdio until stdin ends.
func serveChild() int {
	n, err := strconv.Atoi(os.Getenv(childTools))
	if err == nil {
		err = serveKind(os.Getenv(childKind), n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		return 1
	}
	return 0
}

func serveKind(kind string, n int) error {
	switch kind {
	case "bare", "validated":
		p := mcpgoBare
		if kind == "validated" {
			p = mcpgoValidated
		}
		s, err := p.serve(append(names(n), toolName)...)
		if err != nil {
			return err
		}
		return server.ServeStdio(s)
	case "full":
		var tools []*contract.Tool
		for _, name := range append(names(n), toolName) {
			t, err := orders(name).Build()
			if err != nil {
				return err
			}
			tools = append(tools, t)
		}
		g, _, err := newGuard(discarded())
		if err != nil {
			return err
		}
		return mcpgo.ServeStdio("bench", "1.0.0", g, mcpgo.WithTools(tools...))
	default:
		t, err := orders(toolName).Idempotency(onceForEachKey).Build()
		if err != nil {
			return err
		}
		g, err := sharedGuard(kind)
		if err != nil {
			return err
		}
		return mcpgo.ServeStdio("bench", "1.0.0", g, mcpgo.WithTools(t))
	}
}

// A process is a child that answers lines.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
}

var initialize = []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)

// startProcess starts a child and returns when it has answered initialize.
func startProcess(kind string, tools int, environment ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self, child)}
	p.cmd.Env = append(append(os.Environ(), childKind+"="+kind, childTools+"="+strconv.Itoa(tools)), environment...)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := p.send(initialize); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

func (p *process) send(m []byte) ([]byte, error) {
	if _, err := p.in.Write(append(bytes.Clone(m), '\n')); err != nil {
		return nil, err
	}
	return p.lines.ReadBytes('\n')
}

func (p *process) end() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// startGroup measures from the start of a process to its first answer.
func startGroup() group {
	g := group{name: "start", batch: time.Millisecond}
	for _, n := range []int{10, 100} {
		for _, kind := range []string{"validated", "full"} {
			g.variants = append(g.variants, variant{name: fmt.Sprintf("start_%d_tools_%s", n, kind),
				open: func() (func() error, func(), error) {
					return func() error {
						p, err := startProcess(kind, n)
						if err != nil {
							return err
						}
						p.end()
						return nil
					}, func() {}, nil
				}})
		}
	}
	return g
}

// stdioGroup measures a call over the pipes of a process.
func stdioGroup() group {
	g := group{name: "stdio"}
	for _, kind := range []string{"bare", "validated", "full"} {
		g.variants = append(g.variants, variant{name: "stdio_" + kind, open: func() (func() error, func(), error) {
			p, err := startProcess(kind, 0)
			if err != nil {
				return nil, nil, err
			}
			m := message(validArguments)
			answer, err := p.send(m)
			if err == nil {
				err = checkOrder(answer)
			}
			if err != nil {
				p.end()
				return nil, nil, err
			}
			return func() error {
				_, err := p.send(m)
				return err
			}, p.end, nil
		}})
	}
	return g
}
