package adapter

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// A Config configures a [Table]. The zero value has no tools.
type Config struct {
	// Tools are the tools to serve. A nil tool is an error, and so is a name or
	// alias that two tools share.
	Tools []*contract.Tool
	// Tier sets how much of each contract tools/list shows. Default:
	// [contract.TierSummary].
	Tier contract.Tier
	// Naming sets how names and aliases are listed and called. Default:
	// [contract.Underscore]. It is an error if two names become equal.
	Naming contract.Naming
	// HostConfirmation writes keys that make hosts ask their user before each
	// call into the _meta of tools whose contract always asks a person to
	// confirm. They protect nothing: most hosts ignore them. It is an error if
	// the guard has an approver. Default: the keys are not written.
	HostConfirmation bool
	// ResourceMetadata is the address of the metadata of an OAuth 2.0 protected
	// resource (RFC 9728), absolute, http or https. Challenges name it. Nil:
	// the server is not such a resource, and only step_up_required has a
	// challenge.
	ResourceMetadata *string
	// Server is the name of the server. Answers to questions of another server
	// do not count. Empty is an error if the guard has sealing keys and no
	// namespace.
	Server string
}

// Check reports mistakes in the configuration, except in its tools. The error
// joins a [contract.DeclarationError] for each mistake.
func (c Config) Check() error {
	var errs []error
	bad := func(rule, where, message, remedy string) {
		errs = append(errs, &contract.DeclarationError{Rule: rule, Where: where, Message: message, Remedy: remedy})
	}
	if !c.Tier.IsValid() {
		bad("serve.tier", "tier", "the tier is unknown", "use Summary, Full or Hints")
	}
	if !c.Naming.IsValid() {
		bad("serve.names", "names", "the naming is unknown", "use Underscore or Dotted")
	}
	if c.ResourceMetadata != nil && !isResourceMetadata(*c.ResourceMetadata) {
		bad("serve.resourceMetadata", "WithResourceMetadata", "the address is not an absolute http or https address",
			"use one such as https://mail.example.com/.well-known/oauth-protected-resource/mcp")
	}
	return errors.Join(errs...)
}

// A Table has the contracts that servers serve, and their names. It is
// immutable and safe for concurrent use: a server that gets more contracts gets
// another Table, made by [Table.With].
type Table struct {
	*serving
	set        *guard.Toolset
	operations exchange.Operations // of set
	names      names
	listed     func(name string) string // of names, made once
	entries    map[string]*Entry        // by the name that clients call
	barred     map[string]string        // from names that belong to a contract but cannot be called, to the contract
	varies     bool
}

// serving is the state that a table shares with the tables made from it.
type serving struct {
	guard            *guard.Guard
	tier             contract.Tier
	cursors          *cursorSeal
	resourceMetadata string // empty: challenges name none
	server           string
	hostConfirmation bool
	overHTTP         sync.Once // done at the first request with a header
}

// NewTable protects tools with a guard. A nil guard means guard.New with no
// options. Callers that pass a guard close it after their servers have ended.
// The error joins a [contract.DeclarationError] for each mistake.
func NewTable(g *guard.Guard, c Config) (*Table, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	var err error
	if g == nil {
		if g, err = guard.New(); err != nil {
			return nil, err
		}
	}
	set, err := g.Protect(c.Tools...)
	if err != nil {
		return nil, err
	}
	if c.Server == "" && exchange.Of(set).NamesServer() {
		return nil, &contract.DeclarationError{
			Rule: "serve.name", Where: "name", Message: "the server has no name, and other servers may have the sealing keys of its guard",
			Remedy: "give the server a name, or pass guard.WithNamespace to guard.New",
		}
	}
	if c.HostConfirmation && exchange.Of(set).HasApprover() {
		return nil, &contract.DeclarationError{
			Rule: "serve.hostConfirmation", Where: "WithHostConfirmation",
			Message: "the guard has an approver, and the host would ask its user about the same call",
			Remedy:  "leave the option out",
		}
	}
	cursors, err := newCursorSeal()
	if err != nil {
		return nil, err
	}
	s := &serving{guard: g, tier: c.Tier, cursors: cursors, server: c.Server, hostConfirmation: c.HostConfirmation}
	if c.ResourceMetadata != nil {
		s.resourceMetadata = *c.ResourceMetadata
	}
	t := newTable(s, set, newNames(c.Naming, set.Tools(), names{}))
	if err := t.define(set.Tools()); err != nil {
		return nil, err
	}
	return t, nil
}

