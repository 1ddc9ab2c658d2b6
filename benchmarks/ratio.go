package main

import (
	"fmt"
	"slices"
)

// A ratioRow is one ratio: what it compares, and what it should be.
type ratioRow struct {
	name  string
	means string
	goal  string   // such as "≤ 0.75"; empty: none
	of    []string // the figures that it needs, of one round
	is    func(ns func(string) float64) float64
}

// ratios are all ratios in the order of the table. Those without a function are
// no times; see [report.addSizes].
var ratios = slices.Concat(ratiosOfCalls, ratiosOfGosdk(), ratiosOfRequestServers(), ratiosOfStores(), otherRatios)

var ratiosOfCalls = []ratioRow{
	{"call_full_vs_mcpgo_validated", "a call with every control, over mcp-go's typed handler with both validators", "≤ 0.75",
		[]string{"full", "mcpgo_validated"}, quotient("full", "mcpgo_validated")},
	{"overhead_full_vs_overhead_mcpgo_validated", "the same, less the bare handler", "≤ 0.55",
		[]string{"full", "mcpgo_validated", "mcpgo_bare"}, func(ns func(string) float64) float64 {
			return (ns("full") - ns("mcpgo_bare")) / (ns("mcpgo_validated") - ns("mcpgo_bare"))
		}},
	{"call_managed_vs_mcpgo_validated", "the same, recorded once for each key, in memory", "≤ 0.90",
		[]string{"managed", "mcpgo_validated"}, quotient("managed", "mcpgo_validated")},
	{"call_managed_vs_mcpgo_validated_keyed", "the same, over a call that also carries a key", "",
		[]string{"managed", "mcpgo_validated_keyed"}, quotient("managed", "mcpgo_validated_keyed")},
	{"call_timeout_vs_mcpgo_validated", "the same, with a timeout", "",
		[]string{"timeout", "mcpgo_validated"}, quotient("timeout", "mcpgo_validated")},
	{"call_full_vs_mcpgo_typed", "over mcp-go's typed handler without validators", "",
		[]string{"full", "mcpgo_typed"}, quotient("full", "mcpgo_typed")},
	{"parallel_vs_mcpgo_validated", "eight callers at once", "≤ 0.75",
		[]string{"parallel_full", "parallel_mcpgo_validated"}, quotient("parallel_full", "parallel_mcpgo_validated")},
	{"parallel_timeout_vs_mcpgo_validated", "eight callers at once, with a timeout", "",
		[]string{"parallel_timeout", "parallel_mcpgo_validated"}, quotient("parallel_timeout", "parallel_mcpgo_validated")},
	{"invalid_vs_mcpgo", "a call that breaks three constraints", "≤ 1.0",
		[]string{"invalid_full", "invalid_mcpgo"}, quotient("invalid_full", "invalid_mcpgo")},
	{"added_vs_gosdk_added", "what the guard adds to mcp-go, over what the typed handler adds to the official SDK", "≤ 0.20",
		[]string{"full", "mcpgo_bare", "gosdk_typed", "gosdk_bare"}, func(ns func(string) float64) float64 {
			return (ns("full") - ns("mcpgo_bare")) / (ns("gosdk_typed") - ns("gosdk_bare"))
		}},
	{"gosdk_full_vs_gosdk_typed", "a call with every control on the official SDK, over its typed handler", "",
		[]string{"gosdk_full", "gosdk_typed"}, quotient("gosdk_full", "gosdk_typed")},
	{"guard_alone_vs_decode_and_marshal",
		"the guard and the table of an adapter, without an SDK, over strict decoding and marshaling", "≤ 2.5",
		[]string{"guard_alone", "decode_and_marshal"}, quotient("guard_alone", "decode_and_marshal")},
	{"guard_alone_own_principal_vs_decode_and_marshal",
		"the same, with a principal function of the server author, which may block", "",
		[]string{"guard_alone_own_principal", "decode_and_marshal"}, quotient("guard_alone_own_principal", "decode_and_marshal")},
	{"stdio_vs_mcpgo_bare", "a call over stdio, over mcp-go's bare handler", "≤ 1.0",
		[]string{"stdio_full", "stdio_bare"}, quotient("stdio_full", "stdio_bare")},
	{"http_1000_clients_vs_mcpgo_validated", "throughput of 1,000 clients over HTTP", "≥ 1.15",
		[]string{"http_1000_mcpgo_validated", "http_1000_full"}, quotient("http_1000_mcpgo_validated", "http_1000_full")},
	{"http_1000_clients_vs_mcpgo_bare", "the same, over mcp-go's bare handler", "",
		[]string{"http_1000_mcpgo_bare", "http_1000_full"}, quotient("http_1000_mcpgo_bare", "http_1000_full")},
	{"question_vs_two_calls", "a question and the person's answer, over two plain calls", "",
		[]string{"question_and_answer", "plain_call"},
		func(ns func(string) float64) float64 { return ns("question_and_answer") / 2 / ns("plain_call") }},
	{"size_1m_vs_mcpgo_validated", "arguments of 1 MiB", "",
		[]string{"size_1m_full", "size_1m_mcpgo_validated"}, quotient("size_1m_full", "size_1m_mcpgo_validated")},
	{"size_1m_vs_100k_each_byte", "the cost of a byte of 1 MiB, over that of 100 KiB", "",
		[]string{"size_1m_full", "size_100k_full"}, func(ns func(string) float64) float64 {
			return ns("size_1m_full") / ns("size_100k_full") / (1 << 20) * (100 << 10)
		}},
	{"list_1000_hints_vs_bare", "tools/list of 1,000 tools with hints only, over bare tools", "≤ 1.1",
		[]string{"list_1000_hints", "list_1000_mcpgo"}, quotient("list_1000_hints", "list_1000_mcpgo")},
	{"list_1000_hints_vs_annotated", "over bare tools with the same hints", "",
		[]string{"list_1000_hints", "list_1000_mcpgo_annotated"}, quotient("list_1000_hints", "list_1000_mcpgo_annotated")},
	{"list_1000_summary_vs_bare", "with the summary of each contract, over bare tools", "",
		[]string{"list_1000_summary", "list_1000_mcpgo"}, quotient("list_1000_summary", "list_1000_mcpgo")},
	{"list_1000_full_vs_bare", "with each whole contract, over bare tools", "",
		[]string{"list_1000_full", "list_1000_mcpgo"}, quotient("list_1000_full", "list_1000_mcpgo")},
	{"list_1000_summary_bytes_per_tool", "bytes that a summary adds to a tool", "≤ 180", nil, nil},
	{"redis_plain_evalshas", "a call with Redis as the store, in single EVALSHAs", "",
		[]string{"redis_plain", "redis_evalsha"}, quotient("redis_plain", "redis_evalsha")},
	{"redis_first_run_evalshas", "a recorded call", "",
		[]string{"redis_first_run", "redis_evalsha"}, quotient("redis_first_run", "redis_evalsha")},
	{"redis_replay_evalshas", "a call whose result is replayed", "",
		[]string{"redis_replay", "redis_evalsha"}, quotient("redis_replay", "redis_evalsha")},
}

