package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"
)

// A warehouse is where orders have their effect: it counts every one that it is
// told, in a process that no server's end takes along.
type warehouse struct {
	url string
	web *http.Server

	mu      sync.Mutex
	effects []effect
	held    map[string]chan<- effect
}

// openWarehouse serves a warehouse on the loopback interface.
func openWarehouse(ctx context.Context) (*warehouse, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &warehouse{url: "http://" + listener.Addr().String() + "/effects", held: map[string]chan<- effect{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /effects", w.take)
	w.web = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go w.web.Serve(listener) //nolint:errcheck // it ends with close
	return w, nil
}

func (w *warehouse) close() error { return w.web.Close() }

// hold has the next effect of an order told to the channel and not answered:
// its server is then past the effect and short of its record.
func (w *warehouse) hold(order string) <-chan effect {
	told := make(chan effect, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[order] = told
	return told
}

func (w *warehouse) take(rw http.ResponseWriter, r *http.Request) {
	var e effect
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil || e.Order == "" {
		http.Error(rw, "not an effect", http.StatusBadRequest)
		return
	}
	if told := w.count(e); told != nil {
		told <- e
		<-r.Context().Done() // until who waits for the answer is gone
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}

// count adds an effect and returns the channel of one that is held.
func (w *warehouse) count(e effect) chan<- effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects = append(w.effects, e)
	told := w.held[e.Order]
	delete(w.held, e.Order)
	return told
}

// all returns the effects in the order in which they came.
func (w *warehouse) all() []effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]effect(nil), w.effects...)
}
