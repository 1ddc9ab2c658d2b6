package payouts

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// An Account is the result of account.read.
type Account struct {
	AccountID    string `json:"accountId"`
	BalanceMinor int64  `json:"balanceMinor" jsonschema_description:"In cents."`
	Currency     string `json:"currency"`
}

func (d *Desk) readAccount(context.Context, struct{}) (Account, error) {
	return Account{AccountID: "acc_1", BalanceMinor: d.Balance(), Currency: currency}, nil
}

func (d *Desk) accountRead() (*contract.Tool, error) {
	return contract.New("account.read", d.readAccount).
		Title("Read account").
		Description("Returns the balance of the account from which payouts are made.").
		Version("1.0.0").
		Category("payments").
		Effect(risk.ReadOnly).
		Trust(trust.Sensitive). // the balance is confidential
		Permissions("account:read").
		Build()
}
