package failurecheck

// Inspect returns the verdicts that [Check] reports.
var Inspect = inspect
