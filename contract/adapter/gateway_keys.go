package adapter

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/gatewaykeys"
)

// HasGatewayKeys reports whether the transport of the adapter writes
// [Table.GatewayKeys] into the list; see [Config].
func (t *Table) HasGatewayKeys() bool { return t.gatewayKeys }

// GatewayKeys returns the annotation keys of the tool that is listed under a
// name. It reports false for any other name, also for an alias. It is a
// [gatewaykeys.Lookup] for the transport of the adapter:
//
//	h = gatewaykeys.Handler(h, t.GatewayKeys)
//
// The aliases are written in the naming of the table. The list in the keys must
// not be changed.
func (t *Table) GatewayKeys(name string) (gatewaykeys.Keys, bool) {
	e := t.entries[name]
	if e == nil || e.IsAlias() {
		return gatewaykeys.Keys{}, false
	}
	return e.keys, true
}

// gatewayKeys returns the keys of a contract with aliases as they are listed.
func gatewayKeys(doc contract.Document, naming contract.Naming) gatewaykeys.Keys {
	keys := gatewaykeys.Of(doc)
	for i, alias := range keys.Aliases {
		keys.Aliases[i] = naming.Listed(alias)
	}
	return keys
}
