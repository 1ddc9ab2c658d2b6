//go:build unix

package outcomes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// An effect is an order that the provider has placed.
type effect struct {
	Order, Item, Key, Receipt string

	at     time.Time
	undone bool
}

// A plan is how the provider treats an order. The zero plan places it at once.
type plan struct {
	delay  time.Duration // from the arrival of a request to its effect
	behind time.Duration // after which queries show an effect
	dedupe bool          // requests with the same key have one effect
	kill   point         // at which the first request ends the process that sent it
	fail   map[string]fault
	// failOnce means that only the first request for an item fails.
	failOnce bool
	gate     chan struct{} // holds the first handler before its request until it is closed
	slow     time.Duration // how long a query takes
}

// A fault is what the provider answers to a request for an item, in place of
// the receipt.
type fault struct {
	after bool   // the effect comes first
	text  string // what the handler does: "error" or "panic"
}

// A provider places orders. It can be asked about a key, and can be told to
// refuse one.
type provider struct {
	url string

	mu      sync.Mutex
	plans   map[string]*plan
	effects []*effect
	voided  map[string]bool
	killed  map[string]bool
	reached map[string]chan int // gets the ids of the processes that wait at an order's gate
	held    map[string]bool     // orders whose first handler has come to the gate
	asked   map[string]int      // by order
	since   map[string]time.Time
	came    map[string]int // requests for an order
	refused int            // requests for voided keys
}

