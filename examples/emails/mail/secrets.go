package mail

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var errNoKey = errors.New("mail: the example has no private key")

// readPrivateKey stands for a function that operators may use and that agents
// must not even find.
func readPrivateKey(context.Context, struct{}) (string, error) { return "", errNoKey }

func secretsReadPrivateKey() (*contract.Tool, error) {
	return contract.New("secrets.read_private_key", readPrivateKey).
		Description("Reads the key that signs outgoing mail.").
		Version("1.0.0").
		Category("secrets").
		Risk(risk.Forbidden).
		Effect(risk.ReadOnly).
		Trust(trust.Sensitive).
		Reads(contract.PrivateData).
		Permissions("secrets:read").
		Build()
}
