package host

import (
	"errors"
	"slices"
)

var errNoName = errors.New("host: the tool has no name")

// The rules of [Lint].
const (
	// A tool is not of the form that the protocol defines.
	ruleUnreadable = "host.list.unreadable"
	// A name is longer than a host takes.
	ruleNameLong = "host.name.long"
	// Two names become one in a host.
	ruleNameCollision = "host.name.collision"
	// A name has characters that a host changes.
	ruleNameFolded = "host.name.folded"
	// A name has characters that a host does not take.
	ruleNameRefused = "host.name.refused"
	// There are more tools than a host takes.
	ruleListTools = "host.list.tools"
	// A description is longer than a host shows.
	ruleDescriptionLong = "host.description.long"
	// A tool has no description.
	ruleDescriptionMissing = "host.description.missing"
	// The two titles of a tool differ, and hosts show different ones.
	ruleTitleDiffers = "host.title.differs"
	// The arguments have anyOf, oneOf or allOf at the root.
	ruleSchemaRoot = "host.schema.root"
	// The type of the arguments is not object.
	ruleSchemaObject = "host.schema.object"
	// A property or an item has the schema true or false.
	ruleSchemaBoolean = "host.schema.boolean"
	// The name of an argument has characters or a length that a host refuses.
	ruleSchemaProperty = "host.schema.property"
	// A schema is not valid in draft-07.
	ruleSchemaDraft7 = "host.schema.draft7"
	// A schema is not valid in draft 2020-12, or in the draft that it declares.
	ruleSchemaDraft2020 = "host.schema.draft2020"
	// The only allowed argument is null.
	ruleSchemaNull = "host.schema.null"
	// An input schema is longer than a host shows whole.
	ruleSchemaSize = "host.schema.size"
	// A schema of arguments or of a result has integers beyond 2^53.
	ruleSchemaInteger = "host.schema.integer"
	// A value of an enum is an empty text.
	ruleSchemaEnum = "host.schema.enum"
	// An array has no schema for its items.
	ruleSchemaItems = "host.schema.items"
	// The schema of an argument does not say what it is.
	ruleSchemaUntyped = "host.schema.untyped"
	// A schema has keywords that a host does not show to the model.
	ruleSchemaDropped = "host.schema.dropped"
	// An output schema keeps a host from calling the tool.
	ruleOutputSchema = "host.output.schema"
	// An output schema declares draft-07.
	ruleOutputDraft7 = "host.output.draft7"
	// An output schema refers to itself.
	ruleOutputRecursive = "host.output.recursive"
	// The structured content of a result has integers beyond 2^53.
	ruleResultInteger = "host.result.integer"
	// A result has structured content, and no text.
	ruleResultText = "host.result.text"
	// A result has text, and structured content without members.
	ruleResultHollow = "host.result.hollow"
	// An error has no text.
	ruleResultError = "host.result.error"
	// A result has several texts.
	ruleResultBlocks = "host.result.blocks"
	// A text of a result is longer than a host shows whole.
	ruleResultLong = "host.result.long"
	// The text of an error is longer than a host shows whole.
	ruleErrorLong = "host.error.long"
	// A question is a form without properties.
	ruleQuestionEmpty = "host.question.empty"
	// A tool asks a person, and the host can show neither forms nor addresses.
	ruleQuestionNone = "host.question.none"
	// A host runs a write without a question.
	ruleHintsUnasked = "host.hints.unasked"
	// A language model decides whether a call needs a question.
	ruleHintsModel = "host.hints.model"
	// A tool is both read-only and destructive by its hints.
	ruleHintsContradiction = "host.hints.contradiction"
	// A tool lacks a hint that a directory demands.
	ruleHintsMissing = "host.hints.missing"
	// A read-only tool must not be called several times at once.
	ruleReadParallel = "host.read.parallel"
	// A read-only tool must be called each time.
	ruleReadCached = "host.read.cached"
	// A write has its effect again if a host repeats the call.
	ruleCallAgain = "host.call.again"
	// A key of _meta has a value without an effect.
	ruleKeyValue = "host.key.value"
)

// A check compares tools with the facts of one rule.
type check struct {
	rule, remedy string
	// find returns where the fact applies. It is nil if the rule is not about
	// facts.
	find func(f Fact, l *linter) []hit
}