// A message is a request to the provider, and its answer.
type message struct {
	Order string `json:"order,omitempty"`
	Item  string `json:"item,omitempty"`
	Key   string `json:"key,omitempty"`
	PID   int    `json:"pid,omitempty"`
	Void  bool   `json:"void,omitempty"`

	Since time.Time `json:"since,omitzero"` // of a question

	Receipt string `json:"receipt,omitempty"`
	Voided  bool   `json:"voided,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{
		plans: map[string]*plan{}, voided: map[string]bool{}, killed: map[string]bool{}, reached: map[string]chan int{},
		held: map[string]bool{}, asked: map[string]int{}, since: map[string]time.Time{}, came: map[string]int{},
	}
	mux := http.NewServeMux()
	for path, answer := range map[string]func(context.Context, message) message{
		"POST /order": p.order, "POST /ask": p.ask, "POST /gate": p.gate, "POST /undo": p.undo, "POST /stop": p.stop,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			var m message
			if json.NewDecoder(r.Body).Decode(&m) != nil {
				http.Error(w, "not a message", http.StatusBadRequest)
				return
			}
			_ = json.NewEncoder(w).Encode(answer(r.Context(), m))
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.url = server.URL
	return p
}

// plan sets how an order is treated.
func (p *provider) plan(order string, as plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plans[order] = &as
	p.reached[order] = make(chan int, 16)
}

func (p *provider) planOf(order string) *plan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if found := p.plans[order]; found != nil {
		return found
	}
	return &plan{}
}

// order places an order, if its key is not refused by then.
func (p *provider) order(ctx context.Context, m message) message {
	as := p.planOf(m.Order)
	p.kill(ctx, as, m, atWire)
	if as.delay > 0 {
		time.Sleep(as.delay) // it is the network that is slow
	}
	f := p.fault(as, m)
	if f.text != "" && !f.after {
		return message{Fault: f.text}
	}
	receipt, ok := p.place(as, m)
	p.kill(ctx, as, m, atEffect)
	p.mu.Lock()
	p.came[m.Order]++
	p.mu.Unlock()
	switch {
	case !ok:
		return message{Voided: true}
	case f.text != "":
		return message{Fault: f.text}
	}
	return message{Receipt: receipt}
}

// fault returns how a request fails.
func (p *provider) fault(as *plan, m message) fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := as.fail[m.Item]
	if as.failOnce {
		as.fail = maps.Clone(as.fail)
		delete(as.fail, m.Item)
	}
	return f
}

// kill ends the process of an order's first request, and waits until it is
// gone.
func (p *provider) kill(ctx context.Context, as *plan, m message, at point) {
	p.mu.Lock()
	now := as.kill == at && !p.killed[m.Order]
	p.killed[m.Order] = p.killed[m.Order] || now
	p.mu.Unlock()
	if now {
		_ = syscall.Kill(m.PID, syscall.SIGKILL)
		<-ctx.Done()
	}
}

// place has the effect. It reports false if the key was voided.
func (p *provider) place(as *plan, m message) (receipt string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.voided[m.Key] {
		p.refused++
		return "", false
	}
	if as.dedupe {
		if found := p.find(m.Key); found != nil {
			return found.Receipt, true
		}
	}
	e := &effect{m.Order, m.Item, m.Key, fmt.Sprintf("receipt %d", len(p.effects)+1), time.Now(), false}
	p.effects = append(p.effects, e)
	return e.Receipt, true
}

// find returns the effect of a key, or nil.
func (p *provider) find(key string) *effect {
	i := slices.IndexFunc(p.effects, func(e *effect) bool { return e.Key == key })
	if i < 0 {
		return nil
	}
	return p.effects[i]
}

// ask tells whether a key had its effect. If it has not, and the message
// demands that, the key has none from now on.
func (p *provider) ask(_ context.Context, m message) message {
	as := p.planOf(m.Order)
	if as.slow > 0 {
		time.Sleep(as.slow)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[m.Order]++
	p.since[m.Order] = m.Since
	if e := p.find(m.Key); e != nil && time.Since(e.at) >= as.behind {
		return message{Receipt: e.Receipt}
	}
	if m.Void {
		p.voided[m.Key] = true
	}
	return message{Voided: m.Void}
}

// gate holds a handler until the test lets it go on.
func (p *provider) gate(ctx context.Context, m message) message {
	as := p.planOf(m.Order)
	p.mu.Lock()
	reached, isFirst := p.reached[m.Order], !p.held[m.Order]
	p.held[m.Order] = true
	p.mu.Unlock()
	if as.gate == nil || !isFirst {
		return message{}
	}
	reached <- m.PID
	select {
	case <-as.gate:
	case <-ctx.Done():
	}
	return message{}
}

// stop stops a process, which does not get the answer before it is resumed. The
// signal may arrive late, so the answer waits until the process has stopped.
func (p *provider) stop(ctx context.Context, m message) message {
	_ = syscall.Kill(m.PID, syscall.SIGSTOP)
	for !isStopped(m.PID) && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reached[m.Order] <- m.PID
	return message{}
}

// isStopped reports whether Linux says that a process is stopped. On other
// systems it is assumed.
func isStopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(text), ") ") // the name of the command comes before
	return strings.HasPrefix(state, "T")
}

// undo undoes all effects of an order.
func (p *provider) undo(_ context.Context, m message) message {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.effects {
		e.undone = e.undone || e.Order == m.Order
	}
	return message{}
}

// placed returns the effects of an order.
func (p *provider) placed(order string) (all []effect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.effects {
		if e.Order == order {
			all = append(all, *e)
		}
	}
	return all
}

// askedSince returns the time in the last question about an order.
func (p *provider) askedSince(order string) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.since[order]
}

func (p *provider) questions(order string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[order]
}

// awaitGate returns the id of a process whose handler waits at the gate of an
// order.
func (p *provider) awaitGate(t *testing.T, order string) int {
	t.Helper()
	p.mu.Lock()
	reached := p.reached[order]
	p.mu.Unlock()
	select {
	case pid := <-reached:
		return pid
	case <-time.After(patience):
		t.Fatalf("no handler reached the gate of %s", order)
		return 0
	}
}

// awaitRequests waits until the provider has handled a number of requests for
// an order.
func (p *provider) awaitRequests(t *testing.T, order string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return p.requests(order) >= n }, patience, 5*time.Millisecond)
}

// requests returns how many requests for an order have been handled.
func (p *provider) requests(order string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.came[order]
}

// send sends a message to the provider at an address. Its handlers do not give
// up when their time is over, as many real ones.
func send(ctx context.Context, address string, m message) (message, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the provider answered %d", resp.StatusCode)
	}
	if err != nil {
		return message{}, err
	}
	var answer message
	return answer, json.Unmarshal(text, &answer)
}
