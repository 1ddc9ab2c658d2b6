package effecttest

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"sort"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
)

// In and Out are the types of all handlers.
type (
	In  struct{ Text string }
	Out struct{ Text string }
)

// A Mailer sends mail. Nothing in this package implements it.
type Mailer interface{ Send(text string) error }

// A Store has the handlers. They are never called.
type Store struct {
	folder *os.Root
	log    io.Writer
	client *http.Client
	db     *sql.DB
	mail   Mailer
	once   sync.Once
	hook   func(string) error
	// console writes to the standard error, and book to it or to a file.
	console *logger
	book    *notebook
}

// A logger has its writer in a field, as those of most packages.
type logger struct{ out io.Writer }

func newLogger(out io.Writer) *logger { return &logger{out} }

func (l *logger) print(text string) error {
	_, err := l.out.Write([]byte(text))
	return err
}

type notebook struct{ out *os.File }

func newNotebook(out *os.File) *notebook { return &notebook{out} }

// New returns a store. It opens a file for the log, and sets a hook.
func New(dir string) (*Store, error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	log, err := folder.Create("log")
	if err != nil {
		return nil, err
	}
	book := newNotebook(os.Stdout)
	if dir != "" {
		book = newNotebook(log)
	}
	return &Store{
		folder: folder, log: log, client: http.DefaultClient, hook: save, console: newLogger(os.Stderr), book: book,
	}, nil
}

func save(text string) error { return os.WriteFile("hook", []byte(text), 0o600) }

// Nothing returns its input.
func (s *Store) Nothing(_ context.Context, in In) (Out, error) { return Out(in), nil }

