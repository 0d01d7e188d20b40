# What there is to do, by `make help`. Every variable set with ?= can be given
# on the command line: make soak RUNS=20, make run ARGS='-v --color never'.

GO          ?= go
GOFMT       ?= gofmt
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

ARGS        ?=
BENCH       ?= .

# Modules of their own, so that what they need stays out of go.mod.
MODULES     := bench examples/clients/retryablehttp
CROSS       ?= linux/arm64 darwin/arm64 windows/amd64 freebsd/amd64

# The race detector needs cgo, which go switches off where there is no C
# compiler. No test result is taken from the cache: what is tested is this
# machine's kernel, and the cache does not know when that changes.
RACE        ?= $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
TEST_ARGS   ?= $(RACE) -count=1

LAB         := bin/retry-lab
MAKEFLAGS   += --no-print-directory

.DEFAULT_GOAL := help

## The lab

.PHONY: run build golden docs soak examples
run: build ## Print the failure matrix of this machine
	@$(LAB) all $(ARGS)

build: ## Build the lab into bin/
	@$(GO) build -o bin/ .

golden: RUNS ?= 20
golden: build ## Record what RUNS runs (20) see that the golden tables do not have yet
	@$(LAB) golden update --runs $(RUNS) $(ARGS)

docs: ## Write the pages of docs/ that come from tables: matrix, trace, errors
	@$(GO) run ./scripts/docs

soak: RUNS ?= 200
soak: build ## Check RUNS times (200) with a busy loop on every core: runs, drifts, slowest
	@$(GO) build -o bin/ ./scripts/soak
	@bin/soak -runs $(RUNS) $(ARGS) -- $(LAB) check -o json

.PHONY: soak-audit
soak-audit: RUNS ?= 20
soak-audit: LOOPS ?= 2
soak-audit: CLIENT ?= bin/engine
soak-audit: clients ## Audit CLIENT (bin/engine) RUNS times (20) under LOOPS busy loops (2): every verdict must be the same
	@$(GO) build -o bin/ ./scripts/soak
	@bin/soak -runs $(RUNS) -loops $(LOOPS) -limit 5m -- $(LAB) audit -o json $(ARGS) -- $(CLIENT)

.PHONY: audit-clients
audit-clients: clients ## Audit curl, net/http, the engine and Node, and compare with what is recorded of them
	@LAB=$(LAB) scripts/audit-clients $(ARGS)

.PHONY: clients
clients: build ## Build the clients of examples/clients that are in Go into bin/
	@$(GO) build -o bin/ ./examples/clients/nethttp ./examples/clients/engine
	@cd examples/clients/retryablehttp && $(GO) build -o ../../../bin/ .

.PHONY: soak-engine
soak-engine: SEEDS ?= 20
soak-engine: ## Let the engine meet every fault SEEDS times (20), each with a new seed, and print the summaries
	$(GO) test -count=1 -v -run TestTheEngineChargesNobodyTwice ./scenarios -seeds $(SEEDS) $(ARGS)

examples: build ## Run the examples of docs/serve.md, in every language that is installed
	@LAB=$(LAB) scripts/examples

## The code

.PHONY: test lint fmt bench cross
test: ## Run every test
	$(GO) test $(TEST_ARGS) ./...
	cd bench && $(GO) test $(TEST_ARGS) ./...

lint: ## gofmt, vet, staticcheck, go.mod is tidy, docs/ is current
	@unformatted=$$($(GOFMT) -l .) && test -z "$$unformatted" || { echo "gofmt, to be settled by make fmt: $$unformatted" >&2; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	@for m in $(MODULES); do \
		echo "lint in $$m"; \
		(cd $$m && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./... && $(GO) mod tidy -diff) || exit 1; \
	done
	$(GO) run ./scripts/docs -check

fmt: ## Format every file
	$(GOFMT) -w .

bench: build ## Run the benchmarks, or those that match BENCH; time the lab; compare the engine with its peers
	@$(GO) build -o bin/ ./scripts/soak
	bin/soak -runs 5 -loops 0 -- $(LAB) all -o json
	bin/soak -runs 5 -loops 0 -- $(LAB) run status retry-after network charge -o json
	bin/soak -runs 5 -loops 0 -- $(LAB) run engine backoff -o json
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem $(ARGS) ./...
	@$(MAKE) bench-retry

.PHONY: bench-retry bench-explain bench-serve soak-serve fuzz-explain
bench-retry: ROUNDS ?= 10
bench-retry: REQUESTS ?= 2000
bench-retry: ## Compare the engine with net/http, go-retryablehttp, failsafehttp, rehttp and resty, in ROUNDS rounds (10)
	cd bench && $(GO) run . -rounds $(ROUNDS) -requests $(REQUESTS)

bench-explain: ## Time explain on texts and on a log of 256 MiB, beside grep -E
	$(GO) test -run '^$$' -bench 'Text|Log' -benchtime 3x ./explain

bench-serve: ## Compare the fault server with bare ones, under wrk
	@$(GO) build -o bin/ ./scripts/benchserve
	@bin/benchserve $(ARGS)

soak-serve: CONNS ?= 5000
soak-serve: TIME ?= 60s
soak-serve: ## Compare the fault server's ledger with CONNS clients (5000) of each fault, for TIME (60s)
	@$(GO) build -o bin/ ./scripts/soakserve
	@bin/soakserve -conns $(CONNS) -time $(TIME) $(ARGS)

fuzz-explain: FUZZTIME ?= 10m
fuzz-explain: ## Fuzz the parser of explain for FUZZTIME (10m)
	$(GO) test -run '^$$' -fuzz FuzzText -fuzztime $(FUZZTIME) -fuzzminimizetime 5s ./explain

cross: ## Vet the build for each of CROSS
	@for p in $(CROSS); do \
		echo "GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./..."; \
		(export CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/}; $(GO) vet ./... && \
			for m in $(MODULES); do (cd $$m && $(GO) vet ./...) || exit 1; done) || exit 1; \
	done

## Around it

.PHONY: clean help
clean: ## Remove what build made
	rm -rf bin

help: ## This list
	@awk -F ':.*## ' '/^## / {print "\n" substr($$0, 4)} /^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' Makefile
