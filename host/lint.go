package host

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// A Server is a server as a host sees it.
type Server struct {
	// Name is the server's name in the host, which is part of the names that
	// models get. If it is empty, Lint assumes a name of 12 letters.
	Name string
	// Tools are the tools as tools/list returns them.
	Tools []json.RawMessage
	// Results are results of tools/call, by the listed name of the tool. If it
	// is nil, no results are compared.
	Results map[string][]json.RawMessage
	// Questions are the params of elicitation/create, by the listed name of the
	// tool that asked. If it is nil, no questions are compared.
	Questions map[string][]json.RawMessage
}

// A Level is the severity of a [Finding].
type Level string

const (
	// Info is worth knowing, or not confirmed.
	Info Level = "info"
	// Warning means that the host cuts or changes something, or behaves
	// differently from what the server expects.
	Warning Level = "warning"
	// Error means that the host does not accept a tool.
	Error Level = "error"
)

func (l Level) grave() int { return slices.Index([]Level{Error, Warning, Info}, l) }

// A Finding is something that a host does with a server and that the server's
// author may not expect.
type Finding struct {
	// Host is the name of the host. It is empty if no host can read the tool.
	Host  string `json:"host,omitempty"`
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	// Tool is the listed name of the tool. It is empty if the finding is not
	// about one tool.
	Tool string `json:"tool,omitempty"`
	// Pointer is a JSON Pointer into the tool, its result or its question.
	Pointer string `json:"pointer,omitempty"`
	// Message is what the host does, and Remedy is what the server can do.
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
	// Source is where the fact about the host was read.
	Source string `json:"source,omitempty"`
}

// String returns the finding in one line.
func (f Finding) String() string {
	where := ""
	if f.Tool != "" {
		where = f.Tool + ": "
	}
	if f.Pointer != "" {
		where += f.Pointer + ": "
	}
	return fmt.Sprintf("%s [%s] %s%s; %s", f.Level, f.Rule, where, f.Message, f.Remedy)
}

// Lint returns what the hosts do with a server, sorted by level, rule, tool and
// host. It reads a contract that a tool lists in its _meta, but needs none.
// Equal servers give equal findings.
func Lint(s Server, hosts ...Host) []Finding {
	l := &linter{server: s, findings: []Finding{}}
	for i, raw := range s.Tools {
		t, err := readTool(raw)
		if err != nil {
			l.findings = append(l.findings, Finding{
				Rule: ruleUnreadable, Level: Error, Pointer: fmt.Sprintf("/tools/%d", i),
				Message: "No host can read the tool: it is not of the form that the protocol defines", Remedy: "correct it",
			})
			continue
		}
		l.tools = append(l.tools, t)
	}
	for _, h := range hosts {
		l.host = h
		l.lintHost()
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Level.grave(), b.Level.grave()), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Tool, b.Tool),
			cmp.Compare(a.Host, b.Host), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message))
	})
	return l.findings
}

// A linter collects the findings about one server.
type linter struct {
	server   Server
	tools    []tool
	host     Host
	findings []Finding
}

// A hit is one place that a rule has found. Its detail becomes part of the
// message.
type hit struct{ tool, pointer, detail string }

func (l *linter) lintHost() {
	for _, f := range l.host.Names {
		l.lintNames(f)
	}
	for _, f := range l.host.Facts {
		for _, c := range checks {
			if c.rule != f.Rule {
				continue
			}
			for _, h := range c.find(f, l) {
				l.report(c, f, h)
			}
		}
	}
	l.lintHints()
	l.lintQuestions()
}

func (l *linter) report(c check, f Fact, h hit) {
	message := l.host.Title + " " + f.Does
	if !f.Confirmed() {
		message += " (unconfirmed)"
	}
	if h.detail != "" {
		message += ": " + h.detail
	}
	l.findings = append(l.findings, Finding{
		Host: l.host.Name, Rule: c.rule, Level: f.level(), Tool: h.tool, Pointer: h.pointer,
		Message: message, Remedy: c.remedy, Source: f.Source,
	})
}

// A tool is one tool as a host reads it.
type tool struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Annotations struct {
		Hints
		Title string `json:"title"`
	} `json:"annotations"`
	InputSchema  json.RawMessage            `json:"inputSchema"`
	OutputSchema json.RawMessage            `json:"outputSchema"`
	Meta         map[string]json.RawMessage `json:"_meta"`

	input, output schema
	contract      *contract // nil: it lists none
}

// metaKeyContract is contract.MetaKeyContract.
const metaKeyContract = "io.github.toolcontract/contract"

// pointerContract points to a tool's contract.
const pointerContract = "/_meta/io.github.toolcontract~1contract"

// A contract is the part of a listed contract that the rules read.
type contract struct {
	Confirmation string `json:"confirmation"`
	Resolves     struct {
		Confirmation string `json:"confirmation"`
	} `json:"resolves"`
	StepUp      json.RawMessage  `json:"stepUp"`
	SideEffects []map[string]any `json:"sideEffects"`
	Idempotency *struct {
		Mode string `json:"mode"`
	} `json:"idempotency"`
	// IdempotentForSeconds is in a summary only.
	IdempotentForSeconds int64            `json:"idempotentForSeconds"`
	FailureModes         []map[string]any `json:"failureModes"`
	MaxConcurrent        int              `json:"maxConcurrent"`
}

// isFull reports whether the contract is listed in full rather than as a
// summary.
func (c *contract) isFull() bool { return c != nil && c.FailureModes != nil }

// asksAlways reports whether the server asks a person before every call.
func (c *contract) asksAlways() bool {
	return c != nil && c.Confirmation == "always" && c.Resolves.Confirmation != "never"
}

func readTool(raw json.RawMessage) (tool, error) {
	var t tool
	if err := json.Unmarshal(raw, &t); err != nil {
		return tool{}, err
	}
	if t.Name == "" {
		return tool{}, errNoName
	}
	var err error
	if t.input, err = readSchema("/inputSchema", t.InputSchema); err != nil {
		return tool{}, err
	}
	if t.output, err = readSchema("/outputSchema", t.OutputSchema); err != nil {
		return tool{}, err
	}
	if listed, ok := t.Meta[metaKeyContract]; ok {
		var c contract
		if json.Unmarshal(listed, &c) == nil {
			t.contract = &c
		}
	}
	return t, nil
}

// reads reports whether the tool only reads, according to its hints.
func (t tool) reads() bool { return t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly }

// asks reports whether the server asks a person, according to the contract.
func (t tool) asks() bool {
	return t.contract != nil && oneOf(t.contract.Confirmation, "always when")
}
