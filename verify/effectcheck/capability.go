package effectcheck

// A Capability is one kind of thing that a function can do outside its own
// memory. Its text is stable, and snapshots record it:
//
//	FILES/READ      read files or folders
//	FILES/WRITE     create, change or delete files or folders
//	FILES           open a file with flags that the source does not show
//	NETWORK/READ    send a GET, HEAD or OPTIONS
//	NETWORK/POST    send a POST, which can query or change
//	NETWORK/WRITE   send a PUT, PATCH or DELETE
//	NETWORK         connect in another way, or with a method that is not shown
//	DATABASE/READ   run a SQL statement that certainly only reads
//	DATABASE/WRITE  run a SQL statement that changes data or tables
//	DATABASE        use a database in another way, or with a hidden statement
//	EXEC            start another program
//	REFLECT         call a function that only reflection knows
//	UNRESOLVED      call an interface or a function variable for which the
//	                loaded packages have no value; WithPackages loads more
//	SAFE            nothing; only for WithFunction, never in a report
//
// Others have the names that capslock gives them, such as READ_SYSTEM_STATE.
type Capability string

const (
	filesRead      Capability = "FILES/READ"
	filesWrite     Capability = "FILES/WRITE"
	filesAny       Capability = "FILES"
	networkRead    Capability = "NETWORK/READ"
	networkPost    Capability = "NETWORK/POST"
	networkWrite   Capability = "NETWORK/WRITE"
	networkAny     Capability = "NETWORK"
	databaseRead   Capability = "DATABASE/READ"
	databaseWrite  Capability = "DATABASE/WRITE"
	databaseAny    Capability = "DATABASE"
	execProgram    Capability = "EXEC"
	reflectCall    Capability = "REFLECT"
	unresolvedCall Capability = "UNRESOLVED"
	safeCall       Capability = "SAFE"
)

// A kind is what a capability means for a contract.
type kind int

const (
	reads  kind = iota // it changes nothing
	writes             // it changes something
	either             // the source does not show which
)

// kind returns what c means. A capslock capability that is not listed can be
// anything.
func (c Capability) kind() kind {
	switch c {
	case filesRead, networkRead, databaseRead, safeCall, "READ_SYSTEM_STATE", "MODIFY_SYSTEM_STATE/LOGGING":
		return reads
	case filesWrite, networkWrite, databaseWrite, "MODIFY_SYSTEM_STATE/ENV", "MODIFY_SYSTEM_STATE/CHDIR":
		return writes
	default:
		return either
	}
}

// staysInside reports whether c cannot reach another system. A database counts
// as part of the system.
func (c Capability) staysInside() bool {
	switch c {
	case filesAny, filesWrite, databaseAny, databaseWrite:
		return true
	default:
		return c.kind() == reads || c == "MODIFY_SYSTEM_STATE/ENV" || c == "MODIFY_SYSTEM_STATE/CHDIR"
	}
}

var phrases = map[Capability]string{
	filesRead:      "read files",
	filesWrite:     "write files",
	filesAny:       "open a file with flags that the source does not show",
	networkRead:    "send a GET, HEAD or OPTIONS",
	networkPost:    "send a POST, by which a client can query and change",
	networkWrite:   "send a PUT, PATCH or DELETE",
	networkAny:     "use the network in a way that the source does not show",
	databaseRead:   "read a database",
	databaseWrite:  "change a database",
	databaseAny:    "run a statement that the source does not show",
	execProgram:    "start another program",
	reflectCall:    "call a function by reflection",
	unresolvedCall: "call a function of which the loaded packages have no value",
}

// phrase returns c as the end of a sentence "the handler can …".
func (c Capability) phrase() string {
	if phrase, ok := phrases[c]; ok {
		return phrase
	}
	return "use the capability " + string(c)
}
