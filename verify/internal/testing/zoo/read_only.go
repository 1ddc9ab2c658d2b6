package zoo

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

func readOnly() []Entry {
	return []Entry{
		{
			// The tool pulls a file from a phone and writes it to a path of the
			// caller's choice. It was published with readOnlyHint true.
			Name: "pull_writes_a_file", Rule: RuleReadOnlyEffect, Source: "mobile-next/mobile-mcp#342",
			Lie:    "A read-only tool writes the file that it reads to a second place.",
			Lying:  in(func(w *world) Subject { return w.pulled(w.pullToFile) }),
			Honest: in(func(w *world) Subject { return w.pulled(w.pull) }),
		},
		{
			Name: "write_with_swallowed_error", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool tries to write an index, and ignores that it cannot.",
			Lying:  in(func(w *world) Subject { return w.pulled(w.pullAndIndex) }),
			Honest: in(func(w *world) Subject { return w.pulled(w.pull) }),
		},
		{
			// A prefix of the name decided about the hints, so a tool that
			// drops and creates seven tables was published as read-only.
			Name: "query_recreates_rows", Rule: RuleReadOnlyEffect, Source: "Teradata/teradata-mcp-server#417",
			Lie: "A read-only tool of a database deletes and inserts rows.", NeedsDB: true,
			Lying:  in(func(w *world) Subject { return w.queried(w.rebuildAndCount) }),
			Honest: in(func(w *world) Subject { return w.queried(w.countRows) }),
		},
		{
			// The tool that saves knowledge was published as read-only.
			Name: "save_posts", Rule: RuleReadOnlyEffect, Source: "lobu-ai/lobu#546",
			Lie:    "A read-only tool saves what it found at a service, by an HTTP POST.",
			Lying:  in(func(w *world) Subject { return w.searched(w.findAndSave) }),
			Honest: in(func(w *world) Subject { return w.searched(w.find) }),
		},
		{
			Name: "metrics_over_udp", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool sends a datagram for each call.",
			Lying:  in(func(w *world) Subject { return w.searched(w.findAndCount) }),
			Honest: in(func(w *world) Subject { return w.searched(w.find) }),
		},
		{
			// The tool compiles and runs a test suite, and was published as
			// read-only beside two that rewrite source files.
			Name: "run_starts_a_program", Rule: RuleReadOnlyEffect, Source: "aovestdipaperino/tokensave#94",
			Lie:    "A read-only tool starts a program.",
			Lying:  in(func(w *world) Subject { return w.searched(w.findAndRun) }),
			Honest: in(func(w *world) Subject { return w.searched(w.find) }),
		},
		{
			Name: "write_after_return", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool leaves a goroutine that writes a file once the handler has returned.",
			Lying:  in(func(w *world) Subject { return w.pulled(w.pullAndWriteLater) }),
			Honest: in(func(w *world) Subject { return w.pulled(w.pull) }),
		},
		{
			Name: "temporary_file_stays", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool writes a temporary file and leaves it.",
			Lying:  in(func(w *world) Subject { return w.pulled(w.pullThroughTemp) }),
			Honest: in(func(w *world) Subject { return w.pulled(w.pull) }),
		},
		{
			// The stage of a session was stored on each call, in memory or in
			// Redis, while readOnlyHint was set to true to please a client.
			Name: "counter_in_memory", Rule: RuleReadOnlyEffect, Source: "ariffazil/arifOS#145",
			Lie:    "A read-only tool counts its calls in memory.",
			Lying:  in(func(w *world) Subject { return w.searched(w.findAndRemember) }),
			Honest: in(func(w *world) Subject { return w.searched(w.find) }),
		},
		{
			Name: "touch_changes_times", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool marks a file as read by changing its times.",
			Lying:  in(func(w *world) Subject { return w.pulled(w.pullAndTouch) }),
			Honest: in(func(w *world) Subject { return w.pulled(w.pull) }),
		},
	}
}

func (w *world) pulled(h contract.Handler[struct{}, textOutput]) Subject {
	return w.subject(reading("notes.pull", "Returns the file of the notes.", h).Failures(errStorage), struct{}{})
}

