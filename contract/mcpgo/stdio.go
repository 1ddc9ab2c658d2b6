package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
)

const (
	// flushTime is how long the audit queue is waited for, beyond the drain.
	flushTime = 5 * time.Second
	// writeTime is how long mcp-go is waited for to write last answers and to
	// return.
	writeTime = time.Second
)

var errUnanswered = errors.New("mcpgo: requests were left unanswered")

// ServeStdio makes a server as [NewServer] does and serves it on standard input
// and output, until the input ends or the process gets SIGINT or SIGTERM. It
// then answers every request that it has read, waiting at most as long as
// guard.WithDrain says, closes g, also a nil one's default, and returns nil. A
// signal drops the input that mcp-go had no room for yet; a second one ends the
// process at once.
//
// A line of input that is longer than the largest arguments of the tools and 64
// KiB is cut off as it is read, and answered as a JSON-RPC parse error. At most
// 16 MiB are read ahead of mcp-go, which takes about a hundred calls at a time;
// where more than that waits, the end of the input is seen when there is room.
//
// An error that matches [contract.ErrDeclaration] is NewServer's, and nothing
// was served. Any other says that the session could not be served, that
// requests were left unanswered, or that handlers or audit events were left
// behind.
//
// Standard output belongs to the protocol: print to standard error, where the
// default audit sink writes too. A process can serve stdio once at a time,
// because mcp-go has one stdio session.
func ServeStdio(name, version string, g *guard.Guard, opts ...Option) error {
	s, err := newServer(name, version, g, opts)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	// A client that is gone makes writes fail. Without this the first would end
	// the process, with handlers and audit events under way.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	return s.serve(ctx, os.Stdin, os.Stdout)
}

// serve runs one session until in ends or ctx is done.
//
// mcp-go drops queued calls and cancels running ones as soon as its input ends,
// so it is not told before everything was answered. The reading of in cannot be
// interrupted: a goroutine may stay blocked in it.
func (b *binding) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	x := newExchange(out)
	input := newInput(in, b.lineLimit(), x)
	listened := make(chan error, 1)
	go func() {
		listened <- server.NewStdioServer(b.server).Listen(context.WithoutCancel(ctx), input, x)
	}()

	var err error
	returned := false
	select {
	case <-ctx.Done():
		input.stop()
	case <-input.exhausted:
	case err = <-listened:
		returned = true
		input.stop()
	}
	until := b.guard.BeginDrain()
	answered := returned || x.settled(time.Until(until)) // else what is open stays so
	closing, cancel := context.WithDeadline(context.Background(), until.Add(flushTime))
	defer cancel()
	err = errors.Join(err, b.guard.Close(closing))
	if !answered {
		x.settled(writeTime) // Close gave up their handlers, and they say so
	}
	input.end()
	if !returned {
		select {
		case late := <-listened:
			err = errors.Join(err, late)
		case <-time.After(writeTime):
		}
	}
	if lost := x.unanswered(); lost > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d", errUnanswered, lost))
	}
	return err
}

// lineLimit is how long a message may be, in bytes.
func (b *binding) lineLimit() int {
	limit := int64(contract.DefaultMaxArgumentBytes)
	for _, t := range b.set.Tools() {
		limit = max(limit, t.Document().MaxArgumentBytes)
	}
	return messageLimit(limit)
}

// messageLimit is how long a message with arguments of a size may be. It
// saturates.
func messageLimit(arguments int64) int {
	return int(min(arguments, math.MaxInt-envelopeBytes)) + envelopeBytes
}
