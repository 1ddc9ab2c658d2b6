// Package toolsearch finds tools by words, in lists that are too long for a
// model to read.
//
//	index, err := toolsearch.New(a.Tools())
//	if err != nil {
//		return err
//	}
//	defer index.Close()
//	found, err := index.Find(ctx, "take an invoice back", 5)
//
// Give an [Index] to agent.Task, and the model searches by itself.
//
// The index is an FTS5 table of SQLite in memory. It adds some 6 MB to a
// program, so it is a package of its own.
//
// # Deviations and limits
//
// Words are stemmed as English words. Scripts that do not separate words, such
// as Chinese, are found only by whole runs of characters.
//
// The package is experimental until v1.
package toolsearch
