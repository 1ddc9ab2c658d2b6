package contract

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/trust"
)

// texts holds what people and models read to the form in which it reaches
// them: a published contract hides nothing and drives no terminal.
func (c *checker) texts() {
	d := &c.doc
	c.text("title", d.Title)
	c.text("description", d.Description)
	c.text("category", d.Category)
	c.dataTexts("metadata", d.Metadata)
	if d.Deprecated != nil {
		c.text("deprecated/note", d.Deprecated.Note)
	}
	c.text("confirmationReason", d.ConfirmationReason)
	if d.StepUp != nil {
		c.text("stepUp/when", d.StepUp.When)
	}
	c.text("noPermissions", d.NoPermissions)
	for i, s := range d.SideEffects {
		clause := fmt.Sprintf("sideEffects/%d/", i)
		c.text(clause+"description", s.Description)
		c.text(clause+"onRepeat", s.OnRepeat)
		c.text(clause+"affects", s.Affects)
	}
	for i, f := range c.facts.failures.value {
		if f != nil {
			c.text(fmt.Sprintf("failureModes/%d/description", i), f.description)
		}
	}
}

func (c *checker) text(clause, text string) bool {
	if _, removed := trust.Sanitize(text); removed == 0 {
		return true
	}
	c.bad(ruleTextForm, clause, "the text is not valid UTF-8, or has characters that hide, reorder it or drive a terminal", "write it without them, as trust.Sanitize returns it")
	return false
}

// dataTexts looks at every name and text of plain data, and reports the first
// that will not do.
func (c *checker) dataTexts(clause string, tree any) bool {
	switch v := tree.(type) {
	case string:
		return c.text(clause, v)
	case []any:
		for _, item := range v {
			if !c.dataTexts(clause, item) {
				return false
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !c.text(clause, name) || !c.dataTexts(clause, v[name]) {
				return false
			}
		}
	}
	return true
}
