package billing

import (
	"context"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var errNoExport = errors.New("billing: the example exports nothing")

// exportAll stands for a function that operators may use and that agents must
// not even find.
func exportAll(context.Context, struct{}) (string, error) { return "", errNoExport }

func dataExportAll() contract.Buildable {
	return contract.New("data.export_all", exportAll).
		From(defaults()).
		Title("Export everything").
		Description("Writes the books of all accounts to a file.").
		Risk(risk.Forbidden).
		Effect(risk.ReadOnly).
		Trust(trust.Sensitive).
		Permissions("data:export")
}