// ratiosOfGosdk has those of calls on servers of the official SDK, in processor
// time.
func ratiosOfGosdk() []ratioRow {
	added := func(full string) func(func(string) float64) float64 {
		return func(ns func(string) float64) float64 { return (ns(full) - ns("gosdk_1_bare")) / ns("gosdk_1_typed") }
	}
	rows := []ratioRow{
		{"gosdk_added_vs_typed", "what the guard adds to the official SDK's bare handler, over its typed handler; " +
			"the principal function is the server author's", "≤ 0.12", []string{"gosdk_1_full", "gosdk_1_bare", "gosdk_1_typed"},
			added("gosdk_1_full")},
		{"gosdk_added_local_user_vs_typed", "the same for the local user", "≤ 0.12",
			[]string{"gosdk_1_local_user", "gosdk_1_bare", "gosdk_1_typed"}, added("gosdk_1_local_user")},
	}
	for _, n := range gosdkToolCounts {
		full, typed := fmt.Sprintf("gosdk_%d_full", n), fmt.Sprintf("gosdk_%d_typed", n)
		goal := ""
		if n == 1000 {
			goal = "≤ 1.15"
		}
		row := ratioRow{fmt.Sprintf("gosdk_%d_tools_vs_typed", n), "a call on a server of " + countOf(n) +
			", over the typed handler on such a server", goal, []string{full, typed}, quotient(full, typed)}
		rows = append(rows, row)
	}
	return rows
}

