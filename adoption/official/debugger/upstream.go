package debugger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type (
	debugInput struct {
		Mode        string   `json:"mode" mcp:"'source', 'binary', 'core' or 'attach'"`
		Path        string   `json:"path,omitempty" mcp:"program path"`
		Args        []string `json:"args,omitempty" mcp:"command line arguments for the program"`
		StopOnEntry bool     `json:"stopOnEntry,omitempty" mcp:"stop at program entry"`
	}
	stopInput struct {
		Detach bool `json:"detach,omitempty" mcp:"leave the program running"`
	}
	breakpointInput struct {
		File     string `json:"file,omitempty" mcp:"source file path"`
		Line     int    `json:"line,omitempty" mcp:"line number"`
		Function string `json:"function,omitempty" mcp:"function name"`
	}
	clearInput struct {
		File string `json:"file,omitempty" mcp:"source file path"`
		All  bool   `json:"all,omitempty" mcp:"all breakpoints"`
	}
	stepInput struct {
		Mode string `json:"mode,omitempty" mcp:"'over', 'in' or 'out'"`
	}
	evaluateInput struct {
		Expression string `json:"expression" mcp:"expression to evaluate"`
		Context    string `json:"context,omitempty" mcp:"watch, repl or hover"`
	}
	infoInput struct {
		Type string `json:"type,omitempty" mcp:"'threads', 'sources', 'modules' or 'registers'"`
	}
)

// A session is one program being debugged, and the tools that exist meanwhile.
type session struct {
	mu        sync.Mutex
	server    *mcp.Server
	variables map[string]string
	path      string
}

// newUpstream returns the server without contracts. Its tools, when they come
// and go, and its error texts are those of the server it stands in for. An
// expression is the name of one of the variables.
func newUpstream(variables map[string]string) *mcp.Server {
	s := &session{server: mcp.NewServer(&mcp.Implementation{Name: "mcp-dap-server", Version: "1.0.0"}, nil), variables: variables}
	s.idle()
	return s.server
}

// idle adds the only tool outside a session, which starts one.
func (s *session) idle() {
	add(s, "debug", "Start a complete debugging session.", func(in debugInput) (string, error) {
		switch in.Mode {
		case "source", "binary", "core", "attach":
		default:
			return "", fmt.Errorf("invalid mode: %s (must be 'source', 'binary', 'core', or 'attach')", in.Mode)
		}
		if in.Path == "" {
			return "", fmt.Errorf("path is required for %s mode", in.Mode)
		}
		s.path = in.Path
		s.server.RemoveTools("debug")
		s.debugging()
		return "stopped at " + in.Path, nil
	})
}

var sessionTools = []string{"stop", "breakpoint", "clear-breakpoints", "continue", "step", "pause", "context", "evaluate", "info"}

// debugging adds the tools of a session.
func (s *session) debugging() {
	add(s, "stop", "End the debugging session.", func(stopInput) (string, error) {
		s.server.RemoveTools(sessionTools...)
		s.idle()
		return "Debugging session stopped", nil
	})
	add(s, "breakpoint", "Set a breakpoint.", func(in breakpointInput) (string, error) {
		if in.Function == "" && (in.File == "" || in.Line == 0) {
			return "", errors.New("either function or file+line is required")
		}
		return "breakpoint set", nil
	})
	add(s, "clear-breakpoints", "Remove breakpoints.", func(in clearInput) (string, error) {
		if in.File == "" && !in.All {
			return "", errors.New("specify 'file' or 'all'")
		}
		return "cleared", nil
	})
	add(s, "continue", "Continue program execution until the next breakpoint or termination.", s.located)
	add(s, "pause", "Pause a running program.", s.located)
	add(s, "context", "Get full debugging context at the current stop location.", s.located)
	add(s, "info", "List program metadata.", func(infoInput) (string, error) { return s.located(struct{}{}) })
	add(s, "step", "Step through code one line at a time.", func(in stepInput) (string, error) {
		switch in.Mode {
		case "", "over", "in", "out":
			return s.located(struct{}{})
		}
		return "", fmt.Errorf("invalid step mode: %s (must be 'over', 'in', or 'out')", in.Mode)
	})
	add(s, "evaluate", "Evaluate an expression in the debugged program's context.", func(in evaluateInput) (string, error) {
		value, ok := s.variables[in.Expression]
		if !ok {
			return "", fmt.Errorf("unable to evaluate expression: could not find symbol value for %s", in.Expression)
		}
		return value, nil
	})
}

func (s *session) located(struct{}) (string, error) { return "at " + s.path, nil }

// add adds a tool. The SDK turns its handler's errors into error results.
func add[In any](s *session, name, description string, handle func(In) (string, error)) {
	mcp.AddTool(s.server, &mcp.Tool{Name: name, Description: description},
		func(_ context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			text, err := handle(in)
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
}
