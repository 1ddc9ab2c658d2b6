package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// placeVariable is the environment variable with the place of the storage. It
// marks a process as started by [RunProcesses].
const placeVariable = "STORETEST_PLACE"

// answers are the errors of operations that changed nothing.
var answers = []error{store.ErrInvalid, store.ErrLost, store.ErrFull, store.ErrNotFound, store.ErrNotUnknown}

// A request is an operation of a store, or "Advance" or "Exact" of its harness.
type request struct {
	ID         uint64
	Operation  string
	Claim      store.Claim
	Completion store.Completion
	Release    store.Release
	Nonce      store.Nonce
	Settlement store.Settlement
	Key        store.Key
	Owner      store.Owner
	Kind       string
	Duration   time.Duration
}

// A response holds what an operation returned. Error is the error's text.
type response struct {
	ID     uint64
	Claim  store.ClaimResult
	Record store.Record
	Flag   bool
	Added  int64
	Count  store.Count
	Error  string
}

// answer runs a request on this process's store.
func (q request) answer(h Harness) response {
	a := response{ID: q.ID}
	ctx := context.Background()
	records := h.Store
	var err error
	switch q.Operation {
	case "Advance":
		h.Advance(q.Duration)
	case "Exact":
		a.Flag = h.Exact
	case "Claim":
		a.Claim, err = records.Claim(ctx, q.Claim)
	case "Mark":
		err = records.Mark(ctx, q.Key, q.Owner)
	case "Renew":
		err = records.Renew(ctx, q.Key, q.Owner, q.Duration)
	case "Complete":
		err = records.Complete(ctx, q.Completion)
	case "Release":
		err = records.Release(ctx, q.Release)
	case "Get":
		a.Record, err = records.Get(ctx, q.Key)
	case "Resolve":
		err = records.Resolve(ctx, q.Key, q.Settlement)
	case "Spend":
		a.Flag, err = records.Spend(ctx, q.Nonce, q.Owner)
	case "Add":
		a.Added, err = records.Add(ctx, q.Key, q.Kind, q.Duration)
	case "Max":
		a.Count, err = records.Max(ctx, q.Key)
	case "Reset":
		err = records.Reset(ctx, q.Key)
	default:
		err = errors.New("unknown operation")
	}
	if err != nil {
		a.Error = err.Error()
	}
	for _, known := range answers {
		if errors.Is(err, known) {
			a.Error = known.Error()
		}
	}
	return a
}

// serve answers the requests on standard input, several at once, until end of
// input.
func serve(h Harness) {
	requests := json.NewDecoder(os.Stdin)
	responses := json.NewEncoder(os.Stdout)
	var mu sync.Mutex
	for {
		var q request
		if requests.Decode(&q) != nil {
			return
		}
		go func() {
			a := q.answer(h)
			mu.Lock()
			defer mu.Unlock()
			if err := responses.Encode(a); err != nil {
				return // the reader is gone, and standard input ends
			}
		}()
	}
}

var _ store.Store = (*member)(nil)

// A member is one process with its store.
type member struct {
	command *exec.Cmd
	in      io.WriteCloser
	ending  sync.Once

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan response // nil once the process has ended
}

func startMember(t *testing.T, place string) *member {
	t.Helper()
	name := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
	command := exec.Command(os.Args[0], "-test.run="+name) //nolint:gosec,noctx // this program; end ends it
	command.Env = append(os.Environ(), placeVariable+"="+place)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	m := &member{command: command, in: in, waiting: map[uint64]chan response{}}
	go m.receive(out)
	return m
}

// receive passes responses on to the callers waiting for them.
func (m *member) receive(out io.Reader) {
	responses := json.NewDecoder(out)
	for {
		var a response
		err := responses.Decode(&a)
		m.mu.Lock()
		if err != nil {
			for _, waiting := range m.waiting {
				close(waiting)
			}
			m.waiting = nil
			m.mu.Unlock()
			return
		}
		m.waiting[a.ID] <- a
		delete(m.waiting, a.ID)
		m.mu.Unlock()
	}
}

func (m *member) kill() { _ = m.command.Process.Kill() }

// end ends the process, if it is still running, and waits for it.
func (m *member) end() {
	m.ending.Do(func() {
		_ = m.in.Close()
		m.kill()
		_ = m.command.Wait()
	})
}

func (m *member) advance(t *testing.T, d time.Duration) {
	t.Helper()
	if _, err := m.do(request{Operation: "Advance", Duration: d}); err != nil {
		t.Error("a process does not answer: ", err)
	}
}

func (m *member) exact(t *testing.T) bool {
	t.Helper()
	a, err := m.do(request{Operation: "Exact"})
	if err != nil {
		t.Fatal("a process does not answer: ", err)
	}
	return a.Flag
}

// errGone means that the process has ended, and that the operation may or may
// not have taken place.
var errGone = errors.New("the process has ended")

// do sends a request to the process and waits for the response.
func (m *member) do(q request) (response, error) {
	waiting := make(chan response, 1)
	if !m.send(q, waiting) {
		return response{}, errGone
	}
	a, answered := <-waiting
	if !answered {
		return a, errGone
	}
	for _, known := range answers {
		if a.Error == known.Error() {
			return a, known
		}
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

func (m *member) send(q request, waiting chan response) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting == nil {
		return false
	}
	m.last++
	q.ID = m.last
	m.waiting[q.ID] = waiting
	if err := json.NewEncoder(m.in).Encode(q); err != nil {
		delete(m.waiting, q.ID)
		return false
	}
	return true
}

func (m *member) Claim(_ context.Context, c store.Claim) (store.ClaimResult, error) {
	a, err := m.do(request{Operation: "Claim", Claim: c})
	return a.Claim, err
}

func (m *member) Mark(_ context.Context, key store.Key, owner store.Owner) error {
	_, err := m.do(request{Operation: "Mark", Key: key, Owner: owner})
	return err
}

func (m *member) Renew(_ context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	_, err := m.do(request{Operation: "Renew", Key: key, Owner: owner, Duration: lease})
	return err
}

func (m *member) Complete(_ context.Context, c store.Completion) error {
	_, err := m.do(request{Operation: "Complete", Completion: c})
	return err
}

func (m *member) Release(_ context.Context, r store.Release) error {
	_, err := m.do(request{Operation: "Release", Release: r})
	return err
}

func (m *member) Get(_ context.Context, key store.Key) (store.Record, error) {
	a, err := m.do(request{Operation: "Get", Key: key})
	return a.Record, err
}

func (m *member) Resolve(_ context.Context, key store.Key, s store.Settlement) error {
	_, err := m.do(request{Operation: "Resolve", Key: key, Settlement: s})
	return err
}

func (m *member) Spend(_ context.Context, n store.Nonce, by store.Owner) (bool, error) {
	a, err := m.do(request{Operation: "Spend", Nonce: n, Owner: by})
	return a.Flag, err
}

func (m *member) Add(_ context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	a, err := m.do(request{Operation: "Add", Key: key, Kind: kind, Duration: window})
	return a.Added, err
}

func (m *member) Max(_ context.Context, key store.Key) (store.Count, error) {
	a, err := m.do(request{Operation: "Max", Key: key})
	return a.Count, err
}

func (m *member) Reset(_ context.Context, key store.Key) error {
	_, err := m.do(request{Operation: "Reset", Key: key})
	return err
}

func (m *member) IsLocal() bool { return false }

func (m *member) Epoch() string { return "" }
