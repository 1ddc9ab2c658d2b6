package defaults

import "github.com/toolcontract/toolcontract/internal/schema/tree"

// A condition is a keyword that checks the values of a schema.
type condition struct {
	schema  *tree.Node
	keyword string
	sure    bool // every value must fit, so a value may become valid but not invalid
}

// conditions returns the keywords that check the values of n: those of its
// links, and those of each schema they apply in place.
func (c *checker) conditions(n *tree.Node) []condition {
	var all []condition
	var others []*tree.Node
	for link := range c.links(n) {
		for _, keyword := range link.Names() {
			all = append(all, condition{link, keyword, true})
		}
		skipped, to := onward(link)
		for e := range link.Edges() {
			if tree.AppliesInPlace(e.Keyword) && (e.Keyword != skipped || to == nil) {
				others = append(others, e.To)
			}
		}
	}
	for _, other := range tree.InPlace(others, tree.Everything) {
		for _, keyword := range other.Names() {
			all = append(all, condition{other, keyword, false})
		}
	}
	c.spend(len(all))
	return all
}

// notices reports whether a condition may reach a different verdict on a value
// once the member or items at a step of link are filled: when they get defaults
// of their own or, if isNew, when the member gets its default.
func (c *checker) notices(by condition, link *tree.Node, at tree.Step, isNew bool) bool {
	isItem, isNamed := at.Keyword == "items", at.Keyword == "properties"
	isOwn := by.sure && by.schema == link // applies no other schema to the members it declares itself
	switch by.keyword {
	case "enum", "const":
		return true
	case "maxProperties", "propertyNames":
		return isNew
	case "minProperties":
		return isNew && !by.sure
	case "required":
		return isNew && !by.sure && c.spend(len(by.schema.List(by.keyword))) && by.schema.Requires(at.Name)
	case "dependentRequired":
		dependent, _ := by.schema.Value(by.keyword).(map[string]any)
		return isNew && (!by.sure || dependent[at.Name] != nil)
	case "dependentSchemas":
		return isNew && by.schema.Child(by.keyword, at.Name) != nil
	case "properties":
		return !isOwn && !isItem && (!isNamed || by.schema.Child(by.keyword, at.Name) != nil)
	case "patternProperties":
		return !isItem
	case "additionalProperties", "unevaluatedProperties":
		return !isOwn && !isItem
	case "items", "prefixItems", "unevaluatedItems":
		return !isOwn && isItem
	case "contains", "uniqueItems", "x-toolcontract-uniqueItems":
		return isItem
	default: // annotations, types, keywords that check no object or array, those that apply the schemas of other conditions
		return false
	}
}
