// Package prose checks the language of the project: the words and sentence
// forms that its readers would have to translate first.
//
// The test of this package reads the comments and the texts of every Go file,
// the names of its tests, and every Markdown page. CONTRIBUTING.md has the
// rules in words.
package prose
