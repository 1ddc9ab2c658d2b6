package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Set is the set of tools that one server serves. Its names and aliases are
// unique. It is immutable once it is sorted, and then safe for concurrent use.
type Set struct {
	engine    *Engine
	plans     []*plan
	byName    map[string]*plan
	byAlias   map[string]*plan
	audiences facts.Audiences
}

var _ exchange.Operations = (*Set)(nil)

// NewSet returns a set without tools. Its tools share the audiences of old,
// which may be nil.
func (g *Engine) NewSet(old *Set) *Set {
	s := &Set{engine: g, byName: map[string]*plan{}, byAlias: map[string]*plan{}, audiences: facts.Audiences{}}
	if old != nil {
		for _, p := range old.plans {
			s.audiences.Share(p.tool.Audience)
		}
	}
	return s
}

// Add adds a tool whose name the set does not have.
func (s *Set) Add(t *facts.ProtectedTool) {
	t.Audience = s.audiences.Share(t.Audience)
	p := s.engine.plan(t)
	s.byName[t.Doc.Name] = p
	s.plans = append(s.plans, p)
}

// Keep adds the tools of old whose names s does not have yet. A tool with the
// same contract keeps its concurrency slots.
func (s *Set) Keep(old *Set) {
	for _, p := range old.plans {
		switch same := s.byName[p.tool.Doc.Name]; {
		case same == nil:
			s.byName[p.tool.Doc.Name] = p
			s.plans = append(s.plans, p)
		case same.tool.Digest() == p.tool.Digest():
			same.tool.Slots = p.tool.Slots
		}
	}
}

// AddAlias adds an alias of a tool of the set. It reports false if another tool
// has it as its name or alias.
func (s *Set) AddAlias(t *facts.ProtectedTool, alias string) bool {
	p := s.byName[t.Doc.Name]
	if s.byName[alias] == p { // see [contract.Builder.Aliases]
		return true
	}
	if s.byName[alias] != nil || s.byAlias[alias] != nil {
		return false
	}
	s.byAlias[alias] = p
	return true
}

// Sort sorts the tools by name.
func (s *Set) Sort() {
	slices.SortFunc(s.plans, func(a, b *plan) int { return cmp.Compare(a.tool.Doc.Name, b.tool.Doc.Name) })
}

// includes reports whether a principal sees the tools of an audience in this
// set.
func (s *Set) includes(p *contract.Principal, of *facts.Audience) bool {
	if !of.IsOfRecorded() {
		return of.Includes(p)
	}
	return slices.ContainsFunc(s.plans, func(of *plan) bool {
		t := of.tool
		return t.IsDeduplicated && !t.IsRead && t.Doc.Risk != risk.Forbidden && t.Audience.Includes(p)
	})
}

// Own returns the tool that the guard has added, or nil.
func (s *Set) Own() *contract.Tool {
	for _, p := range s.plans {
		if p.tool.Audience.IsOfRecorded() {
			return p.tool.Contract
		}
	}
	return nil
}

// Without returns a set that lacks the tools of the given names.
func (s *Set) Without(names ...string) *Set {
	next := s.engine.NewSet(s)
	for _, p := range s.plans {
		if slices.Contains(names, p.tool.Doc.Name) {
			continue
		}
		next.plans = append(next.plans, p)
		next.byName[p.tool.Doc.Name] = p
		for _, alias := range p.tool.Doc.Aliases {
			next.byAlias[alias] = p
		}
	}
	return next
}

// find returns the plan for a name or an alias, or nil.
func (s *Set) find(name string) *plan {
	if p := s.byName[name]; p != nil {
		return p
	}
	return s.byAlias[name]
}

// Has reports whether the set has a tool of this name. Aliases do not count.
func (s *Set) Has(name string) bool { return s.byName[name] != nil }

// Tools returns the tools.
func (s *Set) Tools() []*facts.ProtectedTool {
	tools := make([]*facts.ProtectedTool, len(s.plans))
	for i, p := range s.plans {
		tools[i] = p.tool
	}
	return tools
}

// Visible returns the names of the tools that the caller of ctx may see. If the
// principal cannot be found, the caller counts as anonymous.
func (s *Set) Visible(ctx context.Context) map[string]bool {
	return s.VisibleTo(s.engine.gate.Viewer(ctx))
}

// VisibleTo returns the names of the tools that a principal may see.
func (s *Set) VisibleTo(p contract.Principal) map[string]bool {
	visible := make(map[string]bool, len(s.plans))
	for _, of := range s.plans {
		if s.includes(&p, of.tool.Audience) {
			visible[of.tool.Doc.Name] = true
		}
	}
	return visible
}

// Document returns the contract that the guard enforces for a tool. It is zero
// if there is no such tool.
func (s *Set) Document(tool string) contract.Document {
	if p := s.byName[tool]; p != nil {
		return p.tool.Doc.Clone()
	}
	return contract.Document{}
}

// Audience returns the audience of the tool with a name, or nil.
func (s *Set) Audience(tool string) exchange.Audience {
	if p := s.byName[tool]; p != nil {
		return p.tool.Audience
	}
	return nil
}

