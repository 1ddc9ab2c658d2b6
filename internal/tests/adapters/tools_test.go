package adapters_test

import (
	"context"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type nothing struct{}

type noteIn struct {
	Text string `json:"text" jsonschema:"maxLength=100"`
}

type lengthOut struct {
	Length int64 `json:"length"`
}

type numberIn struct {
	N int64 `json:"n"`
}

type numberOut struct {
	N int64 `json:"n"`
}

// reading returns a tool that anyone may call and that changes nothing.
func reading[In, Out any](name string, handler contract.Handler[In, Out]) *contract.Builder[In, Out] {
	return contract.New(name, handler).Description("Reads something.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// writing returns a tool that needs the permission [mayWrite].
func writing[In, Out any](name string, handler contract.Handler[In, Out]) *contract.Builder[In, Out] {
	return contract.New(name, handler).Description("Writes something.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).Permissions(mayWrite)
}

// A counter counts the runs of the handlers it provides.
type counter struct{ n atomic.Int64 }

func (c *counter) runs() int64 { return c.n.Load() }

// length is a handler that returns the length of a note.
func (c *counter) length(_ context.Context, in noteIn) (lengthOut, error) {
	c.n.Add(1)
	return lengthOut{int64(len(in.Text))}, nil
}

// double is a handler that doubles a number.
func (c *counter) double(_ context.Context, in numberIn) (numberOut, error) {
	c.n.Add(1)
	return numberOut{in.N * 2}, nil
}

// secret is a handler that returns a text.
func (c *counter) secret(context.Context, nothing) (string, error) {
	c.n.Add(1)
	return "-----BEGIN", nil
}

// The tools used by most rules.

// doubling may be called by anyone.
func (c *counter) doubling() *contract.Builder[numberIn, numberOut] {
	return reading("calc.double", c.double).Title("Double").Aliases("calc.twice")
}

// noting needs a permission.
func (c *counter) noting() *contract.Builder[noteIn, lengthOut] {
	return writing("notes.write", c.length).Aliases("notes.add")
}

// forbidden is never listed and never runs.
func (c *counter) forbidden() *contract.Builder[nothing, string] {
	return contract.New("keys.read", c.secret).Description("Reads the private key.").Version("1.0.0").
		Risk(risk.Forbidden).Effect(risk.ReadOnly).Trust(trust.Sensitive).Permissions(mayRead)
}

// all returns the three tools above.
func (c *counter) all() []*contract.Tool {
	return []*contract.Tool{c.doubling().MustBuild(), c.noting().MustBuild(), c.forbidden().MustBuild()}
}

// note returns the arguments of a note.
func note(text string) string { return `{"text":` + quote(text) + `}` }

// gate is a handler that reports its start and waits until it is opened.
type gate struct {
	begun, opened chan struct{}
	released      <-chan struct{}
	// ended receives whether the handler's context had ended.
	ended chan bool
}

func (t *checkRun) gate() *gate {
	return &gate{begun: make(chan struct{}, 100), opened: make(chan struct{}), released: t.released, ended: make(chan bool, 100)}
}

// hold waits until the gate is opened.
func (g *gate) hold(ctx context.Context, _ noteIn) (lengthOut, error) {
	g.begun <- struct{}{}
	select {
	case <-g.opened:
	case <-g.released:
	}
	g.ended <- ctx.Err() != nil
	return lengthOut{1}, ctx.Err()
}

// untilDone waits until the context ends.
func (g *gate) untilDone(ctx context.Context, _ noteIn) (lengthOut, error) {
	g.begun <- struct{}{}
	select {
	case <-ctx.Done():
	case <-g.released:
	}
	g.ended <- ctx.Err() != nil
	return lengthOut{1}, ctx.Err()
}