func newTable(s *serving, set *guard.Toolset, names names) *Table {
	return &Table{
		serving: s, set: set, operations: exchange.Of(set), names: names, listed: names.naming.Listed,
		entries: map[string]*Entry{}, barred: map[string]string{},
	}
}

// With returns a table that also has tools, for servers that get more contracts
// while they serve. A tool replaces the one of the same name. The new table
// keeps the entries of t, except for those of tools that get a different
// contract; see [Table.Since]. t does not change, and its running calls finish
// under it. The error is that of [NewTable].
func (t *Table) With(tools ...*contract.Tool) (*Table, error) {
	set, err := t.set.With(tools...)
	if err != nil {
		return nil, err
	}
	next := newTable(t.serving, set, newNames(t.names.naming, tools, t.names))
	given := map[string]*contract.Tool{}
	for _, tool := range tools {
		given[tool.Name()] = tool
	}
	kept := map[string]bool{}
	for name, e := range t.entries {
		if again := given[e.tool.Name()]; again == nil || again.Digest() == e.tool.Digest() {
			next.entries[name] = e
			kept[e.tool.Name()] = true
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(tools), func(tool *contract.Tool) bool { return kept[tool.Name()] })
	if err := next.define(fresh); err != nil {
		return nil, err
	}
	return next, nil
}

// Without returns a table that lacks the contracts of the given names. Names
// that t does not have are ignored, and so is that of the tool of
// [guard.WithOperations]. t does not change, and its running calls finish under
// it. Callers remove the contracts' entries from their SDK before they serve the
// new table.
func (t *Table) Without(contracts ...string) *Table {
	if own := t.operations.Own(); own != nil {
		contracts = slices.DeleteFunc(slices.Clone(contracts), func(name string) bool { return name == own.Name() })
	}
	next := newTable(t.serving, t.set.Without(contracts...), t.names)
	for name, e := range t.entries {
		if !slices.Contains(contracts, e.tool.Name()) {
			next.entries[name] = e
		}
	}
	for name, of := range t.barred {
		if !slices.Contains(contracts, of) {
			next.barred[name] = of
		}
	}
	next.varies = t.varies
	return next
}

// ForSession returns a table for tools that only one session of a server has. t
// is the server's table: the new one has its guard, tier, naming and
// challenges, and texts that name tools of t use its naming. The adapter must
// check for names that t has too. The error is that of [NewTable].
func (t *Table) ForSession(tools ...*contract.Tool) (*Table, error) {
	part, err := exchange.Part(t.set, tools)
	if err != nil {
		return nil, err
	}
	set := part.(*guard.Toolset) //nolint:forcetypeassert // see [exchange.Protect]
	s := &serving{
		guard: t.guard, tier: t.tier, cursors: t.cursors, resourceMetadata: t.resourceMetadata, server: t.server,
		hostConfirmation: t.hostConfirmation,
	}
	own := newTable(s, set, newNames(t.names.naming, set.Tools(), t.names))
	if err := own.define(set.Tools()); err != nil {
		return nil, err
	}
	return own, nil
}

// define makes the entries of the tools that an agent may see, and bars the
// names of the others.
func (t *Table) define(tools []*contract.Tool) error {
	var errs []error
	docs := make(map[*contract.Tool]contract.Document, len(tools))
	for _, tool := range tools {
		doc := t.operations.Document(tool.Name())
		docs[tool] = doc
		if isForbidden(doc) {
			continue
		}
		entries, err := newEntries(tool, doc, t.tier, t.names)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if t.hostConfirmation {
			hostsConfirm(doc, entries)
		}
		audience := t.operations.Audience(tool.Name())
		for _, e := range entries {
			e.audience = audience
			if other := t.entries[e.name]; other != nil {
				errs = append(errs, collision(other.called, e))
				continue
			}
			t.entries[e.name] = e
		}
	}
	for _, tool := range t.set.Tools() {
		doc, defined := docs[tool]
		if !defined {
			doc = t.operations.Document(tool.Name())
		}
		t.varies = t.varies || !isForbidden(doc) && doc.NeedsPrincipal()
		errs = append(errs, t.bar(doc))
	}
	return errors.Join(errs...)
}

func isForbidden(doc contract.Document) bool { return doc.Risk == risk.Forbidden }

// bar reserves the names of a contract that cannot be called: those of a
// forbidden tool, and the contract's own name if it is listed under another.
func (t *Table) bar(doc contract.Document) error {
	listed := t.names.naming.Listed(doc.Name)
	if e := t.entries[listed]; e != nil && isForbidden(doc) {
		return collision(doc.Name, e)
	}
	for _, name := range []string{listed, doc.Name} {
		if t.entries[name] == nil {
			t.barred[name] = doc.Name
		}
	}
	return nil
}

// BeginDrain starts the guard's drain, unless it has begun, and returns when it
// ends. Calls are still accepted. An adapter that finishes the requests it has
// read before it closes the guard calls BeginDrain first. The guard's Close
// then waits only for the rest of the drain.
func (t *Table) BeginDrain() time.Time { return t.operations.BeginDrain() }

// Guard returns the guard of the tools. It is never nil.
func (t *Table) Guard() *guard.Guard { return t.guard }

// OnlyLocal reports whether the guard uses [LocalUser], which leaves every
// caller that is not Local unauthenticated.
func (t *Table) OnlyLocal() bool { return t.operations.OnlyLocal() }

// Toolset returns the guarded tools, including those that are not listed.
func (t *Table) Toolset() *guard.Toolset { return t.set }

// Naming returns the naming of the configuration.
func (t *Table) Naming() contract.Naming { return t.names.naming }

// Tier returns the tier of the configuration.
func (t *Table) Tier() contract.Tier { return t.tier }

// Entries returns the entry of every name that can be called, sorted by name.
func (t *Table) Entries() []*Entry { return t.Since(nil) }

// Since returns the entries that old does not have, sorted by name. If old is
// nil, it returns all.
func (t *Table) Since(old *Table) []*Entry {
	var entries []*Entry
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		if old == nil || old.entries[name] != t.entries[name] {
			entries = append(entries, t.entries[name])
		}
	}
	return entries
}

