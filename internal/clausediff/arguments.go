package clausediff

import "github.com/toolcontract/toolcontract/contract"

func argumentClauses() []clause {
	return []clause{
		func(d *differ) {
			d.set("/lenient", leniencies(d.old.Lenient), leniencies(d.now.Lenient), "lenient.added", "lenient.removed")
		},
	}
}

func leniencies(forms []contract.Leniency) []string {
	var all []string
	for _, form := range forms {
		all = append(all, form.String())
	}
	return all
}
