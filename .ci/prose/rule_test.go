package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRules_EachFindsItsBadExampleAndNotItsGoodOne(t *testing.T) {
	t.Parallel()
	for _, r := range rules() {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			names := func(text string) []string {
				var all []string
				for _, f := range check([]passage{{Words: text}}) {
					all = append(all, f.Rule)
				}
				return all
			}
			assert.Contains(t, names(r.Bad), r.Name)
			assert.NotContains(t, names(r.Good), r.Name)
		})
	}
}
