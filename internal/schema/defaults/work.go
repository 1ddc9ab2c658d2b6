package defaults

import (
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// maxWork bounds the work of checking the defaults of one document, in schemas
// and values that the check visits. Most documents take a few visits for each
// of their schemas. A hostile one, such as that of a server behind a gateway,
// could take the cube of that.
const maxWork = 2_000_000

// spend subtracts n from the work that is left and reports whether there was
// enough. If there was not, the document counts as [Unchecked].
func (c *checker) spend(n int) bool {
	c.work -= n
	return !c.isSpent()
}

func (c *checker) isSpent() bool { return c.work < 0 }

// spendPlans spends the work of making the plans of all schemas.
func (c *checker) spendPlans() bool {
	if c.planning == 0 {
		for _, n := range c.document.All {
			for _, link := range chain(n) {
				c.planning += 1 + link.Degree()
			}
			if c.planning > maxWork {
				break
			}
		}
	}
	return c.spend(c.planning)
}

// spendValue spends the work of copying a value.
func (c *checker) spendValue(value any) bool { return c.spend(strictjson.Count(value)) }

// refuses calls refusal and spends the work. It returns "" if there is not
// enough.
func (c *checker) refuses(n *tree.Node, value any) string {
	if !c.spendValue(value) || !c.spend(c.together(n).edges) {
		return ""
	}
	return c.refusal(n, value)
}