// ratiosOfRequestServers has those of servers that are made for one request, in
// processor time.
func ratiosOfRequestServers() []ratioRow {
	var rows []ratioRow
	for _, sdk := range [][2]string{
		{"gosdk", "the official SDK's typed tools with its `SchemaCache`"}, {"mcpgo", "mcp-go's `AddTools`"},
	} {
		for _, n := range requestToolCounts {
			bare := fmt.Sprintf("request_server_%d_%s", n, sdk[0])
			rows = append(rows, ratioRow{fmt.Sprintf("request_server_%d_tools_vs_%s", n, sdk[0]),
				"making a server of " + countOf(n) + " for one request, over " + sdk[1], "≤ 1.3",
				[]string{bare + "_full", bare}, quotient(bare+"_full", bare)})
		}
	}
	return rows
}

func countOf(tools int) string {
	if tools == 1 {
		return "1 tool"
	}
	return fmt.Sprintf("%d tools", tools)
}

// ratiosOfStores has the ratios of each store that processes can share.
func ratiosOfStores() []ratioRow {
	rows := []ratioRow{{
		"store_memory_ms", "milliseconds of a recorded call in memory", "", []string{"store_memory_first_run"},
		milliseconds("store_memory_first_run"),
	}}
	stores := [][2]string{{"redis", "Redis"}, {"sqlite", "a SQLite file"}, {"postgres", "PostgreSQL"}}
	for _, s := range stores {
		first := "store_" + s[0] + "_first_run"
		means := "milliseconds of a recorded call with " + s[1]
		rows = append(rows, ratioRow{"store_" + s[0] + "_ms", means, "", []string{first}, milliseconds(first)})
	}
	compare := func(name, means, over, under string) {
		rows = append(rows, ratioRow{name, means, "", []string{over, under}, quotient(over, under)})
	}
	for _, kind := range [][2]string{
		{"plain", "a call with %s as the store, over one with the store in memory"},
		{"first_run", "a recorded call with %s, over one in memory"},
		{"replay", "a replay with %s, over one in memory"},
	} {
		for _, s := range stores {
			compare("store_"+s[0]+"_"+kind[0]+"_vs_memory", fmt.Sprintf(kind[1], s[1]),
				"store_"+s[0]+"_"+kind[0], "store_memory_"+kind[0])
		}
	}
	compare("store_sqlite_vs_one_commit", "a recorded call with a SQLite file, over one commit of a row in the same file",
		"store_sqlite_first_run", "store_sqlite_commit")
	for _, s := range stores[1:] {
		compare("store_"+s[0]+"_atomic_vs_writes", "an atomic call whose handler writes a row into "+s[1]+", over two commits",
			"store_"+s[0]+"_atomic", "store_"+s[0]+"_writes")
	}
	for _, s := range stores {
		for _, n := range processCounts[1:] {
			compare(fmt.Sprintf("processes_%s_%d_vs_1", s[0], n),
				fmt.Sprintf("recorded calls a second of %d processes that share %s, over those of one", n, s[1]),
				"processes_"+s[0]+"_1", fmt.Sprintf("processes_%s_%d", s[0], n))
		}
	}
	return rows
}

var otherRatios = []ratioRow{
	{"audit_file_vs_discarded", "a call whose audit event goes to a file, over one that is discarded", "",
		[]string{"audit_file", "audit_discarded"}, quotient("audit_file", "audit_discarded")},
	{"start_100_tools_vs_mcpgo", "from the start of a process to its first answer, with 100 tools", "≤ 3",
		[]string{"start_100_tools_full", "start_100_tools_validated"}, quotient("start_100_tools_full", "start_100_tools_validated")},
	{"build_1000_tools_ms", "milliseconds to build 1,000 contracts", "≤ 1000", nil, nil},
	{"wrap_all_863_tools_ms", "milliseconds in which `WrapAll` puts contracts around 863 tools of the official SDK", "≤ 300",
		[]string{"wrap_863_tools", "register_863_tools"}, func(ns func(string) float64) float64 {
			return (ns("wrap_863_tools") - ns("register_863_tools")) / 1e6
		}},
	{"heap_kib_per_tool", "KiB of heap for each built tool", "≤ 30", nil, nil},
}

func milliseconds(of string) func(func(string) float64) float64 {
	return func(ns func(string) float64) float64 { return ns(of) / 1e6 }
}

func quotient(over, under string) func(func(string) float64) float64 {
	return func(ns func(string) float64) float64 { return ns(over) / ns(under) }
}
