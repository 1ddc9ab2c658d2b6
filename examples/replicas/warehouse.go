package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"
)

// A warehouse receives orders and counts them. It runs in the driving process,
// so its counts survive when a server is killed.
type warehouse struct {
	url string
	web *http.Server

	mu      sync.Mutex
	effects []effect
	held    map[string]chan<- effect
}

// openWarehouse starts a warehouse on the loopback interface.
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

// hold sends the next effect of an order to the returned channel, and does not
// answer its server. The server then has had its effect and cannot record it.
func (w *warehouse) hold(order string) <-chan effect {
	reached := make(chan effect, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[order] = reached
	return reached
}

func (w *warehouse) take(rw http.ResponseWriter, r *http.Request) {
	var e effect
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil || e.Order == "" {
		http.Error(rw, "not an effect", http.StatusBadRequest)
		return
	}
	if reached := w.count(e); reached != nil {
		reached <- e
		<-r.Context().Done() // until the server is gone
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}

// count adds an effect. If the order is held, it returns the channel for it.
func (w *warehouse) count(e effect) chan<- effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects = append(w.effects, e)
	reached := w.held[e.Order]
	delete(w.held, e.Order)
	return reached
}

// all returns the effects in the order of their arrival.
func (w *warehouse) all() []effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]effect(nil), w.effects...)
}
