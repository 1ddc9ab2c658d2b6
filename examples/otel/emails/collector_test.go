package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector receives OTLP over HTTP, and keeps what it got.
type collector struct {
	url string

	mu      sync.Mutex
	spans   []*spans.Span
	metrics map[string]bool
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{metrics: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		var request traces.ExportTraceServiceRequest
		c.receive(t, w, r, &request, func() {
			for _, resource := range request.GetResourceSpans() {
				for _, scope := range resource.GetScopeSpans() {
					c.spans = append(c.spans, scope.GetSpans()...)
				}
			}
		})
	})
	mux.HandleFunc("POST /v1/metrics", func(w http.ResponseWriter, r *http.Request) {
		var request metrics.ExportMetricsServiceRequest
		c.receive(t, w, r, &request, func() {
			for _, resource := range request.GetResourceMetrics() {
				for _, scope := range resource.GetScopeMetrics() {
					for _, m := range scope.GetMetrics() {
						c.metrics[m.GetName()] = true
					}
				}
			}
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// receive reads one export.
func (c *collector) receive(t *testing.T, w http.ResponseWriter, r *http.Request, into proto.Message, keep func()) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if !assert.NoError(t, err) || !assert.NoError(t, proto.Unmarshal(body, into)) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	keep()
}
