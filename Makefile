# Everything that is done with this tree, by name. `make` alone lists it. Only cargo is needed; what else is there is used.
# Steps longer than a line are scripts/ and xtask/.

.DEFAULT_GOAL := help
.PHONY: help up web screens test check lint tidy fmt soak dist bench texts fuzz

help: ## list what can be done
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: web ## build the web client (where Node is) and the release binary, fetch the default embedder, and start
	cargo build --release --package abide-server
	-target/release/abide model pull wordllama >/dev/null
	target/release/abide up

web: ## build the web client, where there is one and Node is there
	@scripts/web build

screens: ## draw docs/screens anew, from a real keeper
	@scripts/web screens

test: ## run every test; says what it had to skip (with CI=true nothing is skipped)
	@scripts/test

check: lint test ## the one gate: format, clippy, docs, tests; tidy and layering are among the tests

lint: ## format, clippy and docs, without a warning
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	@scripts/web lint
	@scripts/advisories

tidy: ## module docs, sizes, names, paths in documents, reasons of dependencies, layering
	cargo xtask tidy
	cargo xtask layers

fmt: ## format everything
	cargo fmt --all
	cargo fmt --manifest-path fuzz/Cargo.toml

soak: ## the full rounds of every test, more cases for every property, long fuzzing: hours
	ABIDE_TEST_ROUNDS=100 PROPTEST_CASES=4096 ABIDE_TEST_PROFILE=soak ABIDE_TEST_FUZZ_SECONDS=600 scripts/test

dist: web ## the binary as it is handed out: optimised across crates, with the benchmarks
	cargo build --profile dist --package abide-server --features bench

bench: dist ## our figures beside a raw reference on this machine
	target/dist/abide bench ledger
	target/dist/abide bench wire
	target/dist/abide bench epoch
	target/dist/abide bench memory
	target/dist/abide bench recovery
	target/dist/abide bench evolution

texts: ## write all texts that people read to target/texts.md
	cargo xtask texts

fuzz: ## every fuzz target for a minute
	scripts/fuzz 60
