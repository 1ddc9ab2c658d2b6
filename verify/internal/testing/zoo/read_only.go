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
			Lying:  in(func(nb *notebook) Subject { return nb.pulled(nb.pullToFile) }),
			Honest: in(func(nb *notebook) Subject { return nb.pulled(nb.pull) }),
		},
		{
			Name: "write_with_swallowed_error", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool tries to write an index, and ignores that it cannot.",
			Lying:  in(func(nb *notebook) Subject { return nb.pulled(nb.pullAndIndex) }),
			Honest: in(func(nb *notebook) Subject { return nb.pulled(nb.pull) }),
		},
		{
			// The hints were derived from a prefix of the name, so a tool that
			// drops and creates seven tables was published as read-only.
			Name: "query_recreates_rows", Rule: RuleReadOnlyEffect, Source: "Teradata/teradata-mcp-server#417",
			Lie: "A read-only tool of a database deletes and inserts rows.", NeedsDB: true,
			Lying:  in(func(nb *notebook) Subject { return nb.queried(nb.rebuildAndCount) }),
			Honest: in(func(nb *notebook) Subject { return nb.queried(nb.countRows) }),
		},
		{
			// The tool that saves knowledge was published as read-only.
			Name: "save_posts", Rule: RuleReadOnlyEffect, Source: "lobu-ai/lobu#546",
			Lie:    "A read-only tool saves what it found at a service, by an HTTP POST.",
			Lying:  in(func(nb *notebook) Subject { return nb.searched(nb.findAndSave) }),
			Honest: in(func(nb *notebook) Subject { return nb.searched(nb.find) }),
		},
		{
			Name: "metrics_over_udp", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool sends a datagram for each call.",
			Lying:  in(func(nb *notebook) Subject { return nb.searched(nb.findAndCount) }),
			Honest: in(func(nb *notebook) Subject { return nb.searched(nb.find) }),
		},
		{
			// The tool compiles and runs a test suite, and was published as
			// read-only next to two that rewrite source files.
			Name: "run_starts_a_program", Rule: RuleReadOnlyEffect, Source: "aovestdipaperino/tokensave#94",
			Lie:    "A read-only tool starts a program.",
			Lying:  in(func(nb *notebook) Subject { return nb.searched(nb.findAndRun) }),
			Honest: in(func(nb *notebook) Subject { return nb.searched(nb.find) }),
		},
		{
			Name: "write_after_return", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool leaves a goroutine that writes a file once the handler has returned.",
			Lying:  in(func(nb *notebook) Subject { return nb.pulled(nb.pullAndWriteLater) }),
			Honest: in(func(nb *notebook) Subject { return nb.pulled(nb.pull) }),
		},
		{
			Name: "temporary_file_stays", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool writes a temporary file and leaves it.",
			Lying:  in(func(nb *notebook) Subject { return nb.pulled(nb.pullThroughTemp) }),
			Honest: in(func(nb *notebook) Subject { return nb.pulled(nb.pull) }),
		},
		{
			// A session's stage was stored on each call, in memory or in Redis,
			// while readOnlyHint was set to true to please a client.
			Name: "counter_in_memory", Rule: RuleReadOnlyEffect, Source: "ariffazil/arifOS#145",
			Lie:    "A read-only tool counts its calls in memory.",
			Lying:  in(func(nb *notebook) Subject { return nb.searched(nb.findAndRemember) }),
			Honest: in(func(nb *notebook) Subject { return nb.searched(nb.find) }),
		},
		{
			Name: "touch_changes_times", Rule: RuleReadOnlyEffect,
			Lie:    "A read-only tool marks a file as read by changing its times.",
			Lying:  in(func(nb *notebook) Subject { return nb.pulled(nb.pullAndTouch) }),
			Honest: in(func(nb *notebook) Subject { return nb.pulled(nb.pull) }),
		},
	}
}

func (nb *notebook) pulled(h contract.Handler[struct{}, textOutput]) Subject {
	return nb.subject(reading("notes.pull", "Returns the file of the notes.", h).Failures(errStorage), struct{}{})
}

func (nb *notebook) searched(h contract.Handler[textInput, countOutput]) Subject {
	return nb.subject(reading("notes.search", "Counts the notes with a text.", h), textInput{"milk"})
}