// Read reads a file.
func (s *Store) Read(_ context.Context, in In) (Out, error) {
	f, err := s.open(in.Text, os.O_RDONLY)
	if err != nil {
		return Out{}, fmt.Errorf("open: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return Out{string(data)}, err
}

// Append opens a file for writing, by a flag that it passes on.
func (s *Store) Append(_ context.Context, in In) (Out, error) {
	f, err := s.open(in.Text, os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return Out{}, err
	}
	return Out{}, f.Close()
}

func (s *Store) open(name string, flag int) (*os.File, error) {
	return s.folder.OpenFile(filepath.Clean(name), flag, 0o600)
}

// OpenAsTold opens a file by a flag from the call.
func (s *Store) OpenAsTold(_ context.Context, in In) (Out, error) {
	f, err := s.open(in.Text, len(in.Text))
	if err != nil {
		return Out{}, err
	}
	return Out{}, f.Close()
}

// Log writes to the file that New opened.
func (s *Store) Log(_ context.Context, in In) (Out, error) {
	_, err := fmt.Fprintln(s.log, in.Text)
	return Out{}, err
}

// Console writes to the standard streams.
func (s *Store) Console(_ context.Context, in In) (Out, error) {
	if _, err := fmt.Fprintln(os.Stderr, in.Text); err != nil {
		return Out{}, s.console.print(in.Text)
	}
	_, err := os.Stdout.WriteString(in.Text)
	return Out{}, err
}

// Book writes to the standard output or to a file.
func (s *Store) Book(_ context.Context, in In) (Out, error) {
	_, err := s.book.out.WriteString(in.Text)
	return Out{}, err
}

// Later writes when a timer fires.
func (s *Store) Later(_ context.Context, in In) (Out, error) {
	time.AfterFunc(time.Second, func() { _ = os.Remove(in.Text) })
	return Out{}, nil
}

// Once writes at the first call.
func (s *Store) Once(_ context.Context, in In) (Out, error) {
	s.once.Do(s.makeFolder)
	return Out(in), nil
}

func (s *Store) makeFolder() { _ = s.folder.Mkdir("folder", 0o700) }

// Sort calls a function of its own by a function that others share.
func (s *Store) Sort(_ context.Context, in In) (Out, error) {
	letters := []byte(in.Text)
	sort.Slice(letters, func(i, j int) bool { return letters[i] < letters[j] })
	return Out{string(letters)}, nil
}

// SortAndWrite does too, and its function writes.
func (s *Store) SortAndWrite(_ context.Context, in In) (Out, error) {
	letters := []byte(in.Text)
	sort.Slice(letters, func(i, j int) bool { return os.Mkdir(in.Text, 0o700) == nil })
	return Out{string(letters)}, nil
}

// Hook calls the function that New set.
func (s *Store) Hook(_ context.Context, in In) (Out, error) { return Out{}, s.hook(in.Text) }

// Mail calls an interface that nothing implements.
func (s *Store) Mail(_ context.Context, in In) (Out, error) { return Out{}, s.mail.Send(in.Text) }

// Fetch sends a GET.
func (s *Store) Fetch(ctx context.Context, in In) (Out, error) {
	return s.send(ctx, http.MethodGet, in)
}

// Post sends a POST.
func (s *Store) Post(ctx context.Context, in In) (Out, error) {
	return s.send(ctx, http.MethodPost, in)
}

// Put sends a PUT.
func (s *Store) Put(ctx context.Context, in In) (Out, error) { return s.send(ctx, http.MethodPut, in) }

// Delete sends a DELETE.
func (s *Store) Delete(ctx context.Context, in In) (Out, error) {
	return s.send(ctx, http.MethodDelete, in)
}

// Send sends the method of the call.
func (s *Store) Send(ctx context.Context, in In) (Out, error) { return s.send(ctx, in.Text, in) }

func (s *Store) send(ctx context.Context, method string, in In) (Out, error) {
	req, err := http.NewRequestWithContext(ctx, method, in.Text, nil)
	if err != nil {
		return Out{}, err
	}
	res, err := s.client.Do(req)
	if err != nil {
		return Out{}, err
	}
	return Out{res.Status}, res.Body.Close()
}

const selectAll = "SELECT text FROM notes"

// Select reads a database.
func (s *Store) Select(ctx context.Context, in In) (Out, error) {
	var out Out
	err := s.db.QueryRowContext(ctx, selectAll+" WHERE id = ?", in.Text).Scan(&out.Text)
	return out, err
}

// SelectFunction calls a function of the database.
func (s *Store) SelectFunction(ctx context.Context, in In) (Out, error) {
	return s.run(ctx, "SELECT pg_terminate_backend("+"$1)", in.Text)
}

// SelectSorted ends with a text of the call.
func (s *Store) SelectSorted(ctx context.Context, in In) (Out, error) {
	return s.run(ctx, selectAll+" ORDER BY "+in.Text+" LIMIT 1")
}

// SelectFormatted makes a statement by package fmt.
func (s *Store) SelectFormatted(ctx context.Context, in In) (Out, error) {
	return s.run(ctx, fmt.Sprintf(selectAll+" LIMIT %s", in.Text))
}

// SelectMore adds a statement in one branch.
func (s *Store) SelectMore(ctx context.Context, in In) (Out, error) {
	statement := selectAll
	if in.Text != "" {
		statement += "; DELETE FROM notes"
	}
	return s.run(ctx, statement)
}

// SelectLoop adds to a statement in a loop.
func (s *Store) SelectLoop(ctx context.Context, in In) (Out, error) {
	statement := selectAll
	for range in.Text {
		statement += " OR id = ?"
	}
	return s.run(ctx, statement)
}

func (s *Store) run(ctx context.Context, statement string, arguments ...any) (Out, error) {
	rows, err := s.db.QueryContext(ctx, statement, arguments...)
	if err != nil {
		return Out{}, err
	}
	return Out{}, rows.Close()
}

// Insert changes a database.
func (s *Store) Insert(ctx context.Context, in In) (Out, error) {
	_, err := s.db.ExecContext(ctx, "INSERT INTO notes VALUES (?)", in.Text)
	return Out{}, err
}

// Update changes a database too.
func (s *Store) Update(ctx context.Context, in In) (Out, error) {
	_, err := s.db.ExecContext(ctx, "UPDATE notes SET text = ?", in.Text)
	return Out{}, err
}

// Query runs the statement of the call.
func (s *Store) Query(ctx context.Context, in In) (Out, error) {
	_, err := s.db.ExecContext(ctx, in.Text)
	return Out{}, err
}

// Run starts a program.
func (s *Store) Run(ctx context.Context, in In) (Out, error) {
	return Out{}, exec.CommandContext(ctx, "true").Run()
}

// Reflect calls a method by its name.
func (s *Store) Reflect(_ context.Context, in In) (Out, error) {
	reflect.ValueOf(s).MethodByName(in.Text).Call(nil)
	return Out{}, nil
}

// Files has handlers of tools that may write. It holds no function, so several
// tools can share a handler.
type Files struct{ folder *os.Root }

// Append writes a file.
func (f *Files) Append(_ context.Context, in In) (Out, error) {
	return Out{}, f.folder.WriteFile("notes", []byte(in.Text), 0o600)
}

// PreviewNothing previews without an effect.
func (f *Files) PreviewNothing(context.Context, In) (dryrun.Preview[Out], error) {
	return dryrun.Preview[Out]{}, nil
}

// PreviewByAppending previews by doing it.
func (f *Files) PreviewByAppending(ctx context.Context, in In) (dryrun.Preview[Out], error) {
	out, err := f.Append(ctx, in)
	return dryrun.Preview[Out]{Data: out}, err
}

// CheckByReading checks a call, and reads.
func (f *Files) CheckByReading(context.Context, In) error {
	_, err := os.ReadFile("notes")
	return err
}

// CheckByAppending checks a call by doing it.
func (f *Files) CheckByAppending(ctx context.Context, in In) error {
	_, err := f.Append(ctx, in)
	return err
}

// AskByReading asks what became of a call, and reads.
func (f *Files) AskByReading(context.Context, In, time.Time) (contract.Reconciled[Out], error) {
	data, err := os.ReadFile("notes")
	return contract.Happened(Out{string(data)}), err
}

// AskByAppending asks what became of a call by making it.
func (f *Files) AskByAppending(ctx context.Context, in In, _ time.Time) (contract.Reconciled[Out], error) {
	out, err := f.Append(ctx, in)
	return contract.Happened(out), err
}

// AskByVoiding writes, so that the call cannot happen any more.
func (f *Files) AskByVoiding(context.Context, In, time.Time) (contract.Reconciled[Out], error) {
	if _, err := os.Stat("notes"); err == nil {
		return contract.DidNotHappen[Out](), nil
	}
	return void(os.WriteFile("voided", nil, 0o600))
}

func void(err error) (contract.Reconciled[Out], error) {
	if err != nil {
		return contract.Reconciled[Out]{}, err
	}
	return contract.CannotHappen[Out](), nil
}

// Generic is a handler of any type.
func Generic[T any](context.Context, T) (Out, error) { return Out{}, os.Mkdir("generic", 0o700) }

// Literal returns a handler that is a function literal.
func Literal() func(context.Context, In) (Out, error) {
	return func(context.Context, In) (Out, error) { return Out{}, os.Remove("literal") }
}

// Wrapped returns a handler that calls another one.
func Wrapped(h func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) { return h(ctx, in) }
}

// Instance returns a handler of which the compiled program does not show the
// source.
func Instance[T any]() func(context.Context, T) (Out, error) { return Generic[T] }
