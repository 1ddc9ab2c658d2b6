package zoo_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo"
	"github.com/toolcontract/toolcontract/verify/internal/testing/zoo/zoodb"
)

// An observation is what can be seen of a tool's whole environment.
// Observations of equal tools are equal.
type observation struct {
	before, afterReads, after trace

	outcomes []outcome
	log      string
	audit    []string
}

// An outcome is the answer to one call.
type outcome struct {
	code, by         string
	text, structured string
	sanitized        int
}

// A trace is the state of the environment at one moment.
type trace struct {
	files     map[string]string // name to content
	touched   []string          // files whose times differ from the first trace
	requests  []string
	datagrams int
	state     any
}

// An observer makes the calls of one subject.
type observer struct {
	t       testing.TB
	env     zoo.Env
	subject zoo.Subject
	client  *contracttest.Client
	times   map[string]time.Time
	seen    observation
}

// subject makes a subject without calling it.
func subject(t testing.TB, e zoo.Entry, open func(zoo.Env) zoo.Subject) zoo.Subject {
	t.Helper()
	return open(zoo.NewEnv(t, parts(t, e)))
}

func parts(t testing.TB, e zoo.Entry) zoo.Parts {
	t.Helper()
	var p zoo.Parts
	if e.NeedsDB {
		p.DB = zoodb.Open(t)
	}
	return p
}

// observe previews every case of the tool if it has a dry run, and then makes
// every call twice.
func observe(t testing.TB, e zoo.Entry, open func(zoo.Env) zoo.Subject) observation {
	t.Helper()
	var log buffer
	p := parts(t, e)
	p.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	o := &observer{t: t, env: zoo.NewEnv(t, p)}
	o.subject = open(o.env)
	o.client = contracttest.NewClient(t, o.subject.Tools(), guard.WithLogger(slog.New(slog.DiscardHandler)))
	o.seen.before = o.trace()
	o.read()
	o.seen.afterReads = o.trace()
	for _, c := range o.subject.Cases {
		o.call(c)
		o.call(c)
	}
	for _, event := range o.client.Close() {
		o.seen.audit = append(o.seen.audit, event.Code+" "+event.Error)
	}
	o.seen.after, o.seen.log = o.trace(), log.String()
	return o.seen
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// read makes the calls that must have no effect.
func (o *observer) read() {
	doc := o.subject.Tool.Document()
	for _, c := range o.subject.CasesOf() {
		switch {
		case doc.DryRun.IsValid() && doc.DryRun.String() != "none":
			o.record(c, o.client.As(c.As).Preview(c.Tool, c.Input))
		case doc.Effect == risk.ReadOnly:
			o.call(c)
		}
	}
}

func (o *observer) call(c zoo.Case) {
	o.record(c, o.client.As(c.As).Call(c.Tool, c.Input))
}

func (o *observer) record(c zoo.Case, r *contracttest.Result) {
	out := outcome{code: r.Outcome.Code, text: r.Text, structured: string(r.Structured), sanitized: r.Outcome.Sanitized}
	for _, tool := range o.subject.Tools() {
		for _, mode := range tool.Document().FailureModes {
			if tool.Name() == c.Tool && mode.Code == out.code {
				out.by = mode.By.String()
			}
		}
	}
	o.seen.outcomes = append(o.seen.outcomes, out)
}

// trace looks at the environment.
func (o *observer) trace() trace {
	o.t.Helper()
	first := o.times == nil
	if first {
		o.times = map[string]time.Time{}
	}
	seen := trace{files: map[string]string{}, requests: o.env.Requests(), datagrams: o.env.Datagrams(), state: o.subject.State()}
	require.NoError(o.t, filepath.WalkDir(filepath.Dir(o.env.Root), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(o.env.Root, path)
		if err != nil {
			return err
		}
		if filepath.Dir(path) == o.env.Temp {
			name = "temporary"
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(path)
		seen.files[name] = string(content)
		switch at, known := o.times[name]; {
		case first:
			o.times[name] = info.ModTime()
		case known && !at.Equal(info.ModTime()):
			seen.touched = append(seen.touched, name)
		}
		return err
	}))
	return seen
}

// A buffer is safe for concurrent use.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
