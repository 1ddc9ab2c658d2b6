package schemadiff

import "github.com/toolcontract/toolcontract/contract/internal/schema"

// protections compares what a schema says of the care that is taken of a value: a protection is there where its keyword
// is true. What is secret is more than sensitive.
func (c *comparer) protections(from, to *normal, at place) {
	protected := func(n *normal, keyword string) bool {
		return n.keys[keyword] == true || keyword == schema.SensitiveKeyword && n.keys[schema.SecretKeyword] == true
	}
	for _, keyword := range schema.ProtectionKeywords() {
		old, now := from.keys[keyword], to.keys[keyword]
		switch had, has := protected(from, keyword), protected(to, keyword); {
		case same(old, now):
		case had && !has:
			c.add(at.to(Exposed, keyword), Reworded, old, now)
		case has && !had:
			c.add(at.to(Protected, keyword), Reworded, old, now)
		default:
			c.add(at.to(Text, keyword), Reworded, old, now)
		}
	}
}
