//! The tools module: what it declares, and what its bodies may ask for.

use std::time::Duration;

use abide_domain::tool::EffectClass;
use abide_modules::{
    DeclaredTool, KeeperTools, ModuleKind,
    ScriptErrorKind::{Runtime, Shape},
    limits::{DECLARATIONS_MAX, TOOL_CALLS_MAX},
};
use serde_json::{Value, json};

use crate::world::{AMPLE, Process, failure, script_error};

const SCHEMA: &str = "\"{\\\"type\\\": \\\"object\\\"}\"";

/// A keeper without tools.
pub(super) struct NoneThere;

impl KeeperTools for NoneThere {
    async fn call(&mut self, name: &str, _: Value) -> Result<Value, String> {
        Err(format!("there is no {name}"))
    }
}

/// A keeper that gives back what it was asked, and counts.
#[derive(Default)]
struct Echo(Vec<(String, Value)>);

impl KeeperTools for Echo {
    async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        self.0.push((name.to_owned(), arguments.clone()));
        Ok(json!({"asked": arguments, "number": self.0.len()}))
    }
}

async fn with_tools(code: &str) -> Process {
    let mut process = Process::start();
    process.client.load(ModuleKind::Tools, code, AMPLE).await.unwrap();
    process
}

#[tokio::test]
async fn a_load_says_what_was_declared() {
    let mut process = Process::start();
    let base = ModuleKind::Tools.base_code();
    let declared = process.client.load(ModuleKind::Tools, base, AMPLE).await.unwrap().value;
    assert_eq!(declared.tools, []);
    let code = format!(
        "(deftool \"numbers.double\" \"Doubles.\" {SCHEMA} 'read (lambda (arguments) 1))
         (deftool \"house.light\" \"Switches a light.\" {SCHEMA} 'world (lambda (arguments) 1))"
    );
    let declared = process.client.load(ModuleKind::Tools, &code, AMPLE).await.unwrap().value;
    let tool = |name: &str, description: &str, effect| DeclaredTool {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object"}),
        effect,
    };
    let expected = [
        tool("numbers.double", "Doubles.", EffectClass::Read),
        tool("house.light", "Switches a light.", EffectClass::World),
    ];
    assert_eq!(declared.tools, expected);
}

#[tokio::test]
async fn a_tool_that_could_not_be_offered_is_not_declared() {
    let one = |n| format!("(deftool \"a.b{n}\" \"c\" {SCHEMA} 'read (lambda (arguments) 1))");
    let many = (0..=DECLARATIONS_MAX).map(one).collect::<Vec<_>>().join("\n");
    let twice = format!("(deftool \"a.b\" \"c\" {SCHEMA} 'read (lambda (arguments) 1))").repeat(2);
    let mut process = Process::start();
    for (code, words) in [
        (format!("(deftool \"double\" \"c\" {SCHEMA} 'read (lambda (a) 1))"), "namespace.verb"),
        (format!("(deftool \"A.b\" \"c\" {SCHEMA} 'read (lambda (a) 1))"), "namespace.verb"),
        (format!("(deftool \"a.b\" \"\" {SCHEMA} 'read (lambda (a) 1))"), "describe"),
        ("(deftool \"a.b\" \"c\" \"{\" 'read (lambda (a) 1))".to_owned(), "no JSON"),
        ("(deftool \"a.b\" \"c\" \"[]\" 'read (lambda (a) 1))".to_owned(), "object"),
        (
            format!("(deftool \"a.b\" \"c\" {SCHEMA} 'harmless (lambda (a) 1))"),
            "'read, 'state or 'world",
        ),
        (format!("(deftool \"a.b\" \"c\" {SCHEMA} 'read 5)"), "lambda"),
        (twice, "twice"),
        (many, "at most 64"),
    ] {
        let error = process.refusal(ModuleKind::Tools, &code).await;
        assert_eq!(error.kind, Runtime, "{error}");
        assert!(error.message.contains(words), "{words}: {error}");
    }
}

#[tokio::test]
async fn a_tool_gets_its_arguments_and_gives_a_value() {
    let code = format!(
        "(deftool \"a.all\" \"Gives all kinds.\" {SCHEMA} 'read
           (lambda (arguments)
             (hash \"sum\" (apply + (hash-ref arguments \"numbers\"))
                   'text (hash-ref (hash-ref arguments \"inner\") \"text\")
                   \"none\" void \"yes\" #t \"list\" (list 1 2.5 'three))))
         (deftool \"a.text\" \"Gives text.\" {SCHEMA} 'read (lambda (arguments) \"words\"))
         (deftool \"a.odd\" \"Gives what cannot be said.\" {SCHEMA} 'read (lambda (arguments) car))"
    );
    let mut process = with_tools(&code).await;
    let arguments = json!({"numbers": [1, 2, 3.5], "inner": {"text": "ü"}});
    let called = process.client.call_tool("a.all", arguments, &mut NoneThere, AMPLE).await.unwrap();
    let expected =
        json!({"list": [1, 2.5, "three"], "none": null, "sum": 6.5, "text": "ü", "yes": true});
    assert_eq!(called.value, expected);
    assert!(called.cost.memory_bytes > 0 || !cfg!(target_os = "linux"), "{called:?}");
    let called =
        process.client.call_tool("a.text", json!({}), &mut NoneThere, AMPLE).await.unwrap();
    assert_eq!(called.value, json!("words"));
    let called = process.client.call_tool("a.odd", json!({}), &mut NoneThere, AMPLE).await;
    assert_eq!(failure(called), Shape);
    let called = process.client.call_tool("a.none", json!({}), &mut NoneThere, AMPLE).await;
    assert_eq!(failure(called), Shape);
}

#[tokio::test]
async fn a_body_asks_the_keeper_for_other_tools() {
    let code = format!(
        "(deftool \"a.twice\" \"Asks twice.\" {SCHEMA} 'read
           (lambda (arguments)
             (define first (call-tool \"memory.recall\" (hash \"query\" \"one\")))
             (define second (call-tool \"clock.now\" (hash)))
             (list (hash-ref (hash-ref first \"asked\") \"query\") (hash-ref second \"number\"))))"
    );
    let mut process = with_tools(&code).await;
    let mut echo = Echo::default();
    let called = process.client.call_tool("a.twice", json!({}), &mut echo, AMPLE).await.unwrap();
    assert_eq!(called.value, json!(["one", 2]));
    let asked = [
        ("memory.recall".to_owned(), json!({"query": "one"})),
        ("clock.now".to_owned(), json!({})),
    ];
    assert_eq!(echo.0, asked);
    let called = process.client.call_tool("a.twice", json!({}), &mut NoneThere, AMPLE).await;
    let error = script_error(called);
    assert!(error.message.contains("there is no memory.recall"), "{error}");
}

#[tokio::test]
async fn a_body_asks_at_most_sixteen_times_and_a_load_never() {
    let code = format!(
        "(deftool \"a.often\" \"Asks often.\" {SCHEMA} 'read
           (lambda (arguments)
             (let loop ([n (hash-ref arguments \"times\")])
               (if (= n 0) \"done\" (begin (call-tool \"clock.now\" (hash)) (loop (- n 1)))))))"
    );
    let mut process = with_tools(&code).await;
    for (times, is_allowed) in [(TOOL_CALLS_MAX, true), (TOOL_CALLS_MAX + 1, false), (1, true)] {
        let mut echo = Echo::default();
        let arguments = json!({"times": times});
        let called = process.client.call_tool("a.often", arguments, &mut echo, AMPLE).await;
        assert_eq!(called.is_ok(), is_allowed, "{times}: {called:?}");
        assert_eq!(echo.0.len(), times.min(TOOL_CALLS_MAX));
    }
    let error = process.refusal(ModuleKind::Tools, "(call-tool \"clock.now\" (hash))").await;
    assert!(error.message.contains("call-tool works only"), "{error}");
}

#[tokio::test]
async fn the_time_of_the_keepers_tools_is_not_the_modules() {
    struct Slow;
    impl KeeperTools for Slow {
        async fn call(&mut self, _: &str, _: Value) -> Result<Value, String> {
            tokio::time::sleep(Duration::from_millis(2500)).await;
            Ok(Value::Null)
        }
    }
    let code = format!(
        "(deftool \"a.wait\" \"Waits.\" {SCHEMA} 'read (lambda (arguments) (call-tool \"slow.one\" (hash)) 5))"
    );
    let mut process = with_tools(&code).await;
    let called =
        process.client.call_tool("a.wait", json!({}), &mut Slow, Duration::from_secs(2)).await;
    assert_eq!(called.unwrap().value, json!(5));
}
