package contracttest

// MCPFirstRules lets tests compare reports with the standard's table.
var MCPFirstRules = mcpFirstRules()