// checks lists every rule that facts name.
var checks = []check{
	{rule: ruleListTools, remedy: "serve fewer tools, or split the server", find: listTools},
	{rule: ruleDescriptionLong, remedy: "write first what the tool changes, and shorten the rest", find: eachTool(longDescription)},
	{rule: ruleDescriptionMissing, remedy: "add a description", find: eachTool(missingDescription)},
	{rule: ruleTitleDiffers, remedy: "make the two titles equal", find: eachTool(differentTitles)},
	{rule: ruleSchemaRoot, remedy: "write one object, and check combinations in the handler", find: eachTool(rootCombinators)},
	{rule: ruleSchemaObject, remedy: "give the input schema the type object", find: eachTool(notObject)},
	{rule: ruleSchemaBoolean, remedy: "write the schema as an object", find: eachTool(booleanSchemas)},
	{rule: ruleSchemaProperty, remedy: "rename the argument", find: eachTool(propertyNames)},
	{rule: ruleSchemaDraft7, remedy: "write a schema that is valid in draft-07 and in 2020-12", find: eachTool(invalidDraft7)},
	{rule: ruleSchemaDraft2020, remedy: "write a schema that is valid in draft-07 and in 2020-12", find: eachTool(invalidDraft2020)},
	{rule: ruleSchemaNull, remedy: "give the input schema the type object", find: eachTool(onlyNull)},
	{rule: ruleSchemaSize, remedy: "shorten the schema, or split the tool", find: eachTool(largeSchema)},
	{rule: ruleSchemaInteger, remedy: "declare such numbers as strings", find: eachTool(largeIntegers)},
	{rule: ruleSchemaEnum, remedy: "leave the empty value out, and make the argument optional", find: eachTool(emptyEnumValues)},
	{rule: ruleSchemaItems, remedy: "give the array items with a type", find: eachTool(arraysWithoutItems)},
	{rule: ruleSchemaUntyped, remedy: "give the argument a type", find: eachTool(untypedProperties)},
	{rule: ruleSchemaDropped, remedy: "check them on the server, and describe them", find: eachTool(droppedKeywords)},
	{rule: ruleOutputSchema, remedy: "try the tool in this host", find: eachTool(hasOutputSchema)},
	{rule: ruleOutputDraft7, remedy: "declare 2020-12 or no draft", find: eachTool(outputOfDraft7)},
	{rule: ruleOutputRecursive, remedy: "bound the depth of the result, or leave the schema out", find: eachTool(recursiveOutput)},
	{rule: ruleResultInteger, remedy: "return such numbers as strings", find: eachResult(largeResultIntegers)},
	{rule: ruleResultText, remedy: "return the whole answer as text too", find: eachResult(structuredOnly)},
	{rule: ruleResultHollow, remedy: "return the whole answer as structured content too, or leave it out", find: eachResult(hollow)},
	{rule: ruleResultError, remedy: "return the whole error as one text", find: eachResult(errorWithoutText)},
	{rule: ruleResultBlocks, remedy: "return one text", find: eachResult(severalTexts)},
	{rule: ruleResultLong, remedy: "return less, or by pages", find: eachResult(longText)},
	{rule: ruleErrorLong, remedy: "shorten the text of the error", find: eachResult(longError)},
	{rule: ruleQuestionEmpty, remedy: "ask for a value, such as a box to tick", find: emptyQuestions},
	{rule: ruleHintsMissing, remedy: "send every hint with every tool", find: eachTool(missingHints)},
	{rule: ruleReadParallel, remedy: "let more calls run at once, or do not declare it read-only", find: eachTool(notParallel)},
	{rule: ruleReadCached, remedy: "do not declare the tool read-only if each call must run", find: eachTool(notCached)},
	{rule: ruleCallAgain, remedy: "send idempotentHint if a repetition is harmless, or let the tool take a key",
		find: eachTool(notRepeatable)},
	{rule: ruleKeyValue, remedy: "write the JSON value true", find: eachTool(keyValues)},
}

// isRule reports whether a fact may name the rule.
func isRule(id string) bool {
	return slices.ContainsFunc(checks, func(c check) bool { return c.rule == id })
}

func eachTool(find func(f Fact, t tool) []hit) func(Fact, *linter) []hit {
	return func(f Fact, l *linter) []hit {
		var all []hit
		for _, t := range l.tools {
			for _, at := range find(f, t) {
				at.tool = t.Name
				all = append(all, at)
			}
		}
		return all
	}
}

// when returns a hit at a pointer if the condition holds.
func when(is bool, pointer, detail string) []hit {
	if !is {
		return nil
	}
	return []hit{{pointer: pointer, detail: detail}}
}
