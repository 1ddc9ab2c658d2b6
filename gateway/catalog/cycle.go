package catalog

import "time"

// A Cycle is the result of one [Catalog.Refresh]. It is a plain value that
// callers must not change. The zero value is the cycle of a catalogue that was
// never refreshed.
type Cycle struct {
	// Number counts the cycles from 1, across restarts if there is a state
	// file.
	Number int64 `json:"cycle"`
	// Time is when the cycle ended.
	Time time.Time `json:"time"`
	// Servers has every source, sorted by name.
	Servers []Server `json:"servers"`
	// Entries has every listed tool, sorted by name. Tools that are gone have
	// no entry; Changes names them.
	Entries []Entry `json:"entries"`
	// Changes are the differences from the previous cycle, sorted by tool.
	Changes []Change `json:"changes,omitempty"`
}

// A Server is the result of listing one [Source].
type Server struct {
	// Name is the name of the source.
	Name string `json:"name"`
	// Tools is the number of its entries.
	Tools int `json:"tools"`
	// Stale is true if the server could not be listed in this cycle. Its
	// entries are then those of the last cycle that listed it.
	Stale bool `json:"stale,omitempty"`
	// Problems are the problems with the server or its list. Empty: there are
	// none.
	Problems []Problem `json:"problems,omitempty"`
}

// A Row is one fact of one tool in one cycle, for logs and programs.
type Row struct {
	// Cycle is [Cycle.Number].
	Cycle int64 `json:"cycle"`
	// Tool is [Entry.Name]; the other fields are those of the [Fact].
	Tool      string `json:"tool"`
	Fact      string `json:"fact"`
	Declared  string `json:"declared"`
	Effective string `json:"effective"`
	Origin    string `json:"origin"`
	Flag      Flag   `json:"flag"`
}

// Entry returns the entry with the name, and false if there is none.
func (c Cycle) Entry(name string) (Entry, bool) {
	for _, e := range c.Entries {
		if e.Name == name {
			return e, true
		}
	}
	return Entry{}, false
}

// Rows returns every fact of every tool, in the order of Entries and their
// facts.
func (c Cycle) Rows() []Row {
	var rows []Row
	for _, e := range c.Entries {
		for _, f := range e.Facts {
			rows = append(rows, Row{
				Cycle: c.Number, Tool: e.Name, Fact: f.Name, Declared: f.Declared, Effective: f.Effective, Origin: f.Origin, Flag: f.Flag,
			})
		}
	}
	return rows
}
