package spreadsheet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/adoption/spreadsheet"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

const file = "/books/budget.xlsx"

func start(t *testing.T) (*drive.Client, *spreadsheet.Workbooks) {
	t.Helper()
	g, _ := drive.Guard(t, "sheets:read", "sheets:write")
	books := &spreadsheet.Workbooks{}
	books.Add(file, "Q1", []string{"rent", "900"})
	s, report, err := spreadsheet.New(g, books)
	require.NoError(t, err)
	assert.Len(t, report.Tools, 6)
	contracttest.Check(t, mcpgo.ToolsOf(s)...)
	return drive.Connect(t, s), books
}

func TestRead_ReturnsDelimitedData(t *testing.T) {
	c, _ := start(t)
	text, outcome := c.Call("excel_read_sheet", map[string]any{"fileAbsolutePath": file, "sheetName": "Q1"})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "<td>rent</td>")
}

// The server's error result says what was wrong, so a model can call again.
func TestRead_OfAMissingSheetSaysSo(t *testing.T) {
	c, _ := start(t)
	text, outcome := c.Call("excel_read_sheet", map[string]any{"fileAbsolutePath": file, "sheetName": "Q2"})
	assert.Equal(t, contract.ClassRetryable, outcome.Class)
	assert.Contains(t, text, "sheet not found: Q2")
}

// A Go error was not written for callers.
func TestRead_OfAMissingFileIsMasked(t *testing.T) {
	c, _ := start(t)
	text, outcome := c.Call("excel_read_sheet", map[string]any{"fileAbsolutePath": "/books/other.xlsx", "sheetName": "Q1"})
	assert.Equal(t, contract.CodeInternalError, outcome.Code)
	assert.NotContains(t, text, "other.xlsx")
}

// A failed write may have changed something. A corrected call runs, but the
// same call does not run a second time.
func TestWrite_CanBeCorrectedAndIsNotRepeated(t *testing.T) {
	c, books := start(t)
	write := func(values ...any) map[string]any {
		return map[string]any{
			"fileAbsolutePath": file, "sheetName": "Q1", "newSheet": false, "range": "A2:B2", "values": []any{values},
		}
	}
	text, outcome := c.CallKeyed("k1", "excel_write_to_sheet", write("food"))
	assert.Equal(t, contract.ClassRetryable, outcome.Class)
	assert.Contains(t, text, "number of columns in row 0 (1) does not match range size (2)")

	_, outcome = c.CallKeyed("k1", "excel_write_to_sheet", write("food"))
	assert.Equal(t, contract.CodeOutcomeUnknown, outcome.Code)

	_, outcome = c.CallKeyed("k2", "excel_write_to_sheet", write("food", 300))
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Equal(t, "300", books.Cell(file, "Q1", "B2"))
}
