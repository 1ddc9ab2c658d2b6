package approval

import (
	"errors"
	"time"

	"golang.org/x/time/rate"
)

// The bounds of opened browser windows, so that a model that asks many
// questions does not flood a person with them. Further questions are in the
// list of the page.
const (
	// windowsAtOnce is the number of windows that may open at once, for
	// questions and for sign-ins each.
	windowsAtOnce = 3
	// windowInterval is the time after which one more may open.
	windowInterval = time.Minute
)

// A BrowserOption configures a [Page] or a [Loopback].
type BrowserOption interface {
	Option
	LoopbackOption
}

type browserOption struct{ open func(address string) error }

// WithBrowser sets the function that opens the address of a new question in a
// browser, unless the client sends its user there. Use it only if the person
// who decides sits at the machine of the server, as over stdio. The function is
// called once for each question, at most three times at once and once a minute
// after that. It must not block, must be safe for concurrent use, and its error
// is ignored, because the person can open the address in another way. The
// address of a [Loopback] signs a browser in once and must not reach the
// client. Default for [ListenLoopback]: [OpenBrowser] if the machine has a
// display. Default for [New]: none. Nil is an error.
func WithBrowser(open func(address string) error) BrowserOption { return browserOption{open} }

// WithoutBrowser opens no browser. The person needs the address from
// [WithNotify] or [Loopback.Address], or a client that sends its user to the
// page.
func WithoutBrowser() LoopbackOption {
	return loopbackOptionFunc(func(l *Loopback) error {
		l.open = nil
		return nil
	})
}

var errNoBrowser = errors.New("approval: WithBrowser: the function is nil; pass WithoutBrowser to open none")

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

// A browser opens windows, but not too many.
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
