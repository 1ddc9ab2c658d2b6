package prometheus

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An API answers the tools' requests to Prometheus.
type API interface {
	// Query evaluates a query. An error has Prometheus's own words.
	Query(query string) (string, error)
	// Get answers an endpoint without arguments.
	Get(endpoint string) (string, error)
	// Delete deletes series.
	Delete(matches []string) error
}

type (
	emptyInput struct{}
	timeRange  struct {
		StartTime string `json:"start_time,omitempty" jsonschema:"start timestamp for the query"`
		EndTime   string `json:"end_time,omitempty" jsonschema:"end timestamp for the query"`
	}
	truncatable struct {
		TruncationLimit int `json:"truncation_limit,omitempty" jsonschema:"truncation limit for query response"`
	}
	queryInput struct {
		Query     string `json:"query" jsonschema:"the PromQL query to execute"`
		Timestamp string `json:"timestamp,omitempty" jsonschema:"evaluation timestamp for the instant query"`
		truncatable
	}
	rangeQueryInput struct {
		Query string `json:"query" jsonschema:"the PromQL query to execute"`
		Step  string `json:"step,omitempty" jsonschema:"query resolution step width in Go duration format"`
		timeRange
		truncatable
	}
	matchesInput struct {
		Label   string   `json:"label,omitempty" jsonschema:"the label to query values for"`
		Matches []string `json:"matches,omitempty" jsonschema:"series selector arguments"`
		timeRange
		truncatable
	}
	metadataInput struct {
		Metric string `json:"metric,omitempty" jsonschema:"metric name to retrieve metadata for, all metrics if empty"`
		Limit  string `json:"limit,omitempty" jsonschema:"maximum number of metrics to return"`
	}
	deleteInput struct {
		Matches []string `json:"matches" jsonschema:"series selector arguments for series to delete,required"`
		timeRange
	}
	snapshotInput struct {
		SkipHead bool `json:"skip_head,omitempty" jsonschema:"skip data present in the head block"`
	}
	docsInput struct {
		File  string `json:"file,omitempty" jsonschema:"the name of the documentation file to read"`
		Query string `json:"query,omitempty" jsonschema:"the query to search for in documentation"`
		Limit int    `json:"limit,omitempty" jsonschema:"maximum number of search results to return"`
	}
)

// newUpstream returns the server without contracts. Its tools, hints and error
// texts are those of the server it stands in for.
func newUpstream(api API) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "prometheus-mcp", Version: "0.18.0"}, nil)
	for name, description := range map[string]string{
		"alertmanagers":     "Get overview of Prometheus Alertmanager discovery",
		"build_info":        "Get Prometheus build information",
		"config":            "Get Prometheus configuration",
		"docs_list":         "List of Official Prometheus Documentation Files.",
		"flags":             "Get runtime flags",
		"healthy":           "Management API endpoint that can be used to check Prometheus health.",
		"list_alerts":       "List all active alerts",
		"list_rules":        "List all alerting and recording rules that are loaded",
		"list_targets":      "Get overview of Prometheus target discovery",
		"ready":             "Management API endpoint that can be used to check Prometheus is ready to serve traffic.",
		"runtime_info":      "Get Prometheus runtime information",
		"tsdb_stats":        "Get usage and cardinality statistics from the TSDB",
		"wal_replay_status": "Get current WAL replay status",
	} {
		add(s, name, description, true, func(emptyInput) (string, error) { return api.Get(name) })
	}
	add(s, "query", "Execute an instant query against the Prometheus datasource", true, func(in queryInput) (string, error) {
		return query(api, in.Query, "query")
	})
	add(s, "range_query", "Execute a range query against the Prometheus datasource", true, func(in rangeQueryInput) (string, error) {
		return query(api, in.Query, "range query")
	})
	add(s, "exemplar_query", "Execute an exemplar query against the Prometheus datasource", true,
		func(in rangeQueryInput) (string, error) { return query(api, in.Query, "exemplar") })
	for name, description := range map[string]string{
		"series":       "Finds series by label matches",
		"label_names":  "Returns the unique label names present in the block",
		"label_values": "Performs a query for the values of the given label, time range and matches",
	} {
		add(s, name, description, true, func(in matchesInput) (string, error) {
			if name == "series" && len(in.Matches) == 0 {
				return "", errors.New("at least one matches parameter is required")
			}
			return query(api, strings.Join(in.Matches, ","), strings.ReplaceAll(name, "_", " "))
		})
	}
	for name, description := range map[string]string{
		"metric_metadata":  "Returns metadata about metrics currently scraped by the metric name.",
		"targets_metadata": "Returns metadata about metrics currently scraped by the target",
	} {
		add(s, name, description, true, func(metadataInput) (string, error) { return api.Get(name) })
	}
	for name, description := range map[string]string{
		"docs_read":   "Read the named markdown file containing official Prometheus documentation",
		"docs_search": "Search the markdown files containing official Prometheus documentation",
	} {
		add(s, name, description, true, func(docsInput) (string, error) { return api.Get(name) })
	}
	add(s, "delete_series", "Deletes data for a selection of series in a time range", false, func(in deleteInput) (string, error) {
		if in.StartTime == "" || in.EndTime == "" {
			return "", errors.New("both start_time and end_time are required for delete_series to prevent accidental deletion of all " +
				"data; specify explicit time bounds")
		}
		return "success", api.Delete(in.Matches)
	})
	add(s, "snapshot", "creates a snapshot of all current data", false, func(snapshotInput) (string, error) { return api.Get("snapshot") })
	for name, description := range map[string]string{
		"clean_tombstones": "Removes the deleted data from disk and cleans up the existing tombstones",
		"quit":             "Management API endpoint that can be used to trigger a graceful shutdown of Prometheus.",
		"reload":           "Management API endpoint that can be used to trigger a reload of the Prometheus configuration and rule files.",
	} {
		add(s, name, description, false, func(emptyInput) (string, error) { return api.Get(name) })
	}
	return s
}

// add adds a tool. Its handler's errors become error results with their text.
func add[In any](s *mcp.Server, name, description string, reads bool, handle func(In) (string, error)) {
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: reads}}
	if _, none := any(*new(In)).(emptyInput); none {
		tool.InputSchema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	if !reads {
		destructive := true
		tool.Annotations.DestructiveHint = &destructive
	}
	mcp.AddTool(s, tool, func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
		text, err := handle(in)
		if err != nil {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}, IsError: true}, nil, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
}

func query(api API, query, call string) (string, error) {
	if query == "" {
		return "", errors.New("query parameter is required")
	}
	text, err := api.Query(query)
	if err != nil {
		return "", errors.New("failed making " + call + " api call: " + err.Error())
	}
	return text, nil
}
