package spreadsheet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Workbooks holds the server's files by absolute path.
type Workbooks struct {
	mu    sync.Mutex
	files map[string]map[string]sheet
}

// A sheet maps the names of cells, such as B2, to their texts.
type sheet map[string]string

// Add adds a file with one sheet that begins with the given rows.
func (w *Workbooks) Add(file, name string, rows ...[]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := sheet{}
	for y, row := range rows {
		for x, value := range row {
			s[cell(x, y)] = value
		}
	}
	if w.files == nil {
		w.files = map[string]map[string]sheet{}
	}
	w.files[file] = map[string]sheet{name: s}
}

// Cell returns the text of a cell.
func (w *Workbooks) Cell(file, name, cell string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.files[file][name][cell]
}

// newUpstream returns the server without contracts. Its tools, their schemas
// and its error texts are those of the server it stands in for.
func newUpstream(w *Workbooks) *server.MCPServer {
	s := server.NewMCPServer("excel-mcp-server", "0.12.0")
	file := mcp.WithString("fileAbsolutePath", mcp.Required(), mcp.Description("Absolute path to the Excel file"))
	name := mcp.WithString("sheetName", mcp.Required(), mcp.Description("Sheet name in the Excel file"))
	cells := mcp.WithString("range", mcp.Required(), mcp.Description(`Range of cells in the Excel sheet (e.g., "A1:C10")`))
	scalar := map[string]any{"anyOf": []any{
		map[string]any{"type": "string"}, map[string]any{"type": "number"},
		map[string]any{"type": "boolean"}, map[string]any{"type": "null"},
	}}
	add := func(tool string, description string, handle func(*Workbooks, request) (string, error), options ...mcp.ToolOption) {
		options = append([]mcp.ToolOption{mcp.WithDescription(description), file}, options...)
		s.AddTool(mcp.NewTool(tool, options...), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			text, err := handle(w, request{r})
			if bad := (badArgument)(""); errors.As(err, &bad) {
				return mcp.NewToolResultError("Invalid argument: " + string(bad)), nil
			}
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(text), nil
		})
	}
	add("excel_describe_sheets", "List all sheet information of specified Excel file", (*Workbooks).describe)
	add("excel_read_sheet", "Read values from Excel sheet with pagination.", (*Workbooks).read, name,
		mcp.WithString("range", mcp.Description(`Range of cells to read in the Excel sheet (e.g., "A1:C10"). [default: first paging range]`)),
		mcp.WithBoolean("showFormula", mcp.Description("Show formula instead of value")),
		mcp.WithBoolean("showStyle", mcp.Description("Show style information for cells")))
	add("excel_write_to_sheet", "Write values to the Excel sheet", (*Workbooks).write, name,
		mcp.WithBoolean("newSheet", mcp.Required(),
			mcp.Description("Create a new sheet if true, otherwise write to the existing sheet")), cells,
		mcp.WithArray("values", mcp.Required(),
			mcp.Description(`Values to write to the Excel sheet. If the value is a formula, it should start with "="`),
			mcp.Items(map[string]any{"type": "array", "items": scalar})))
	add("excel_create_table", "Create a table in the Excel sheet", (*Workbooks).onSheet,
		mcp.WithString("sheetName", mcp.Required(), mcp.Description("Sheet name where the table is created")),
		mcp.WithString("range", mcp.Description(`Range to be a table (e.g., "A1:C10")`)),
		mcp.WithString("tableName", mcp.Required(), mcp.Description("Table name to be created")))
	add("excel_copy_sheet", "Copy existing sheet to a new sheet", (*Workbooks).copy,
		mcp.WithString("srcSheetName", mcp.Required(), mcp.Description("Source sheet name in the Excel file")),
		mcp.WithString("dstSheetName", mcp.Required(), mcp.Description("Sheet name to be copied")))
	add("excel_format_range", "Format cells in the Excel sheet with style information", (*Workbooks).onSheet, name, cells,
		mcp.WithArray("styles", mcp.Required(), mcp.Description("2D array of style objects for each cell."),
			mcp.Items(map[string]any{"type": "array", "items": map[string]any{
				"anyOf": []any{map[string]any{"type": "object"}, map[string]any{"type": "null"}},
			}})))
	return s
}

