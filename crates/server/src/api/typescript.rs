//! The web client's types, made from this side, so that the two cannot differ: `web/src/api/generated.ts`.
//!
//! Only for tests: nothing of it is in the binary. HTTP shapes and routes come from the OpenAPI document (`http`), the data
//! of events from the sources of `domain` (`events`), which knows no schema on purpose. A type that neither knows becomes
//! `Json`, never a guess. To write the file again: `ABIDE_TEST_WRITE=1 cargo test -p abide-server --lib typescript`.

use std::path::PathBuf;

use utoipa::OpenApi as _;

mod comment;
mod events;
mod http;

const HEADER: &str = "// Made from the Rust side by crates/server/src/api/typescript.rs. Do not edit:\n\
                      // ABIDE_TEST_WRITE=1 cargo test -p abide-server --lib typescript\n\n\
                      export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };\n\n\
                      export interface List<T> {\n  items: T[];\n  /** The cursor of the next page; null at the end. */\n  \
                      next: string | null;\n}\n\n";

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn made() -> String {
    let document = serde_json::to_value(super::Document::openapi()).unwrap();
    let sources = events::Sources::read(&repository().join("crates/domain/src"));
    let mut out = HEADER.to_owned();
    let taken = http::write(&mut out, &document);
    events::write(&mut out, &sources, &taken);
    out
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a person at a shell asks for the file, no keeper")]
fn the_web_clients_types_are_those_of_this_program() {
    let path = repository().join("web/src/api/generated.ts");
    let made = made();
    if std::env::var("ABIDE_TEST_WRITE").is_ok() {
        std::fs::write(&path, &made).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == made,
        "web/src/api/generated.ts is stale: ABIDE_TEST_WRITE=1 cargo test -p abide-server --lib typescript"
    );
}

#[test]
fn every_kind_of_event_has_its_data() {
    let sources = events::Sources::read(&repository().join("crates/domain/src"));
    let kinds: Vec<_> = sources.kinds().map(str::to_owned).collect();
    let mut known: Vec<_> =
        abide_domain::event::catalogue().map(|kind| kind.name.to_owned()).collect();
    known.sort();
    assert_eq!(kinds, known);
}
