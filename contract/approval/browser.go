package approval

import (
	"errors"
	"time"

	"golang.org/x/time/rate"
)

// These bound the browser windows that open, so that a model that asks many
// questions does not flood a person. Questions without a window are in the list
// of the page.
const (
	// windowsAtOnce is how many windows may open in quick succession. Questions
	// and sign-ins are counted separately.
	windowsAtOnce = 3
	// windowInterval is the time after which one more window may open.
	windowInterval = time.Minute
)

// A BrowserOption configures a [Page] or a [Loopback].
type BrowserOption interface {
	Option
	LoopbackOption
}

type browserOption struct{ open func(address string) error }

// WithBrowser sets the function that opens a new question in a browser. It is
// not called if the client sends its user to the question. Use it only if the
// person who decides sits at the machine of the server, as over stdio.
//
// The function receives the address, at most once for each question. It is
// called at most three times in quick succession, and after that once a minute.
// It must not block and must be safe for concurrent use. Its error is ignored,
// because the person can open the address in another way.
//
// The function of a [Loopback] also opens a signed-in window for a person who
// presses the page's sign-in button; the page then shows an error. An address
// of a Loopback signs one browser in, once, and must not reach the client.
//
// Default for [ListenLoopback]: [OpenBrowser] if the machine has a display.
// Default for [New]: none. Nil is an error.
func WithBrowser(open func(address string) error) BrowserOption { return browserOption{open} }

// WithoutBrowser makes the page open no browser. The person must sign in with
// an address from [WithNotify] or [Loopback.Address], even if the client sends
// its user to the page.
func WithoutBrowser() LoopbackOption {
	return loopbackOptionFunc(func(l *Loopback) error {
		l.open = nil
		return nil
	})
}

var errNoBrowser = errors.New("approval: WithBrowser: the function is nil; leave the option out, or pass WithoutBrowser to ListenLoopback")

func (o browserOption) apply(p *Page) error {
	if o.open == nil {
		return errNoBrowser
	}
	p.browser = newBrowser(o.open)
	return nil
}

func (o browserOption) applyLoopback(l *Loopback) error {
	if o.open == nil {
		return errNoBrowser
	}
	l.open = o.open
	return nil
}

// A browser opens windows, within the bounds above.
type browser struct {
	open              func(address string) error
	question, signIns *rate.Limiter
}

func newBrowser(open func(address string) error) *browser {
	every := rate.Every(windowInterval)
	return &browser{open, rate.NewLimiter(every, windowsAtOnce), rate.NewLimiter(every, windowsAtOnce)}
}

// show opens the address of a question. A nil browser opens none.
func (b *browser) show(address func() string) {
	if b != nil && b.question.Allow() {
		_ = b.open(address()) // the person can open the address in another way
	}
}
