package sqlitefile

import (
	"io"

	"github.com/toolcontract/toolcontract/store/sqlstore/operator"
)

// Operate runs a command line of an operator, such as "show", for the state in
// a file. server is the name of the server, and the namespace of its guard. If
// the path is empty, it is the command's first argument. Operate returns the
// exit status; see [operator.Program.Run]. It is the OperateState of package
// program.
func Operate(server, path string, args []string, stdout, stderr io.Writer) (status int) {
	return operator.Program{
		Name: server + " state", State: path, Namespace: server, Inspect: Inspect, Rotate: Rotate, Backup: Backup,
	}.Run(args, stdout, stderr)
}
