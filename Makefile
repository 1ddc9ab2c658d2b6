# What CI runs, one target each; `make check` is all of it.

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZ_SECONDS ?= 30
BENCH ?= .

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this help
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: check
check: ## Everything that CI runs
	.ci/run

.PHONY: test
test: ## Run the tests
	go test work

.PHONY: race
race: ## Test what runs concurrently, with the race detector, in any order
	.ci/race

.PHONY: lint
lint: ## Run golangci-lint, built from its pinned version
	go run $(GOLANGCI_LINT) run $$(go list -m -f '{{.Dir}}/...')

.PHONY: modules
modules: ## Test the modules that go.work does not use, such as adoption
	.ci/modules

.PHONY: tidy
tidy: ## Tidy the go.mod of each module that go.work uses
	GOWORK=off go run -C .ci/release . tidy

.PHONY: rehearse
rehearse: ## Do with the newest commit what users of a release will do
	.ci/rehearse

.PHONY: release
release: ## Make the version VERSION: everything but the push
	GOWORK=off go run -C .ci/release . make "$(VERSION)"

.PHONY: vulnerabilities
vulnerabilities: ## Compare what each module requires with the Go vulnerability database
	.ci/vulnerabilities

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZ_SECONDS
	.ci/fuzz $(FUZZ_SECONDS)

.PHONY: search
search: ## Draw new cases and run every fuzz target for FUZZ_SECONDS, until something fails
	.ci/search $(FUZZ_SECONDS)

.PHONY: bench
bench: ## Run the benchmarks that match BENCH, ten times, for benchstat
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count=10 work

.PHONY: generate
generate: ## Write the generated files again
	go generate work

.PHONY: clients
clients: ## Drive the examples with MCP clients that others wrote (needs Node)
	.ci/clients/run

.PHONY: proxy
proxy: ## Send quiet calls through nginx (installs it on Debian)
	.ci/proxy

.PHONY: conformance
conformance: ## Hold a server to the conformance suites of the protocol (needs Node)
	.ci/conformance/run

.PHONY: tour
tour: ## Take the tour
	go run ./examples/tour
