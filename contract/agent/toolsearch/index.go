package toolsearch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"

	_ "modernc.org/sqlite" // the driver sqlite, with FTS5

	"github.com/toolcontract/toolcontract/contract/agent"
)

// The bounds of a search.
const (
	defaultLimit = 10
	maxLimit     = 100
	maxWords     = 32
	prefixFrom   = 4 // letters of a word that also finds longer words
)

// An Index finds tools by words. [New] makes one. It is safe for concurrent
// use.
type Index struct {
	db    *sql.DB
	tools map[string]agent.Tool
}

var _ agent.Finder = (*Index)(nil)

// New returns an index of tools: of their names, titles, descriptions, effects
// and arguments. It leaves out the tools that an agent refuses to call. The
// caller must close it. Two tools of one name are an error.
func New(tools []agent.Tool) (_ *Index, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("toolsearch: open the index: %w", err)
	}
	// The database in memory belongs to its connection.
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	i := &Index{db: db, tools: make(map[string]agent.Tool, len(tools))}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	for _, t := range tools {
		if _, twice := i.tools[t.Name]; twice {
			return nil, fmt.Errorf("toolsearch: two tools have the name %s; index the tools of each server by themselves", t.Name)
		}
		i.tools[t.Name] = t
	}
	return i, i.fill(tools)
}

// fill writes the texts of the tools.
func (i *Index) fill(tools []agent.Tool) error {
	ctx := context.Background()
	if _, err := i.db.ExecContext(ctx, `CREATE VIRTUAL TABLE tools USING fts5(key UNINDEXED, name, title, description, effects, arguments, tokenize = 'porter unicode61 remove_diacritics 2')`); err != nil {
		return fmt.Errorf("toolsearch: make the index: %w", err)
	}
	tx, err := i.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("toolsearch: fill the index: %w", err)
	}
	for _, t := range tools {
		if t.Refusal != "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO tools VALUES (?, ?, ?, ?, ?, ?)`,
			t.Name, words(t.Name+" "+t.Contract.Name), t.Contract.Title, t.Contract.Description, effects(t.Contract), arguments(t.Contract.InputSchema)); err != nil {
			return errors.Join(fmt.Errorf("toolsearch: index the tool %s: %w", t.Name, err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("toolsearch: fill the index: %w", err)
	}
	return nil
}

// Close frees the index.
func (i *Index) Close() error { return i.db.Close() }

// Find returns the tools that match any word of a query, the best first, by
// BM25. A word in the name counts most, then one in the title. Tools that match
// alike are sorted by name. The order of equal calls is the same.
//
// The query is plain text: nothing in it has a special meaning. A limit of zero
// or less means 10, and the highest is 100. A query without words finds
// nothing.
func (i *Index) Find(ctx context.Context, query string, limit int) ([]agent.Tool, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	match := matchOf(query)
	if match == "" {
		return nil, nil
	}
	if limit <= 0 {
		limit = defaultLimit
	}
	// An interrupted query could end the connection, and the index with it.
	rows, err := i.db.QueryContext(context.WithoutCancel(ctx),
		`SELECT key FROM tools WHERE tools MATCH ? ORDER BY bm25(tools, 0, 8, 4, 2, 2, 1), key LIMIT ?`, match, min(limit, maxLimit))
	if err != nil {
		return nil, fmt.Errorf("toolsearch: search: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err reports what went wrong
	var found []agent.Tool
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("toolsearch: search: %w", err)
		}
		found = append(found, i.tools[name])
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("toolsearch: search: %w", err)
	}
	return found, nil
}

// matchOf returns the query of FTS5 for plain text. Every word is quoted, so
// that none is an operator. A word that is not short also finds words that
// begin with it.
func matchOf(query string) string {
	var terms []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(words(query)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if seen[w] {
			continue
		}
		seen[w] = true
		terms = append(terms, `"`+w+`"`)
		if len(w) >= prefixFrom {
			terms = append(terms, `"`+w+`"*`)
		}
		if len(seen) == maxWords {
			break
		}
	}
	return strings.Join(terms, " OR ")
}
