package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A place is where a broken stream can be resumed.
type place struct {
	id    string        // of the last event; empty: the stream cannot be resumed
	retry time.Duration // the wait that the server demands; zero: none
	moved bool          // an event has arrived since the field was last reset
}

// maxEventID bounds an event's ID, in bytes.
const maxEventID = 4 << 10

// note reads a line of an event that is not data. It returns the event's ID if
// the line has it.
func (p *place) note(line []byte) (id string, ok bool) {
	if text, has := bytes.CutPrefix(line, []byte("retry:")); has {
		if ms, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil {
			p.retry = time.Duration(min(ms, uint64(maxRedial.Milliseconds()))) * time.Millisecond
		}
	}
	text, has := bytes.CutPrefix(line, []byte("id:"))
	id = string(bytes.TrimPrefix(text, []byte(" ")))
	return id, has && len(id) <= maxEventID && !strings.ContainsRune(id, 0)
}

// wait waits before a stream is opened again, for the time that the server
// demands or else for pause, but not so short that a server makes it a flood.
// It reports whether ctx is still in progress.
func (p *place) wait(ctx context.Context, pause time.Duration) bool {
	if p.retry > 0 {
		pause = max(p.retry, minRedial)
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// open opens the session's stream, after the event of at if it has one. The
// response is nil if the server has no such stream.
func (e *endpoint) open(ctx context.Context, at *place) (*http.Response, error) {
	request, err := e.request(ctx, http.MethodGet, nil, Message{Version: e.protocolVersion()})
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "text/event-stream")
	if at.id != "" {
		request.Header.Set("Last-Event-ID", at.id)
	}
	response, err := e.Client.Do(request)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return response, nil
	}
	_ = response.Body.Close()
	return nil, nil //nolint:nilnil // see above
}

// resume goes on reading the stream of a request that ended without the
// response (MCP 2025-11-25, transports, "Resumability and Redelivery"). It
// sends nothing again.
func (e *endpoint) resume(ctx context.Context, m Message, at *place) (json.RawMessage, error) {
	pause := minRedial
	for tries := 0; at.id != "" && tries < maxResumes && at.wait(ctx, pause); tries++ {
		pause = min(2*pause, maxRedial)
		response, err := e.open(ctx, at)
		if err != nil {
			continue // the server may be starting
		}
		if response == nil {
			break
		}
		at.moved = false
		body, err := e.events(ctx, response.Body, m, at)
		_ = response.Body.Close()
		if !errors.Is(err, errClosed) {
			return body, err
		}
		if at.moved {
			tries, pause = -1, minRedial
		}
	}
	return nil, errClosed
}

// events passes the messages of an event stream on until the response to the
// request arrives, and returns that response. Without an id it waits for no
// response. It records where the stream can be resumed. Once ctx has ended, it
// passes on nothing more: what has already been read can take long to handle.
func (e *endpoint) events(ctx context.Context, body io.Reader, m Message, at *place) (json.RawMessage, error) {
	receive := m.Receive
	if receive == nil {
		receive = e.receive
	}
	var data []byte
	event := at.id
	for lines := bufio.NewReaderSize(body, 16<<10); ; {
		line, err := readLine(lines)
		if id, ok := at.note(line); ok {
			event = id
		}
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data)+len(text) > MaxMessageBytes {
				return nil, ErrMessageTooLarge
			}
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
		}
		if len(line) == 0 {
			if err == nil && event != at.id { // the event is complete
				at.id, at.moved = event, true
			}
			message := bytes.TrimSuffix(data, []byte("\n"))
			data = nil
			if answered, ok := answers(message); ok && m.ID != 0 && answered == m.ID {
				return message, nil
			}
			if len(message) > 0 {
				e.mu.Lock()
				receive(message)
				e.mu.Unlock()
			}
		}
		switch {
		case errors.Is(err, ErrMessageTooLarge):
			return nil, err
		case err != nil || ctx.Err() != nil:
			return nil, errClosed
		}
	}
}

// Listen implements [Conn]. It opens the session's stream of notifications, and
// opens it again whenever a server or proxy closes it.
func (e *endpoint) Listen() {
	hear := func() { e.hearing.Do(func() { close(e.heard) }) }
	defer hear()
	at := &place{}
	for pause := minRedial; e.known.Err() == nil; pause = min(2*pause, maxRedial) {
		response, err := e.open(e.known, at)
		if err == nil && response == nil {
			return // the server has no such stream
		}
		if err == nil {
			hear()
			_, _ = e.events(e.known, response.Body, Message{}, at) // until it ends
			_ = response.Body.Close()
		}
		if at.moved {
			pause, at.moved = minRedial, false
		}
		at.wait(e.known, pause)
	}
}
