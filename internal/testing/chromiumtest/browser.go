package chromiumtest

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/longtest"
)

// patience limits how long a hanging test runs. It leaves room for a busy
// machine.
const patience = 2 * time.Minute

// A Browser is one page of a headless Chromium. It doesn't run the pages'
// scripts unless [Browser.RunScripts] was called. It is not safe for concurrent
// use.
type Browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	session string
	last    int
	loads   int

	violations []string
	errors     []string
}

// Start starts a browser that is closed when the test ends. A browser test
// takes seconds, so it runs only when all tests do: see [longtest.Only].
func Start(t *testing.T) *Browser {
	t.Helper()
	longtest.Only(t)
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("chromium is not installed: apt-get install chromium")
	}
	theirIn, in, err := os.Pipe()
	require.NoError(t, err)
	out, theirOut, err := os.Pipe()
	require.NoError(t, err)
	// t.TempDir won't do: removing it would fail, because the browser keeps
	// writing files while it shuts down.
	profile, err := os.MkdirTemp("", "chromiumtest") //nolint:usetesting // see above
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--user-data-dir="+profile,
		"--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	require.NoError(t, cmd.Start())
	require.NoError(t, theirIn.Close())
	require.NoError(t, theirOut.Close())
	t.Cleanup(func() {
		_ = in.Close() // the browser exits when its pipe closes
		cancel()
		_ = cmd.Wait()
		_ = out.Close()
		_ = os.RemoveAll(profile)
	})
	b := &Browser{t: t, in: in, out: bufio.NewReader(out)}
	var target struct{ TargetID string }
	b.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	b.do("Page.enable", nil, nil)
	b.do("Log.enable", nil, nil)
	b.do("Runtime.enable", nil, nil)
	b.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	return b
}

// RunScripts makes the browser run the pages' scripts, in a time zone such as
// Asia/Tokyo.
func (b *Browser) RunScripts(zone string) {
	b.t.Helper()
	b.do("Emulation.setTimezoneOverride", map[string]any{"timezoneId": zone}, nil)
	b.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": false}, nil)
}

// Violations returns the content security policy violations the browser has
// reported so far.
func (b *Browser) Violations() []string {
	b.t.Helper()
	b.size() // reads the pending reports before its reply
	return b.violations
}

// Errors returns the errors in the browser's console so far, from loading,
// policies and scripts.
func (b *Browser) Errors() []string {
	b.t.Helper()
	b.size() // reads the pending reports before its reply
	return b.errors
}

