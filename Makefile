# The targets that people use; .ci/run calls the same ones.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BINARY ?= bin/check-hotfix
# grpcnotrace leaves golang.org/x/net/trace out of grpc-go, and html/template with it: 2 MB less.
# Code that runs once is not faster for being inlined; without, the binary is 0.7 MB smaller (DESIGN.md).
# Neither the folder nor the state of the repository is in the binary: the same source gives the same bytes.
BUILDFLAGS = -trimpath -buildvcs=false -tags grpcnotrace -gcflags=all=-l -ldflags "-s -w -X main.version=$(VERSION)"
FUZZTIME ?= 30s
TORTURE ?= 10000
# Built without cgo, as the measured programs are, so that a fresh machine compiles the standard library once for both.
TOOLS = bin/tools

.PHONY: build binary tools test test-as-user lint tidy generated generate race torture fuzz e2e bench-programs bench bench-smoke bench-library fleet fleet-smoke dist clean

build: binary ## the static, stripped binaries: bin/check-hotfix, and bin/lps-sandbox to try it in
	CGO_ENABLED=0 go build $(BUILDFLAGS) -o bin/ ./cmd/lps-sandbox

binary: ## bin/check-hotfix alone, or BINARY
	CGO_ENABLED=0 go build $(BUILDFLAGS) -o $(BINARY) ./cmd/check-hotfix

test: lint tidy generated race ## everything a change has to pass, offline but for the module proxy

tools:
	CGO_ENABLED=0 go build -C tools -o ../$(TOOLS)/ honnef.co/go/tools/cmd/staticcheck ./crossvet

# With -race, what vet and staticcheck need compiled is what the tests need, too.
lint: tools
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	go vet -race ./...
	go vet -race -tags e2e ./e2e/...
	GOOS=darwin $(TOOLS)/crossvet ./...
	GOOS=windows $(TOOLS)/crossvet ./...
	GOFLAGS=-race $(TOOLS)/staticcheck ./...
	cd bench && go vet -race ./... && GOFLAGS=-race ../$(TOOLS)/staticcheck ./...
	cd tools && CGO_ENABLED=0 go vet ./... && CGO_ENABLED=0 ../$(TOOLS)/staticcheck ./...

tidy:
	go mod tidy -diff
	cd tools && go mod tidy -diff
	cd bench && go mod tidy -diff

generated: ## the committed generated code is what the generator makes
	cd tools && CGO_ENABLED=0 go run ./genproto -check

generate:
	cd tools && go run ./genproto

race:
	go test -race ./...
	cd bench && go test -race ./...

test-as-user: ## the tests of what an ordinary user may not do, which root skips; needs root to become one
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; chmod 755 "$$dir"; \
	for pkg in pointer source/nodeconfig; do \
		work=$$dir/$$pkg; mkdir -p "$$work"; \
		go test -race -c -o "$$work/tests" "./$$pkg"; \
		cp -r "$$pkg/testdata" "$$work"; \
		echo "as an ordinary user: $$pkg"; \
		(cd "$$work" && env -u BOOTPOINTER_SAMPLES setpriv --reuid 65534 --regid 65534 --clear-groups ./tests); \
	done

torture: ## the long runs of the staging tests, with their figures
	BOOTPOINTER_TORTURE=$(TORTURE) go test -run Torture -v -timeout 60m ./pointer/

fuzz: ## every fuzz target for FUZZTIME, one after the other
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s $$pkg; \
		done; \
	done

e2e: ## real peers: nginx, haproxy, grpc-js; installs them on Debian, needs root
	e2e/install.sh
	go test -race -tags e2e -count=1 -timeout 15m ./e2e/...

BENCH = bin/bench
# What measurements run under. On a machine that has other things to do: make bench BENCH_UNDER='chrt -f 10', as root.
BENCH_UNDER ?=
BENCH_PROGRAMS = ./empty ./floor ./insert ./launch ./linksfloor ./linksgrpc ./process

bench-programs: binary ## what bench runs beside the product, built as it is: bin/bench
	mkdir -p $(BENCH)
	cp bin/check-hotfix $(BENCH)/
	cd bench && CGO_ENABLED=0 go build -tags grpcnotrace -ldflags "-s -w" -o ../$(BENCH)/ $(BENCH_PROGRAMS)

bench: bench-programs ## check-hotfix, the floor client and a script in one run, into docs/performance.md; 5 minutes
	bench/install.sh
	cd bench && CGO_ENABLED=0 go build -ldflags "-s -w" -o ../$(BENCH)/ github.com/fullstorydev/grpcurl/cmd/grpcurl
	$(BENCH_UNDER) $(BENCH)/process -bin $(BENCH) -script bench/script/check.sh >$(BENCH)/process.md
	$(BENCH)/insert bench docs/performance.md <$(BENCH)/process.md
	@cat $(BENCH)/process.md

bench-smoke: bench-programs ## the same once, without the script and for no figures: everything still runs and stages
	$(BENCH)/process -bin $(BENCH) -rounds 1 -warm-up 0 >/dev/null

BENCHMARKED = . ./pointer ./source/nodeconfig ./transport/grpc
BENCHSTAT = go tool benchstat -table goos,goarch

bench-library: bench-programs ## benchmarks of the packages, six times over, into docs/performance.md; 2 minutes
	go test -exec '$(BENCH_UNDER)' -run '^$$' -bench . -count 6 $(BENCHMARKED) >$(BENCH)/library.txt
	@set -e; cd bench; results=measured=../$(BENCH)/library.txt; { echo '```'; \
		$(BENCHSTAT) -filter '.unit:(sec/op OR sec/base OR B/op OR allocs/op)' $$results; \
		echo; $(BENCHSTAT) -filter '.name:/^Fetch/ .unit:(sec/op OR B/op OR allocs/op)' -row .name -col /documents $$results; \
		echo '```'; } >../$(BENCH)/library.md
	$(BENCH)/insert bench-library docs/performance.md <$(BENCH)/library.md
	@cat $(BENCH)/library.md

dist: ## what a release consists of: dist/ with binaries, .deb, .rpm, bills of materials, checksums; VERSION=YYYYMM.DD.PATCH
	packaging/dist.sh "$(VERSION)"

fleet: ## thousands of nodes that boot together, in every mode of the service: docs/fleet.md and its plots; 4 minutes
	cd bench && go run ./fleet -docs ../docs

fleet-smoke: ## the same with few nodes, in seconds; checks what no node may do, measures nothing
	cd bench && go run -race ./fleet -together -nodes 5 -window 500ms -herd 5

clean:
	rm -rf bin dist
