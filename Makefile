# The targets that people use; .ci/run calls the same ones.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# grpcnotrace leaves golang.org/x/net/trace out of grpc-go, and html/template with it: 2 MB less.
BUILDFLAGS = -trimpath -tags grpcnotrace -ldflags "-s -w -X main.version=$(VERSION)"
FUZZTIME ?= 30s
TORTURE ?= 10000
STATICCHECK = go tool -modfile=tools/go.mod staticcheck

.PHONY: build test test-as-user lint tidy generated generate race torture fuzz e2e bench fleet fleet-smoke clean

build: ## the static, stripped binary: bin/check-hotfix
	CGO_ENABLED=0 go build $(BUILDFLAGS) -o bin/check-hotfix ./cmd/check-hotfix

test: lint tidy generated race ## everything a change has to pass, offline but for the module proxy

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	go vet ./...
	go vet -tags e2e ./e2e/...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...
	$(STATICCHECK) ./...

tidy:
	go mod tidy -diff
	cd tools && go mod tidy -diff

generated: ## the committed generated code is what the generator makes
	cd tools && go run ./genproto -check

generate:
	cd tools && go run ./genproto

race:
	go test -race ./...

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
	go test -tags e2e -count=1 -timeout 5m ./e2e/...

bench:
	go test -run '^$$' -bench . -benchmem ./...

fleet: ## thousands of nodes that boot together, in every mode of the service: docs/fleet.md and its plots; 4 minutes
	cd bench && go run ./fleet -docs ../docs

fleet-smoke: ## the same with few nodes, in seconds; checks what no node may do, measures nothing
	cd bench && go run ./fleet -together -nodes 5 -window 500ms -herd 5

clean:
	rm -rf bin
