package effectcheck

// A Capability is one kind of thing that a function can do outside its own
// memory. Its text is stable, and snapshots record it. Capabilities without a
// constant here have the names that capslock gives them, such as
// "READ_SYSTEM_STATE".
type Capability string

const (
	// FilesRead reads files or folders.
	FilesRead Capability = "FILES/READ"
	// FilesWrite creates, changes or deletes files or folders.
	FilesWrite Capability = "FILES/WRITE"
	// Files opens a file with flags that the source does not show.
	Files Capability = "FILES"
	// NetworkRead sends HTTP requests that only read: GET, HEAD or OPTIONS.
	NetworkRead Capability = "NETWORK/READ"
	// NetworkPost sends a POST, by which a client can query and change.
	NetworkPost Capability = "NETWORK/POST"
	// NetworkWrite sends a PUT, PATCH or DELETE.
	NetworkWrite Capability = "NETWORK/WRITE"
	// Network connects in another way, or by a method that the source does not
	// show.
	Network Capability = "NETWORK"
	// DatabaseRead runs a SQL statement that reads.
	DatabaseRead Capability = "DATABASE/READ"
	// DatabaseWrite runs a SQL statement that changes data or tables.
	DatabaseWrite Capability = "DATABASE/WRITE"
	// Database uses a database in another way, or by a statement that the
	// source does not show.
	Database Capability = "DATABASE"
	// Exec starts another program.
	Exec Capability = "EXEC"
	// Reflect calls a function that only reflection knows.
	Reflect Capability = "REFLECT"
	// Unresolved calls an interface or a function variable for which the loaded
	// packages have no value. [WithPackages] loads more.
	Unresolved Capability = "UNRESOLVED"
	// Safe has no effect. It is never in a report. [WithFunction] can declare a
	// function safe.
	Safe Capability = "SAFE"
)

// kind is what a capability means for a contract.
type kind int

const (
	reads  kind = iota // it changes nothing
	writes             // it changes something
	either             // the source does not show which
)

// kind returns what c means. A capability of capslock that is not listed can
// be anything.
func (c Capability) kind() kind {
	switch c {
	case FilesRead, NetworkRead, DatabaseRead, Safe, "READ_SYSTEM_STATE", "MODIFY_SYSTEM_STATE/LOGGING":
		return reads
	case FilesWrite, NetworkWrite, DatabaseWrite, "MODIFY_SYSTEM_STATE/ENV", "MODIFY_SYSTEM_STATE/CHDIR":
		return writes
	}
	return either
}

// staysInside reports whether c cannot reach another system. A database counts
// as a part of the system.
func (c Capability) staysInside() bool {
	switch c {
	case Files, FilesWrite, Database, DatabaseWrite:
		return true
	}
	return c.kind() == reads || c == "MODIFY_SYSTEM_STATE/ENV" || c == "MODIFY_SYSTEM_STATE/CHDIR"
}

var phrases = map[Capability]string{
	FilesRead:     "read files",
	FilesWrite:    "write files",
	Files:         "open a file with flags that the source does not show",
	NetworkRead:   "send a GET, HEAD or OPTIONS",
	NetworkPost:   "send a POST, by which a client can query and change",
	NetworkWrite:  "send a PUT, PATCH or DELETE",
	Network:       "use the network in a way that the source does not show",
	DatabaseRead:  "read a database",
	DatabaseWrite: "change a database",
	Database:      "run a statement that the source does not show",
	Exec:          "start another program",
	Reflect:       "call a function by reflection",
	Unresolved:    "call a function of which the loaded packages have no value",
}

// phrase returns c as the end of "the handler can …".
func (c Capability) phrase() string {
	if phrase, ok := phrases[c]; ok {
		return phrase
	}
	return "use the capability " + string(c)
}