// Evaluate runs a script in the page, awaits its promise if it returns one, and
// decodes the JSON of its value into result. It needs [Browser.RunScripts].
func (b *Browser) Evaluate(script string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.do("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &answer)
	require.Empty(b.t, string(answer.ExceptionDetails))
	if result != nil {
		require.NoError(b.t, json.Unmarshal(answer.Result.Value, result))
	}
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// do sends one command and fails the test if the command fails.
func (b *Browser) do(method string, params map[string]any, result any) {
	b.t.Helper()
	require.NoError(b.t, b.try(method, params, result))
}

// try sends one command and waits for its reply.
func (b *Browser) try(method string, params map[string]any, result any) error {
	b.t.Helper()
	b.last++
	command := map[string]any{"id": b.last, "method": method, "params": params}
	if params == nil {
		command["params"] = map[string]any{}
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	raw, err := json.Marshal(command)
	require.NoError(b.t, err)
	_, err = b.in.Write(append(raw, 0))
	require.NoError(b.t, err)
	for {
		if m := b.read(); m.ID == b.last {
			if m.Error != nil {
				return fmt.Errorf("%s: %s", method, m.Error.Message)
			}
			if result != nil {
				return json.Unmarshal(m.Result, result)
			}
			return nil
		}
	}
}

func (b *Browser) read() message {
	b.t.Helper()
	raw, err := b.out.ReadBytes(0)
	require.NoError(b.t, err)
	var m message
	require.NoError(b.t, json.Unmarshal(raw[:len(raw)-1], &m))
	switch m.Method {
	case "Page.loadEventFired":
		b.loads++
	case "Log.entryAdded":
		var logged struct {
			Entry struct{ Source, Level, Text string }
		}
		require.NoError(b.t, json.Unmarshal(m.Params, &logged))
		if logged.Entry.Source == "security" {
			b.violations = append(b.violations, logged.Entry.Text)
		}
		if logged.Entry.Level == "error" {
			b.errors = append(b.errors, logged.Entry.Text)
		}
	case "Runtime.exceptionThrown":
		b.errors = append(b.errors, string(m.Params))
	}
	return m
}

// Open opens a URL and follows redirects until a page matches the selector.
func (b *Browser) Open(address, selector string) {
	b.t.Helper()
	b.until(selector, func() { b.do("Page.navigate", map[string]any{"url": address}, nil) })
}

// Type focuses an element and types text into it.
func (b *Browser) Type(element, text string) {
	b.t.Helper()
	b.do("DOM.focus", map[string]any{"nodeId": b.find(element)}, nil)
	b.do("Input.insertText", map[string]any{"text": text}, nil)
}

// Press focuses an element and presses Enter until a page matches the selector
// next.
func (b *Browser) Press(element, next string) {
	b.t.Helper()
	b.do("DOM.focus", map[string]any{"nodeId": b.find(element)}, nil)
	b.until(next, func() {
		for _, kind := range []string{"rawKeyDown", "char", "keyUp"} {
			b.do("Input.dispatchKeyEvent", map[string]any{
				"type": kind, "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13,
			}, nil)
		}
	})
}

// Key presses a key, such as Tab, on the focused element. If the key loads a
// page, use [Browser.Await] instead.
func (b *Browser) Key(key string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40}
	text := map[string]string{"Enter": "\r", " ": " "}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		event := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
		if text != "" && kind == "keyDown" {
			event["text"] = text
		}
		b.do("Input.dispatchKeyEvent", event, nil)
	}
}

// Await presses a key and waits until the page it loads matches the selector.
func (b *Browser) Await(key, selector string) {
	b.t.Helper()
	b.until(selector, func() { b.Key(key) })
}

// until runs act and waits for a loaded page that matches the selector.
func (b *Browser) until(selector string, act func()) {
	b.t.Helper()
	before := b.loads
	act()
	for {
		for b.loads == before {
			b.read()
		}
		before = b.loads
		if b.find(selector) != 0 {
			return
		}
	}
}

// find returns the node of the first matching element, or zero if there is none
// or the page was replaced in the meantime.
func (b *Browser) find(selector string) int {
	b.t.Helper()
	var document struct{ Root struct{ NodeID int } }
	b.do("DOM.getDocument", nil, &document)
	var found struct{ NodeID int }
	if b.try("DOM.querySelector", map[string]any{"nodeId": document.Root.NodeID, "selector": selector}, &found) != nil {
		return 0
	}
	return found.NodeID
}

// HTML returns the current source of the first matching element.
func (b *Browser) HTML(selector string) string {
	b.t.Helper()
	node := b.find(selector)
	require.NotZero(b.t, node, "the page has no %s", selector)
	var html struct{ OuterHTML string }
	b.do("DOM.getOuterHTML", map[string]any{"nodeId": node}, &html)
	return html.OuterHTML
}

// Show sets the page's width, in pixels, and its colour scheme.
func (b *Browser) Show(width int, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.do("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.do("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Width returns the width of the page's content, in pixels. If it exceeds the
// width set by Show, the page scrolls sideways.
func (b *Browser) Width() int {
	b.t.Helper()
	return int(b.size().Width)
}

type size struct{ Width, Height float64 }

func (b *Browser) size() size {
	b.t.Helper()
	var metrics struct{ CSSContentSize size }
	b.do("Page.getLayoutMetrics", nil, &metrics)
	return metrics.CSSContentSize
}

// Shoot saves a PNG screenshot of the whole page to a file.
func (b *Browser) Shoot(file string) {
	b.t.Helper()
	whole := b.size()
	var shot struct{ Data string }
	b.do("Page.captureScreenshot", map[string]any{
		"captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": 0, "width": whole.Width, "height": whole.Height, "scale": 1},
	}, &shot)
	picture, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(b.t, os.WriteFile(file, picture, 0o600))
}
