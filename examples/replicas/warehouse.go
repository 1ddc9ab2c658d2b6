package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// A warehouse is the system behind the tool. It doesn't deduplicate: it places
// every order that arrives. But it can be told to refuse a key, and it runs in
// the driving process, so it knows what was placed when a server is killed.
type warehouse struct {
	url string
	web *http.Server

	mu       sync.Mutex
	effects  []effect
	voided   map[string]bool // keys that are refused from now on
	unsure   map[string]bool // keys about which the next question is not answered
	late     int             // requests that came with a voided key
	held     map[holding]chan<- effect
	onTheWay sync.WaitGroup
	arrived  chan struct{}
}

// A holding is an order that stops at a moment.
type holding struct {
	order string
	at    moment
}

// A moment is a point in an order's life at which its server is killed.
type moment int

const (
	// sent: the server has sent the order, and the warehouse hasn't got it yet.
	sent moment = iota
	// placed: the warehouse has placed the order and hasn't answered yet.
	placed
	// answered: the server has recorded the result and sent its answer, which
	// the caller does not get.
	answered
	moments
)

// openWarehouse starts a warehouse on the loopback interface.
func openWarehouse(ctx context.Context) (*warehouse, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &warehouse{
		url: "http://" + listener.Addr().String() + "/orders", voided: map[string]bool{}, unsure: map[string]bool{},
		held: map[holding]chan<- effect{}, arrived: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", w.take)
	mux.HandleFunc("DELETE /orders/{key}", w.void)
	w.web = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go w.web.Serve(listener) //nolint:errcheck // it ends with close
	return w, nil
}

func (w *warehouse) close() error { return w.web.Close() }

// hold stops the next request for an order at a moment, and sends the order to
// the returned channel. A request that is stopped when it was sent arrives
// later; see arrive. One that is stopped when it was placed is never answered.
func (w *warehouse) hold(order string, at moment) <-chan effect {
	reached := make(chan effect, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[holding{order, at}] = reached
	return reached
}

// stopped returns the channel of a held order, once.
func (w *warehouse) stopped(order string, at moment) chan<- effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := holding{order, at}
	reached := w.held[h]
	delete(w.held, h)
	if reached != nil && at == sent {
		w.onTheWay.Add(1)
	}
	return reached
}

// arrive lets the requests arrive that are on their way, and waits for the end
// of each. It is called once.
func (w *warehouse) arrive() {
	close(w.arrived)
	w.onTheWay.Wait()
}

// take places an order, unless its key was voided.
func (w *warehouse) take(rw http.ResponseWriter, r *http.Request) {
	var e effect
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil || e.Order == "" {
		http.Error(rw, "not an order", http.StatusBadRequest)
		return
	}
	if reached := w.stopped(e.Order, sent); reached != nil {
		defer w.onTheWay.Done()
		reached <- e
		<-w.arrived
	}
	if !w.place(&e) {
		http.Error(rw, "this key was voided", http.StatusConflict)
		return
	}
	if reached := w.stopped(e.Order, placed); reached != nil {
		w.hesitate(e.Key)
		reached <- e
		<-r.Context().Done() // until the server is gone
		return
	}
	writeEffect(rw, http.StatusCreated, e)
}

// place adds an order and gives it a receipt. It reports false if the key was
// voided.
func (w *warehouse) place(e *effect) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.voided[e.Key] {
		w.late++
		return false
	}
	e.Receipt = fmt.Sprintf("receipt-%04d", len(w.effects)+1)
	w.effects = append(w.effects, *e)
	return true
}

// hesitate makes the next question about a key too early, as with a system
// whose queries are behind its writes.
func (w *warehouse) hesitate(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsure[key] = true
}

// void voids a key, so that no order is placed with it any more. If one was
// placed before, it answers with that order.
func (w *warehouse) void(rw http.ResponseWriter, r *http.Request) {
	key := r.PathValue("key")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unsure[key] {
		delete(w.unsure, key)
		http.Error(rw, "ask again", http.StatusServiceUnavailable)
		return
	}
	for _, e := range w.effects {
		if e.Key == key {
			writeEffect(rw, http.StatusOK, e)
			return
		}
	}
	w.voided[key] = true
	rw.WriteHeader(http.StatusNoContent)
}

// writeEffect answers with an order. If its server is gone, nobody reads it.
func writeEffect(rw http.ResponseWriter, status int, e effect) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(e) //nolint:errchkjson // it is made of texts
}

// all returns the placed orders, in the order of their arrival.
func (w *warehouse) all() []effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]effect(nil), w.effects...)
}

// refusals returns how many requests came with a voided key.
func (w *warehouse) refusals() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.late
}
