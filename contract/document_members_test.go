package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// members returns the names of a struct's members in JSON, in order.
func members(t reflect.Type) []string {
	var names []string
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// notInSummary has the members of a document that its summary leaves out, with
// the reason.
var notInSummary = map[string]string{
	"title":               "the tool beside it has it",
	"description":         "the tool beside it has it",
	"inputSchema":         "the tool beside it has it",
	"outputSchema":        "the tool beside it has it",
	"metadata":            "free data of any size",
	"deprecated":          "every outcome has the notice",
	"aliases":             "no caller needs the old names",
	"delimit":             "a delimited text has its own sentence",
	"sanitize":            "every outcome reports what was removed",
	"reads":               "every outcome has it; gateways read the whole contract",
	"sends":               "gateways read the whole contract",
	"securityLevel":       "the outcome of a call that lacks something reports it",
	"confirmationReason":  "a text of any size",
	"typedConfirmation":   "the question names the word",
	"noPermissions":       "a text of any size",
	"objectAuthorization": "the outcome of a call that it denies reports it",
	"discoverWith":        "it decides who sees the tool",
	"idempotency":         "idempotentForSeconds, keyRequired and the hint beside it say what a caller needs",
	"lenient":             "the outcome of a call that was read so reports it",
	"failureModes":        "texts of any size; failureCodes has their codes",
	"rateLimit":           "the outcome of a call over it reports it",
	"totalRateLimit":      "the outcome of a call over it reports it",
	"retryBudget":         "the outcome of a call over it reports it",
	"timeoutMs":           "the outcome of a call that it ends reports it",
	"cancellable":         "it matters only to a caller that disconnects",
	"maxConcurrent":       "the outcome of a call over it reports it",
	"maxResultBytes":      "the outcome of a call over it reports it",
	"maxArgumentBytes":    "the outcome of a call over it reports it",
}

func TestSummary_HasEveryMemberOrATableExplainsWhyNot(t *testing.T) {
	t.Parallel()
	summary := map[string]bool{}
	for _, member := range members(reflect.TypeFor[contract.Summary]()) {
		summary[member] = true
	}
	document := map[string]bool{}
	for _, member := range members(reflect.TypeFor[contract.Document]()) {
		document[member] = true
		assert.NotEqual(t, summary[member], notInSummary[member] != "", "%s: add it to Summary, or to notInSummary with the reason",
			member)
	}
	for member := range notInSummary {
		assert.True(t, document[member], "%s is not a member of a document", member)
	}
	delete(summary, "failureCodes")         // of failureModes
	delete(summary, "idempotentForSeconds") // of idempotency
	delete(summary, "keyRequired")          // of idempotency
	for member := range summary {
		assert.True(t, document[member], "%s is not a member of a document", member)
	}
}

// needPrincipal sets each member by which a contract demands a principal.
var needPrincipal = map[string]func(*contract.Document){
	"permissions":         func(d *contract.Document) { d.Permissions = []string{"notes:write"} },
	"securityLevel":       func(d *contract.Document) { d.SecurityLevel = 1 },
	"stepUp":              func(d *contract.Document) { d.StepUp = &contract.StepUp{} },
	"dryRun":              func(d *contract.Document) { d.DryRun = dryrun.Required },
	"objectAuthorization": func(d *contract.Document) { d.ObjectAuthorization = true },
	"risk":                func(d *contract.Document) { d.Risk = risk.High },
	"idempotency": func(d *contract.Document) {
		d.Idempotency = &contract.Idempotency{Mode: idempotency.Managed}
	},
}

// needNone are the members that anonymous callers need not know about: they
// demand nothing of a caller.
var needNone = strings.Fields(`format name title description category metadata version deprecated aliases effect resolves reconcile contentTrust
	delimit sanitize reads sends autonomous confirmation confirmationReason typedConfirmation noPermissions discoverWith sideEffects
	reversibility lenient auditEvent failureModes rateLimit totalRateLimit retryBudget timeoutMs cancellable maxConcurrent
	maxResultBytes maxArgumentBytes inputSchema outputSchema`)

func TestNeedsPrincipal_IsDecidedForEveryMember(t *testing.T) {
	t.Parallel()
	for _, member := range members(reflect.TypeFor[contract.Document]()) {
		set, needs := needPrincipal[member]
		assert.NotEqual(t, needs, slices.Contains(needNone, member), "%s: add it to needPrincipal or to needNone", member)
		if needs {
			d := contract.Document{Risk: risk.Low}
			require.False(t, d.NeedsPrincipal())
			set(&d)
			assert.True(t, d.NeedsPrincipal(), member)
		}
	}
}

// A comment that several members share names each of them.
func TestDocumentAndOutcome_EveryMemberHasAComment(t *testing.T) {
	t.Parallel()
	for file, name := range map[string]string{"document.go": "Document", "outcome.go": "Outcome"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		fields := 0
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			comment := ""
			for _, f := range spec.Type.(*ast.StructType).Fields.List {
				fields++
				if f.Doc != nil {
					comment = f.Doc.Text()
				}
				assert.Regexp(t, `\b`+f.Names[0].Name+`\b`, comment, "%s.%s has no comment that names it", name, f.Names[0].Name)
			}
			return false
		})
		assert.Greater(t, fields, 15, name)
	}
}

// A Base has a field for every verb of a Builder that takes data, and no other.
func TestBase_HasTheVerbsThatTakeData(t *testing.T) {
	t.Parallel()
	others := map[string]string{
		"Build":         "a base is not a tool",
		"MustBuild":     "a base is not a tool",
		"From":          "a base is copied",
		"Authorize":     "its function takes the input of one tool",
		"Precheck":      "its function takes the input of one tool",
		"Question":      "its function takes the input of one tool",
		"ConfirmTyping": "its function takes the input of one tool",
		"ConfirmWhen":   "its function takes the input of one tool",
		"DryRun":        "its function takes the input of one tool",
		"Reconcile":     "its function takes the input of one tool",
		"Resolve":       "its function takes the input of one tool",
		"ReplayUntil":   "its function takes the input of one tool",
		"ReplayWhile":   "its function takes the input of one tool",
		"Asks":          "it is about the handler of one tool",
		"InputSchema":   "it is the schema of one tool",
		"OutputSchema":  "it is the schema of one tool",
		"ConfirmAlways": "the field Confirmation has it",
		"ConfirmNever":  "the fields Confirmation and ConfirmationReason have it",
	}
	base, builder := reflect.TypeFor[contract.Base](), reflect.TypeFor[*noteBuilder]()
	for verb := range builder.Methods() {
		_, has := base.FieldByName(verb.Name)
		assert.NotEqual(t, has, others[verb.Name] != "", "%s: add it to Base, or to this table with the reason", verb.Name)
	}
	for field := range base.Fields() {
		_, has := builder.MethodByName(field.Name)
		assert.True(t, has || strings.HasPrefix(field.Name, "Confirmation"), "%s is not a verb of Builder", field.Name)
	}
}
