package contracttest

// Tests compare reports with the table of the standard.
var MCPFirstRules = mcpFirstTable