// A badArgument becomes an error result. Any other error of a handler becomes a
// protocol error.
type badArgument string

func (b badArgument) Error() string { return string(b) }

type request struct{ mcp.CallToolRequest }

func (w *Workbooks) workbook(r request) (map[string]sheet, error) {
	file := r.GetString("fileAbsolutePath", "")
	if !path.IsAbs(file) {
		return nil, badArgument("fileAbsolutePath: Path is not absolute")
	}
	book, ok := w.files[file]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	return book, nil
}

func (w *Workbooks) sheet(r request, name string) (map[string]sheet, sheet, error) {
	book, err := w.workbook(r)
	if err != nil {
		return nil, nil, err
	}
	s, ok := book[name]
	if !ok {
		return nil, nil, badArgument("sheet not found: " + name)
	}
	return book, s, nil
}

func (w *Workbooks) describe(r request) (string, error) {
	book, err := w.workbook(r)
	if err != nil {
		return "", err
	}
	return strings.Join(slices.Sorted(maps.Keys(book)), "\n"), nil
}

func (w *Workbooks) read(r request) (string, error) {
	_, s, err := w.sheet(r, r.GetString("sheetName", ""))
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&out, "<tr><td>%s</td><td>%s</td></tr>\n", c, s[c])
	}
	return "<h2>Read Sheet</h2>\n<table>\n" + out.String() + "</table>\n", nil
}

func (w *Workbooks) write(r request) (string, error) {
	book, err := w.workbook(r)
	if err != nil {
		return "", err
	}
	fromX, fromY, toX, toY, err := corners(r.GetString("range", ""))
	if err != nil {
		return "", err
	}
	rows, _ := r.GetArguments()["values"].([]any)
	if height := toY - fromY + 1; len(rows) != height {
		return "", badArgument(fmt.Sprintf("number of rows in data (%d) does not match range size (%d)", len(rows), height))
	}
	name := r.GetString("sheetName", "")
	if r.GetBool("newSheet", false) {
		book[name] = sheet{}
	}
	s, ok := book[name]
	if !ok {
		return "", badArgument("sheet not found: " + name)
	}
	for y, row := range rows {
		values, _ := row.([]any)
		if width := toX - fromX + 1; len(values) != width {
			return "", badArgument(fmt.Sprintf("number of columns in row %d (%d) does not match range size (%d)", y, len(values), width))
		}
		for x, value := range values {
			s[cell(fromX+x, fromY+y)] = fmt.Sprint(value)
		}
	}
	return "<h2>Written Sheet</h2>\n<p>Values wrote successfully.</p>\n", nil
}

func (w *Workbooks) copy(r request) (string, error) {
	from, to := r.GetString("srcSheetName", ""), r.GetString("dstSheetName", "")
	book, s, err := w.sheet(r, from)
	if err != nil {
		return "", err
	}
	book[to] = maps.Clone(s)
	return fmt.Sprintf("# Notice\nSheet [%s] copied to [%s].\n", from, to), nil
}

// onSheet stands in for the tools that change how a sheet looks.
func (w *Workbooks) onSheet(r request) (string, error) {
	_, _, err := w.sheet(r, r.GetString("sheetName", ""))
	return "# Notice\nDone.\n", err
}

func cell(x, y int) string { return string(rune('A'+x)) + strconv.Itoa(y+1) }

var rangePattern = regexp.MustCompile(`^([A-Z])(\d+):([A-Z])(\d+)$`)

func corners(text string) (fromX, fromY, toX, toY int, err error) {
	m := rangePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, 0, 0, badArgument("invalid range format: " + text)
	}
	fromY, _ = strconv.Atoi(m[2])
	toY, _ = strconv.Atoi(m[4])
	return int(m[1][0] - 'A'), fromY - 1, int(m[3][0] - 'A'), toY - 1, nil
}