func (w *world) searched(h contract.Handler[textInput, countOutput]) Subject {
	return w.subject(reading("notes.search", "Counts the notes with a text.", h), textInput{"milk"})
}

func (w *world) queried(h contract.Handler[struct{}, countOutput]) Subject {
	return w.subject(reading("notes.count", "Counts the notes of the database.", h).Failures(errStorage), struct{}{})
}

// path returns the path of a file in the root.
func (w *world) path(name ...string) string {
	return filepath.Join(append([]string{w.env.Root}, name...)...)
}

func (w *world) pull(context.Context, struct{}) (textOutput, error) {
	data, err := os.ReadFile(w.path(fileName))
	if err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return textOutput{string(data)}, nil
}

func (w *world) pullToFile(ctx context.Context, in struct{}) (textOutput, error) {
	out, err := w.pull(ctx, in)
	if err != nil {
		return out, err
	}
	if err := os.WriteFile(w.path("copy.txt"), []byte(out.Text), 0o600); err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return out, nil
}

func (w *world) pullAndIndex(ctx context.Context, in struct{}) (textOutput, error) {
	_ = os.WriteFile(w.path(blocked, "index"), nil, 0o600)
	return w.pull(ctx, in)
}

func (w *world) pullAndWriteLater(ctx context.Context, in struct{}) (textOutput, error) {
	returned := make(chan struct{})
	defer close(returned)
	go func() {
		<-returned
		_ = os.WriteFile(w.path("later.txt"), nil, 0o600)
	}()
	return w.pull(ctx, in)
}

func (w *world) pullThroughTemp(ctx context.Context, in struct{}) (textOutput, error) {
	out, err := w.pull(ctx, in)
	if err != nil {
		return out, err
	}
	f, err := os.CreateTemp(w.env.Temp, "notes-*")
	if err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	if err := f.Close(); err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return out, nil
}

func (w *world) pullAndTouch(ctx context.Context, in struct{}) (textOutput, error) {
	read := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(w.path(fileName), read, read); err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return w.pull(ctx, in)
}

func (w *world) find(_ context.Context, in textInput) (countOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := 0
	for _, n := range w.notes {
		if strings.Contains(n.Text, in.Text) {
			found++
		}
	}
	return countOutput{found}, nil
}

func (w *world) findAndSave(ctx context.Context, in textInput) (countOutput, error) {
	w.request(ctx, http.MethodPost, w.env.Service+"/knowledge")
	return w.find(ctx, in)
}

// request sends a request and ignores its answer.
func (w *world) request(ctx context.Context, method, url string) {
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return
	}
	if res, err := w.env.HTTP.Do(req); err == nil {
		_ = res.Body.Close()
	}
}

func (w *world) findAndCount(ctx context.Context, in textInput) (countOutput, error) {
	if addr, err := net.ResolveUDPAddr("udp4", w.env.Metrics); err == nil {
		if c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err == nil {
			_, _ = c.WriteTo([]byte("search:1|c"), addr)
			_ = c.Close()
		}
	}
	return w.find(ctx, in)
}

func (w *world) findAndRun(ctx context.Context, in textInput) (countOutput, error) {
	_ = exec.CommandContext(ctx, w.env.Program[0], w.env.Program[1:]...).Run() //nolint:gosec // the program is the test's
	return w.find(ctx, in)
}

func (w *world) findAndRemember(ctx context.Context, in textInput) (countOutput, error) {
	w.mu.Lock()
	w.calls++
	w.mu.Unlock()
	return w.find(ctx, in)
}

func (w *world) countRows(ctx context.Context, _ struct{}) (countOutput, error) {
	var out countOutput
	if err := w.env.DB.QueryRowContext(ctx, "SELECT count(*) FROM notes").Scan(&out.Count); err != nil {
		return countOutput{}, errStorage.Wrap(err)
	}
	return out, nil
}

func (w *world) rebuildAndCount(ctx context.Context, in struct{}) (countOutput, error) {
	if _, err := w.env.DB.ExecContext(ctx, "DELETE FROM notes; INSERT INTO notes VALUES ('n1', 'Rebuilt.')"); err != nil {
		return countOutput{}, errStorage.Wrap(err)
	}
	return w.countRows(ctx, in)
}
