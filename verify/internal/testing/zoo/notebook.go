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

// A notebook is the state of one subject. The handlers are its methods.
type notebook struct {
	env Env

	mu    sync.Mutex
	notes map[string]note
	next  int
	calls int

	answers atomic.Int64 // not state, because it only makes answers differ
}

type note struct{ Tenant, Text string }

// newNotebook returns a notebook with one note for each tenant.
func newNotebook(e Env) *notebook {
	return &notebook{env: e, next: 3, notes: map[string]note{
		"n1": {Anna.Tenant, "Buy milk."},
		"n2": {Ben.Tenant, "Call the bank."},
	}}
}

// in returns a function that makes a subject with a notebook of its own.
func in(open func(*notebook) Subject) func(Env) Subject {
	return func(e Env) Subject { return open(newNotebook(e)) }
}

// state is what a subject's State returns.
type state struct {
	Notes map[string]note
	Next  int
	Calls int
	Rows  []string
}

// snapshot returns the state in memory and in the database.
func (nb *notebook) snapshot() any {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	return state{Notes: maps.Clone(nb.notes), Next: nb.next, Calls: nb.calls, Rows: nb.rows()}
}

func (nb *notebook) rows() []string {
	if nb.env.DB == nil {
		return nil
	}
	rows, err := nb.env.DB.QueryContext(context.Background(), "SELECT id || ' ' || text FROM notes ORDER BY id")
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

// add stores a note under a new ID.
func (nb *notebook) add(n note) string {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	id := "n" + strconv.Itoa(nb.next)
	nb.next++
	nb.notes[id] = n
	return id
}

// set stores a note under an ID.
func (nb *notebook) set(id string, n note) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	nb.notes[id] = n
}

func (nb *notebook) get(id string) (note, bool) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	n, ok := nb.notes[id]
	return n, ok
}

// remove deletes the note with an ID and reports whether there was one.
func (nb *notebook) remove(id string) bool {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	_, ok := nb.notes[id]
	delete(nb.notes, id)
	return ok
}

// subject returns a subject with one tool. Each input is a case of Anna's.
func (nb *notebook) subject(b contract.Buildable, inputs ...any) Subject {
	s := Subject{Tool: built(b), State: nb.snapshot}
	for _, input := range inputs {
		s.Cases = append(s.Cases, Case{Tool: s.Tool.Name(), Input: input, As: Anna})
	}
	return s
}

// built panics on a mistake, like MustBuild.
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

// native declares that repeating a call changes nothing more.
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
