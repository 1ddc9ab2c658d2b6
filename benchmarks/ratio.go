package main

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
var ratios = []ratioRow{
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
	{"store_memory_ms", "milliseconds of a recorded call in memory", "", []string{"store_memory_first_run"},
		milliseconds("store_memory_first_run")},
	{"store_redis_ms", "with Redis", "", []string{"store_redis_first_run"}, milliseconds("store_redis_first_run")},
	{"store_sqlite_ms", "with a SQLite file", "", []string{"store_sqlite_first_run"}, milliseconds("store_sqlite_first_run")},
	{"store_postgres_ms", "with PostgreSQL", "", []string{"store_postgres_first_run"}, milliseconds("store_postgres_first_run")},
	{"store_redis_plain_vs_memory", "a call with Redis as the store, over one with the store in memory", "",
		[]string{"store_redis_plain", "store_memory_plain"}, quotient("store_redis_plain", "store_memory_plain")},
	{"store_sqlite_plain_vs_memory", "with a SQLite file", "",
		[]string{"store_sqlite_plain", "store_memory_plain"}, quotient("store_sqlite_plain", "store_memory_plain")},
	{"store_postgres_plain_vs_memory", "with PostgreSQL", "",
		[]string{"store_postgres_plain", "store_memory_plain"}, quotient("store_postgres_plain", "store_memory_plain")},
	{"store_redis_first_run_vs_memory", "a recorded call with Redis, over one in memory", "",
		[]string{"store_redis_first_run", "store_memory_first_run"}, quotient("store_redis_first_run", "store_memory_first_run")},
	{"store_sqlite_first_run_vs_memory", "with a SQLite file", "",
		[]string{"store_sqlite_first_run", "store_memory_first_run"}, quotient("store_sqlite_first_run", "store_memory_first_run")},
	{"store_postgres_first_run_vs_memory", "with PostgreSQL", "",
		[]string{"store_postgres_first_run", "store_memory_first_run"},
		quotient("store_postgres_first_run", "store_memory_first_run")},
	{"store_sqlite_atomic_vs_writes", "an atomic call whose handler writes a row into the SQLite file, over two commits", "",
		[]string{"store_sqlite_atomic", "store_sqlite_writes"}, quotient("store_sqlite_atomic", "store_sqlite_writes")},
	{"store_postgres_atomic_vs_writes", "the same in PostgreSQL", "",
		[]string{"store_postgres_atomic", "store_postgres_writes"}, quotient("store_postgres_atomic", "store_postgres_writes")},
	{"store_redis_replay_vs_memory", "a replay with Redis, over one in memory", "",
		[]string{"store_redis_replay", "store_memory_replay"}, quotient("store_redis_replay", "store_memory_replay")},
	{"store_sqlite_replay_vs_memory", "with a SQLite file", "",
		[]string{"store_sqlite_replay", "store_memory_replay"}, quotient("store_sqlite_replay", "store_memory_replay")},
	{"store_postgres_replay_vs_memory", "with PostgreSQL", "",
		[]string{"store_postgres_replay", "store_memory_replay"}, quotient("store_postgres_replay", "store_memory_replay")},
	{"processes_redis_4_vs_1", "recorded calls a second of 4 processes that share a Redis, over those of one", "",
		[]string{"processes_redis_1", "processes_redis_4"}, quotient("processes_redis_1", "processes_redis_4")},
	{"processes_redis_16_vs_1", "of 16 processes", "",
		[]string{"processes_redis_1", "processes_redis_16"}, quotient("processes_redis_1", "processes_redis_16")},
	{"processes_sqlite_4_vs_1", "of 4 processes that share a SQLite file", "",
		[]string{"processes_sqlite_1", "processes_sqlite_4"}, quotient("processes_sqlite_1", "processes_sqlite_4")},
	{"processes_sqlite_16_vs_1", "of 16 processes", "",
		[]string{"processes_sqlite_1", "processes_sqlite_16"}, quotient("processes_sqlite_1", "processes_sqlite_16")},
	{"processes_postgres_4_vs_1", "of 4 processes that share a PostgreSQL", "",
		[]string{"processes_postgres_1", "processes_postgres_4"}, quotient("processes_postgres_1", "processes_postgres_4")},
	{"processes_postgres_16_vs_1", "of 16 processes", "",
		[]string{"processes_postgres_1", "processes_postgres_16"}, quotient("processes_postgres_1", "processes_postgres_16")},
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
