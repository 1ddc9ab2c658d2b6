package approval

import (
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