// Sees returns a function that reports whether the caller of ctx sees the tools
// of an audience.
func (s *Set) Sees(ctx context.Context) func(exchange.Audience) bool {
	p := s.engine.gate.Viewer(ctx)
	if s.OnlyLocal() && !p.IsAnonymous() {
		s.reportHidden(ctx, &p)
	}
	return func(of exchange.Audience) bool {
		if own, ok := of.(*facts.Audience); ok {
			return s.includes(&p, own)
		}
		return false
	}
}

// reportHidden logs, once for each tool, that the local user lacks permissions
// to see it. The server has no other callers, so nobody sees the tool.
func (s *Set) reportHidden(ctx context.Context, p *contract.Principal) {
	var tools, missing []string
	for _, of := range s.plans {
		d := &of.tool.Doc
		lacks := p.Missing(d.Permissions)
		if len(lacks) > 0 && d.Risk != risk.Forbidden && !s.includes(p, of.tool.Audience) && s.engine.lines.IsFirst(d.Name, "hidden") {
			tools, missing = append(tools, d.Name), append(missing, lacks...)
		}
	}
	if len(tools) > 0 {
		slices.Sort(missing)
		s.engine.lines.Logger().InfoContext(ctx, "toolcontract: tools are hidden from the local user, who lacks permissions",
			"tools", tools, "missing", slices.Compact(missing))
	}
}

// Volatile returns the names of managed and keyed tools from high risk up whose
// records are only in this process's memory, sorted. Tools whose contracts
// declare a rerun with onUnknown are left out, because their authors expect a
// second run.
func (s *Set) Volatile() []string {
	if !s.engine.ledger.IsLocal() {
		return nil
	}
	var names []string
	for _, p := range s.plans {
		t := p.tool
		if t.IsDeduplicated && t.Doc.Risk.AtLeast(risk.High) && t.Doc.Idempotency.OnUnknown != idempotency.Rerun {
			names = append(names, t.Doc.Name)
		}
	}
	return names
}

// IdentifiesCallers reports whether there is a principal function.
func (s *Set) IdentifiesCallers() bool { return s.engine.gate.IdentifiesCallers() }

// OnlyLocal reports whether the principal function knows local callers only.
func (s *Set) OnlyLocal() bool { return s.engine.gate.Config.OnlyLocal }

// Principal returns the principal of ctx.
func (s *Set) Principal(ctx context.Context) (contract.Principal, error) {
	return s.engine.gate.Principal(ctx)
}

// HasApprover reports whether people are asked outside the client.
func (s *Set) HasApprover() bool { return s.engine.config.People.Pending != nil }

// NamesServer reports whether every request must have a server's name.
func (s *Set) NamesServer() bool { return s.engine.config.NamesServer }

// BeginDrain starts the drain time, unless it has begun, and returns its end.
func (s *Set) BeginDrain() time.Time { return s.engine.BeginDrain() }

// maxToolName bounds a name that a caller made up, in bytes.
const maxToolName = 128

// UnknownTool writes the terminal event of a call to a name that does not exist
// for the caller.
func (s *Set) UnknownTool(ctx context.Context, name string) {
	s.auditRefused(ctx, name, facts.CodeUnknownTool)
}

// Unparsable writes the terminal event of a call whose parameters the transport
// could not read.
func (s *Set) Unparsable(ctx context.Context) { s.auditRefused(ctx, "", facts.CodeUnparsable) }

// auditRefused writes the terminal event of a call that never reached the pipeline.
func (s *Set) auditRefused(ctx context.Context, tool, code string) {
	ctx, answered := s.engine.config.Observe(ctx, nil)
	defer answered()
	p := s.engine.gate.Viewer(ctx)
	name, _ := trust.Sanitize(tool)
	s.engine.recorder.Put(ctx, audit.Event{
		Time: time.Now(), Kind: audit.Terminal, CallID: rand.Text(), Tool: text.Cut(name, maxToolName),
		Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Agent: !facts.IsPerson(p),
		Decision: audit.Deny, Stage: facts.StageLookup, Status: contract.StatusError.String(), Code: code,
	})
}

// Plain returns the function that takes calls of a tool without a contract
// through the pipeline.
func (s *Set) Plain(p bound.Plain) exchange.PlainCall {
	plan := s.engine.plan(facts.NewPlain(&p))
	return func(ctx context.Context, r exchange.Request) (*exchange.Result, error) {
		r.Tool = p.Name
		return s.take(ctx, plan, r)
	}
}

// Call runs one request through the pipeline.
func (s *Set) Call(ctx context.Context, req exchange.Request) (*exchange.Result, error) {
	g := s.engine
	if g.config.NamesServer && req.Server == "" {
		return nil, exchange.ErrNoServer
	}
	p := s.find(req.Tool)
	if p == nil {
		s.auditRefused(ctx, req.Tool, facts.CodeUnknownTool)
		return nil, exchange.ErrUnknownTool
	}
	return s.take(ctx, p, req)
}

// take takes a request of a tool through the pipeline.
func (s *Set) take(ctx context.Context, p *plan, req exchange.Request) (*exchange.Result, error) {
	g := s.engine
	if g.running.Enter() {
		defer g.running.Leave()
	}
	useName := ""
	if name := p.tool.Doc.Name; name != req.Tool {
		useName = name
	}
	c := newCall(s, p, req)
	ctx, answered := g.config.Observe(ctx, p.tool)
	defer answered()
	c.ctx = ctx
	result, err := c.answer()
	if err != nil {
		return nil, err
	}
	c.finish(useName, result)
	return result, nil
}
