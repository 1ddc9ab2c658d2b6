package zoo

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A world is the state of one subject. The handlers are its methods.
type world struct {
	env Env

	mu    sync.Mutex
	notes map[string]note
	next  int
	calls int

	answers atomic.Int64 // no state, because it only makes answers differ
}

type note struct{ Tenant, Text string }

// newWorld returns a world with one note of each tenant.
func newWorld(e Env) *world {
	return &world{env: e, next: 3, notes: map[string]note{
		"n1": {Anna.Tenant, "Buy milk."},
		"n2": {Ben.Tenant, "Call the bank."},
	}}
}

// in returns a function that makes a subject in a world of its own.
func in(open func(*world) Subject) func(Env) Subject {
	return func(e Env) Subject { return open(newWorld(e)) }
}

// state is what State of a subject returns.
type state struct {
	Notes map[string]note
	Next  int
	Calls int
	Rows  []string
}

// snapshot returns the state in memory and in the database.
func (w *world) snapshot() any {
	w.mu.Lock()
	defer w.mu.Unlock()
	return state{Notes: maps.Clone(w.notes), Next: w.next, Calls: w.calls, Rows: w.rows()}
}

func (w *world) rows() []string {
	if w.env.DB == nil {
		return nil
	}
	rows, err := w.env.DB.QueryContext(context.Background(), "SELECT id || ' ' || text FROM notes ORDER BY id")
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			return append(all, err.Error())
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		all = append(all, err.Error())
	}
	return all
}

// add stores a note under a new id.
func (w *world) add(n note) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := "n" + strconv.Itoa(w.next)
	w.next++
	w.notes[id] = n
	return id
}

// set stores a note under an id.
func (w *world) set(id string, n note) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes[id] = n
}

func (w *world) get(id string) (note, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, ok := w.notes[id]
	return n, ok
}

// remove deletes the note with an id and reports whether there was one.
func (w *world) remove(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.notes[id]
	delete(w.notes, id)
	return ok
}

// subject returns a subject of one tool. Each input is a case of Anna.
func (w *world) subject(b contract.Buildable, inputs ...any) Subject {
	s := Subject{Tool: built(b), State: w.snapshot}
	for _, input := range inputs {
		s.Cases = append(s.Cases, Case{Tool: s.Tool.Name(), Input: input, As: Anna})
	}
	return s
}

// built panics on a mistake, as MustBuild does.
func built(b contract.Buildable) *contract.Tool {
	tool, err := b.Build()
	if err != nil {
		panic(err) //nolint:forbidigo // the zoo's own tools build
	}
	return tool
}

func base() contract.Base {
	return contract.Base{Version: "1.0.0", Category: "notes", Trust: trust.Trusted, Permissions: permissions}
}

// reading starts the contract of a tool that changes nothing.
func reading[In, Out any](name, description string, h contract.Handler[In, Out]) *contract.Builder[In, Out] {
	return contract.New(name, h).From(base()).Description(description).Effect(risk.ReadOnly)
}

// writing starts the contract of a tool that changes notes, and nothing beyond
// the system.
func writing[In, Out any](name, description string, h contract.Handler[In, Out]) *contract.Builder[In, Out] {
	return contract.New(name, h).From(base()).Description(description).Effect(risk.LowRiskWrite).
		SideEffects(contract.SideEffect{Description: "The notes change.", Reach: contract.Internal, Undo: contract.Reversible})
}

// native declares that a repeated call changes nothing more.
func native() contract.Idempotency { return contract.Idempotency{Mode: idempotency.Native} }

// The types of most tools.
type (
	idInput struct {
		ID string `json:"id" jsonschema:"description=The id of a note.,minLength=1,maxLength=40"`
	}
	textInput struct {
		Text string `json:"text" jsonschema:"description=The text of a note.,maxLength=200"`
	}
	noteInput struct {
		ID   string `json:"id" jsonschema:"description=The id of a note.,minLength=1,maxLength=40"`
		Text string `json:"text" jsonschema:"description=The text of a note.,maxLength=200"`
	}
	idOutput struct {
		ID string `json:"id"`
	}
	textOutput struct {
		Text string `json:"text"`
	}
	countOutput struct {
		Count int `json:"count"`
	}
)

var (
	errNotFound = contract.Retryable("not_found", "There is no such note.")
	errStorage  = contract.Fatal("storage_unavailable", "The notes cannot be read or written.")
)

const (
	fileName = "notes.txt"
	blocked  = "blocked" // a file, so nothing can be written below it
)

func makeFolders(e Env) error {
	return errors.Join(
		os.Mkdir(e.Root, 0o700), os.Mkdir(e.Temp, 0o700),
		os.WriteFile(filepath.Join(e.Root, fileName), []byte("Buy milk.\n"), 0o600),
		os.WriteFile(filepath.Join(e.Root, blocked), nil, 0o600),
	)
}

func testBinary() string { return os.Args[0] }