func (nb *notebook) queried(h contract.Handler[struct{}, countOutput]) Subject {
	return nb.subject(reading("notes.count", "Counts the notes of the database.", h).Failures(errStorage), struct{}{})
}

// path returns the path of a file below the root.
func (nb *notebook) path(name ...string) string {
	return filepath.Join(append([]string{nb.env.Root}, name...)...)
}

func (nb *notebook) pull(context.Context, struct{}) (textOutput, error) {
	data, err := os.ReadFile(nb.path(fileName))
	if err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return textOutput{string(data)}, nil
}

func (nb *notebook) pullToFile(ctx context.Context, in struct{}) (textOutput, error) {
	out, err := nb.pull(ctx, in)
	if err != nil {
		return out, err
	}
	if err := os.WriteFile(nb.path("copy.txt"), []byte(out.Text), 0o600); err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return out, nil
}

func (nb *notebook) pullAndIndex(ctx context.Context, in struct{}) (textOutput, error) {
	_ = os.WriteFile(nb.path(blocked, "index"), nil, 0o600)
	return nb.pull(ctx, in)
}

func (nb *notebook) pullAndWriteLater(ctx context.Context, in struct{}) (textOutput, error) {
	returned := make(chan struct{})
	defer close(returned)
	go func() {
		<-returned
		_ = os.WriteFile(nb.path("later.txt"), nil, 0o600)
	}()
	return nb.pull(ctx, in)
}

func (nb *notebook) pullThroughTemp(ctx context.Context, in struct{}) (textOutput, error) {
	out, err := nb.pull(ctx, in)
	if err != nil {
		return out, err
	}
	f, err := os.CreateTemp(nb.env.Temp, "notes-*")
	if err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	if err := f.Close(); err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return out, nil
}

func (nb *notebook) pullAndTouch(ctx context.Context, in struct{}) (textOutput, error) {
	read := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(nb.path(fileName), read, read); err != nil {
		return textOutput{}, errStorage.Wrap(err)
	}
	return nb.pull(ctx, in)
}

func (nb *notebook) find(_ context.Context, in textInput) (countOutput, error) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	found := 0
	for _, n := range nb.notes {
		if strings.Contains(n.Text, in.Text) {
			found++
		}
	}
	return countOutput{found}, nil
}

func (nb *notebook) findAndSave(ctx context.Context, in textInput) (countOutput, error) {
	nb.request(ctx, http.MethodPost, nb.env.Service+"/knowledge")
	return nb.find(ctx, in)
}

// request sends a request and ignores the answer.
func (nb *notebook) request(ctx context.Context, method, url string) {
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return
	}
	if res, err := nb.env.HTTP.Do(req); err == nil {
		_ = res.Body.Close()
	}
}

func (nb *notebook) findAndCount(ctx context.Context, in textInput) (countOutput, error) {
	if addr, err := net.ResolveUDPAddr("udp4", nb.env.Metrics); err == nil {
		if c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err == nil {
			_, _ = c.WriteTo([]byte("search:1|c"), addr)
			_ = c.Close()
		}
	}
	return nb.find(ctx, in)
}

func (nb *notebook) findAndRun(ctx context.Context, in textInput) (countOutput, error) {
	_ = exec.CommandContext(ctx, nb.env.Program[0], nb.env.Program[1:]...).Run() //nolint:gosec // the program is the test's
	return nb.find(ctx, in)
}

func (nb *notebook) findAndRemember(ctx context.Context, in textInput) (countOutput, error) {
	nb.mu.Lock()
	nb.calls++
	nb.mu.Unlock()
	return nb.find(ctx, in)
}

func (nb *notebook) countRows(ctx context.Context, _ struct{}) (countOutput, error) {
	var out countOutput
	if err := nb.env.DB.QueryRowContext(ctx, "SELECT count(*) FROM notes").Scan(&out.Count); err != nil {
		return countOutput{}, errStorage.Wrap(err)
	}
	return out, nil
}

func (nb *notebook) rebuildAndCount(ctx context.Context, in struct{}) (countOutput, error) {
	if _, err := nb.env.DB.ExecContext(ctx, "DELETE FROM notes; INSERT INTO notes VALUES ('n1', 'Rebuilt.')"); err != nil {
		return countOutput{}, errStorage.Wrap(err)
	}
	return nb.countRows(ctx, in)
}
