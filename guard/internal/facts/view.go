package facts

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/store"
)

// A View is what every stage may know about a call. The call itself stays in
// package engine. A stage reads the View and changes nothing in it but the
// journal.
type View struct {
	Tool      *ProtectedTool
	Doc       *contract.Document // the clauses of this call: the tool's contract, or a weaker resolution
	Principal *contract.Principal
	Scope     store.Scope      // of the call's keys
	Args      *bound.Arguments // nil before they were read
	Journal   *recorder.Journal
}
