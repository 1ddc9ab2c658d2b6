package effectcheck

import (
	"regexp"
	"slices"
	"strings"
)

var (
	sqlReads  = strings.Fields("SELECT SHOW EXPLAIN DESCRIBE VALUES TABLE")
	sqlWrites = strings.Fields(`INSERT UPDATE DELETE REPLACE MERGE UPSERT CREATE DROP ALTER TRUNCATE GRANT REVOKE COPY
		VACUUM`)
	// sqlActs are words with an effect that can occur in a statement that
	// begins as a read.
	sqlActs = strings.Fields("INTO CALL DO EXEC EXECUTE SET LOCK LOAD ATTACH PRAGMA")
	// sqlBefore are words that can precede a parenthesis but are not functions.
	sqlBefore = strings.Fields(`ALL AND ANY AS BETWEEN BY CASE CHAR DECIMAL DISTINCT ELSE EXCEPT EXISTS FILTER FROM HAVING
		IN INTERSECT IS JOIN LATERAL LIKE LIMIT NOT NUMERIC OFFSET ON OR OVER SELECT SOME THEN UNION USING VALUES VARCHAR
		WHEN WHERE`)
	// sqlPure are functions that read only their arguments and the time.
	sqlPure = strings.Fields(`ABS ARRAY_AGG AVG BM25 CAST CEIL CEILING CHAR_LENGTH COALESCE CONCAT CONCAT_WS COUNT CUME_DIST
		DATE DATETIME DATE_PART DATE_TRUNC DENSE_RANK EXTRACT FIRST_VALUE FLOOR GREATEST GROUP_CONCAT HEX HIGHLIGHT IFNULL
		IIF INSTR JSONB_AGG JSON_AGG JSON_ARRAY JSON_EACH JSON_EXTRACT JSON_OBJECT JULIANDAY LAG LAST_VALUE LEAD LEAST LEFT
		LENGTH LOWER LPAD LTRIM MAX MIN MOD NOW NTILE NULLIF PERCENT_RANK POSITION POWER RANK RIGHT ROUND ROW_NUMBER RPAD
		RTRIM SIGN SNIPPET SQRT STRFTIME STRING_AGG STRPOS SUBSTR SUBSTRING SUM TIME TO_CHAR TO_DATE TO_TIMESTAMP TOTAL
		TRIM TYPEOF UNIXEPOCH UNNEST UPPER`)

	// sqlToken matches a space or comment, a quoted string or name, a word, a
	// parameter, or one other character. It matches nothing that databases read
	// in different ways: a backslash in quotes, a hash, a dollar quote, two
	// hyphens without a space, and a comment with another one or with a hint
	// inside.
	sqlToken = regexp.MustCompile(`^(?:(\s+|--(?:[ \t].*)?(?:\n|$)|/\*(?:[^!+*/][^*/]*)?\*/)` +
		`|('(?:[^'\\]|'')*'|"(?:[^"\\]|"")*"|` + "`[^`\\\\]*`" + `)` +
		`|([\pL_][\pL\pN_]*)|(\$[0-9]+|:=|[0-9.]+|[^'"\\#$/` + "`" + `-]))`)
)

// sqlTokens returns a statement's tokens: words in upper case, quotes in place
// of what they enclose, and other characters. ok reports whether every database
// reads them that way.
func sqlTokens(statement string) (tokens []string, ok bool) {
	for statement != "" {
		m := sqlToken.FindStringSubmatch(statement)
		switch {
		case m == nil && (strings.HasPrefix(statement, "-") && !strings.HasPrefix(statement, "--") ||
			strings.HasPrefix(statement, "/") && !strings.HasPrefix(statement, "/*")):
			tokens = append(tokens, statement[:1])
			statement = statement[1:]
			continue
		case m == nil:
			return tokens, false
		case m[1] != "": // a space
		case m[2] != "":
			tokens = append(tokens, "''")
		default:
			tokens = append(tokens, strings.ToUpper(m[3]+m[4]))
		}
		statement = statement[len(m[0]):]
	}
	return tokens, true
}

// statementCapability classifies a statement. Without whole, it has only the
// beginning. A statement is a read only if that is certain on any database: it
// is a single statement, it is whole, and its functions are pure.
func statementCapability(statement string, whole bool) Capability {
	tokens, ok := sqlTokens(statement)
	switch {
	case len(tokens) > 0 && slices.Contains(sqlWrites, tokens[0]):
		return databaseWrite
	case len(tokens) > 0 && slices.Contains(sqlReads, tokens[0]) && ok && whole && isRead(tokens):
		return databaseRead
	default:
		return databaseAny
	}
}

// isRead reports whether a statement that begins as a read does nothing else.
func isRead(tokens []string) bool {
	for i, token := range tokens {
		before, next := "", ""
		if i > 0 {
			before = tokens[i-1]
		}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch {
		case token == ";" && next != "", token == ":=":
			return false
		case next == "(" && (slices.Contains(sqlBefore, token) || slices.Contains(sqlPure, token) && before != "."):
		case next == "(" && sqlName.MatchString(token):
			return false
		case slices.Contains(sqlWrites, token) || slices.Contains(sqlActs, token):
			return false
		}
	}
	return true
}

var sqlName = regexp.MustCompile(`^['\pL_]`)
