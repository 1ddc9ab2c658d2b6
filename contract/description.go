package contract

import "strings"

const (
	declaredTitle       declaration[string] = "title"
	declaredDescription declaration[string] = "description"
	declaredCategory    declaration[string] = "category"
)

const ruleDescriptionMissing = "description.missing"

func titleClause() clause {
	return clause{
		members: []string{"title"},
		keys:    tagKeys{"title": textValue(declaredTitle)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredTitle, b.Title) },
		check:   func(c *checker) { c.doc.Title = declaredTitle.of(&c.layer) },
		texts:   func(c *checker) { c.text("title", c.doc.Title) },
	}
}

// Title sets a name for people.
func (b *Builder[In, Out]) Title(title string) *Builder[In, Out] {
	declaredTitle.set(&b.verbs, title)
	return b
}

func descriptionClause() clause {
	return clause{
		members: []string{"description"},
		keys:    tagKeys{"description": textValue(declaredDescription)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredDescription, b.Description) },
		check:   checkDescription,
		texts:   func(c *checker) { c.text("description", c.doc.Description) },
		rules:   []Rule{{ID: ruleDescriptionMissing, Summary: "A tool has a description."}},
	}
}

// Description sets what people and models read about the tool. Every tool needs
// one.
func (b *Builder[In, Out]) Description(text string) *Builder[In, Out] {
	declaredDescription.set(&b.verbs, text)
	return b
}

func checkDescription(c *checker) {
	text, declared := declaredDescription.in(&c.layer)
	c.doc.Description = text
	if strings.TrimSpace(text) == "" {
		c.missing(declared, ruleDescriptionMissing, "description", "the tool has no description", "describe it, for people and models")
	}
}

func categoryClause() clause {
	return clause{
		members: []string{"category"},
		keys:    tagKeys{"category": textValue(declaredCategory)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredCategory, b.Category) },
		check:   func(c *checker) { c.doc.Category = declaredCategory.of(&c.layer) },
		texts:   func(c *checker) { c.text("category", c.doc.Category) },
	}
}

// Category sets a domain to filter by, such as "communication".
func (b *Builder[In, Out]) Category(category string) *Builder[In, Out] {
	declaredCategory.set(&b.verbs, category)
	return b
}