// Entry returns the entry of a called name, or nil if the name cannot be
// called.
func (t *Table) Entry(name string) *Entry { return t.entries[name] }

// EntryOf returns the entry that a contract is listed under, by the contract's
// name. It is nil if t does not list the contract.
func (t *Table) EntryOf(contract string) *Entry {
	e := t.entries[t.names.naming.Listed(contract)]
	if e == nil || e.tool.Name() != contract {
		return nil // the name of another contract, or an alias
	}
	return e
}

// Claims reports whether a name belongs to a contract. No tool without a
// contract may be listed or run under it.
func (t *Table) Claims(name string) bool { return t.entries[name] != nil || t.barred[name] != "" }

// Claimed returns every name that belongs to a contract, with the name of that
// contract. Names without an [Entry] are reserved: those of forbidden tools,
// and dotted names of tools that are listed in another form.
func (t *Table) Claimed() map[string]string {
	all := maps.Clone(t.barred)
	for name, e := range t.entries {
		all[name] = e.tool.Name()
	}
	return all
}

// Lists returns a function that reports whether tools/list shows an entry to
// the caller of ctx; see [guard.Toolset.Visible]. Aliases are never listed. The
// entry must be one of t, or of another table of the same guard. Use the
// function for one list only, because the caller's permissions may change. It
// is safe for concurrent use.
func (t *Table) Lists(ctx context.Context) func(e *Entry) bool {
	t.warnOfMemory(ctx)
	sees := t.operations.Sees(ctx)
	return func(e *Entry) bool { return !e.IsAlias() && sees(e.audience) }
}

// Varies reports whether the list depends on the caller. If so, it must not be
// put into a shared cache.
func (t *Table) Varies() bool { return t.varies }

// SealCursor encrypts a cursor of a tools/list, because a cursor can hold the
// name of a tool that is hidden from the caller. Only t and the tables made
// from it by [Table.With] can open it.
func (t *Table) SealCursor(cursor string) string { return t.cursors.seal(cursor) }

// OpenCursor returns the cursor that was sealed. It returns false for any other
// text; the adapter refuses it like a cursor that its SDK cannot read.
func (t *Table) OpenCursor(sealed string) (cursor string, ok bool) { return t.cursors.open(sealed) }
