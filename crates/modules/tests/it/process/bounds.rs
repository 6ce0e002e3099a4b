//! What programs do that are no good: nothing of it reaches further than their process, and mostly not that far.

use std::time::Duration;

use abide_modules::{
    ModuleCallError, ModuleEndedError, ModuleKind,
    ScriptErrorKind::{self, Refused, Runtime, Syntax, Time, TooLarge},
    limits::{CODE_BYTES_MAX, STUCK_EXIT_CODE},
};

use serde_json::json;

use super::tools::NoneThere;
use crate::world::{AMPLE, Process, failure, request, script_error};

/// Soon over, and long enough that the answer of a busy machine comes in time.
const SHORT: Duration = Duration::from_secs(3);

/// A memory module whose `rank` is this.
fn ranking(body: &str) -> String {
    format!("(define (rank question passages now) {body})")
}

/// What a load of the code fails with, in a process that has the base module; it must still have it afterwards.
async fn refusal(code: &str) -> ScriptErrorKind {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    let error = process.refusal(ModuleKind::Memory, code).await;
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
    error.kind
}

/// EV-17: refused by the engine; that the system refuses it as well is tested with the real program.
#[tokio::test]
async fn names_that_reach_outside_are_refused_and_the_old_module_stays() {
    for body in [
        "(spawn-process (command \"true\" '()))",
        "(load \"x.scm\")",
        "(env-var \"HOME\")",
        "(Engine::new)",
        "(eval '(+ 1 2))",
        "(display 1)",
        "(read-line (stdin))",
        "(with-handler (lambda (e) 1) (let loop () (loop)))",
        "(spawn-native-thread (lambda () 1))",
        "(time/sleep-ms 1)",
        "(deftool \"a.b\" \"c\" \"{}\" 'read rank)",
    ] {
        assert_eq!(refusal(&ranking(body)).await, Refused, "{body}");
    }
    assert_eq!(refusal("(require \"steel/sync\")").await, Refused);
    assert_eq!(refusal("(require-builtin steel/process)").await, Refused);
}

#[tokio::test]
async fn a_load_that_fails_keeps_the_old_module() {
    for (code, kind) in [
        ("(define (rank question", Syntax),
        ("(define (rank question passages now) '()) (car 5)", Runtime),
        ("(define (rank question passages now) '()) (error \"no\")", Runtime),
    ] {
        assert_eq!(refusal(code).await, kind, "{code}");
    }
    let large = format!("{}{}", ranking("'()"), " ".repeat(CODE_BYTES_MAX));
    assert_eq!(refusal(&large).await, TooLarge);
}

/// EV-20.
#[tokio::test]
async fn a_hundred_thousand_brackets_are_refused_before_they_are_parsed() {
    assert_eq!(refusal(&"(".repeat(100_000)).await, TooLarge);
    assert_eq!(refusal(&format!("{}{}", "(".repeat(100_000), ")".repeat(100_000))).await, TooLarge);
    assert_eq!(refusal(&"'".repeat(100_000)).await, TooLarge);
    assert_eq!(refusal(&"#;".repeat(100_000)).await, TooLarge);
}

#[tokio::test]
async fn code_that_nests_as_deep_as_allowed_is_read() {
    let nested = format!("{}1{}", "(+ 1 ".repeat(490), ")".repeat(490));
    let code = ranking(&format!("(if (= {nested} 491) (map passage-id passages) '())"));
    let mut process = Process::with_memory(&code).await;
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [1, 2]);
}

/// EV-18: a handler around it and a thread beside it are names that are refused.
#[tokio::test]
async fn an_endless_loop_is_interrupted_and_the_process_goes_on() {
    let code = ranking("(if (null? passages) '() (let loop ([n 0]) (loop (+ n 1))))");
    let mut process = Process::with_memory(&code).await;
    for _ in 0..2 {
        let looping = process.client.rank(request(&[(1, 0.1)]), SHORT).await;
        assert_eq!(failure(looping), Time);
        assert_eq!(process.order(request(&[])).await, [0; 0]);
    }
}

#[tokio::test]
async fn a_load_that_never_ends_is_interrupted_and_keeps_the_old_module() {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    let code = "(define (rank question passages now) '()) (let loop () (loop))";
    let loaded = process.client.load(ModuleKind::Memory, code, SHORT).await;
    assert_eq!(failure(loaded), Time);
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
}

/// EV-18.
#[tokio::test]
async fn a_native_loop_ends_the_process_with_the_known_code() {
    // A number of so many digits takes the engine minutes, all of them outside its own instructions.
    let code = ranking("(list (modulo (expt 7 (expt 7 9)) 2))");
    let mut process = Process::with_memory(&code).await;
    let asked = process.client.rank(request(&[(1, 0.1)]), Duration::from_millis(200)).await;
    assert!(
        matches!(asked, Err(ModuleCallError::Ended(ModuleEndedError::Deadline(_)))),
        "{asked:?}"
    );
    assert_eq!(process.exit_code().await, Some(STUCK_EXIT_CODE));
    let again = process.client.rank(request(&[(1, 0.1)]), AMPLE).await;
    assert!(
        matches!(again, Err(ModuleCallError::Ended(ModuleEndedError::Deadline(_)))),
        "{again:?}"
    );
    assert!(process.client.ended().is_some());
}

#[tokio::test]
async fn a_panic_of_the_engine_is_a_failure_and_the_module_begins_anew() {
    let schema = "\"{\\\"type\\\": \\\"object\\\"}\"";
    let code = format!(
        "(deftool \"a.seven\" \"Gives seven.\" {schema} 'read
           (lambda (arguments) 7))
         (deftool \"a.panic\" \"Panics.\" {schema} 'read
           (lambda (arguments) (make-string -1 #\\a)))"
    );
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    process.client.load(ModuleKind::Tools, &code, AMPLE).await.unwrap();
    for _ in 0..2 {
        let called = process.client.call_tool("a.seven", json!({}), &mut NoneThere, AMPLE).await;
        assert_eq!(called.unwrap().value, json!(7));
        let called = process.client.call_tool("a.panic", json!({}), &mut NoneThere, AMPLE).await;
        let error = script_error(called);
        assert_eq!(error.kind, Runtime);
        assert!(error.message.contains("the engine failed"), "{error}");
    }
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
    assert_eq!(refusal("(define kept (make-string -1 #\\a))").await, Runtime);
}

/// What came in with one call must not come out with another: it may have lost its mark by then.
#[tokio::test]
async fn tools_and_commands_keep_nothing_between_calls() {
    for code in [
        "(define kept 0) (define (keep x) (set! kept x))",
        "(define kept (make-vector 1 0)) (define (keep x) (vector-set! kept 0 x))",
    ] {
        for kind in [ModuleKind::Tools, ModuleKind::Dsl] {
            let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
            let error = script_error(process.client.load(kind, code, AMPLE).await);
            assert_eq!(error.kind, Refused);
            assert!(error.message.contains("keep nothing"), "{error}");
        }
    }
}

/// EV-20.
#[tokio::test]
async fn recursion_without_an_end_costs_at_the_most_its_process() {
    let code = format!("(define (deep n) (+ 1 (deep n))) {}", ranking("(list (deep 1))"));
    let mut process = Process::with_memory(&code).await;
    let asked = process.client.rank(request(&[(1, 0.1)]), Duration::from_secs(20)).await;
    match asked {
        Err(ModuleCallError::Script { error, .. }) => {
            assert!(matches!(error.kind, Time | Runtime), "{error}");
            process
                .client
                .load(ModuleKind::Memory, ModuleKind::Memory.base_code(), AMPLE)
                .await
                .unwrap();
        }
        Err(ModuleCallError::Ended(_)) => {}
        other => panic!("it came back: {other:?}"),
    }
}

#[tokio::test]
async fn a_gigabyte_of_garbage_costs_at_the_most_its_process() {
    for body in [
        "(let loop ([kept '()]) (loop (cons (make-string 1000000 #\\a) kept)))",
        "(let loop ([text \"garbage\"]) (loop (string-append text text)))",
        "(list (length (range 0 100000000000)))",
        "(list (vector-length (make-vector 1000000000 0)))",
    ] {
        let mut process = Process::with_memory(&ranking(body)).await;
        let asked = process.client.rank(request(&[(1, 0.1)]), Duration::from_secs(20)).await;
        assert!(asked.is_err(), "{body}: {asked:?}");
        if let Err(ModuleCallError::Script { error, .. }) = asked {
            assert!(matches!(error.kind, Time | Runtime), "{body}: {error}");
        }
    }
}

#[tokio::test]
async fn garbage_that_nobody_keeps_costs_nothing() {
    // Twice what the process may map, a megabyte at a time.
    let code = format!(
        "(define (double text n) (if (= n 0) text (double (string-append text text) (- n 1))))
         (define megabyte (double \"a\" 20))
         {}",
        ranking(
            "(let loop ([n 0])
               (if (= n 2048)
                   (map passage-id passages)
                   (begin (string-append megabyte \"a\") (loop (+ n 1)))))"
        )
    );
    let mut process = Process::with_memory(&code).await;
    assert_eq!(process.order(request(&[(1, 0.1)])).await, [1]);
}

#[tokio::test]
async fn a_result_that_would_fill_all_memory_is_too_large() {
    let code = "(define (grow n) (if (= n 0) \"x\" (let ([part (grow (- n 1))]) (list part part))))
                (deftool \"a.wide\" \"Too wide.\" \"{\\\"type\\\": \\\"object\\\"}\" 'read (lambda (arguments) (grow 40)))
                (define (nest n) (if (= n 0) 1 (list (nest (- n 1)))))
                (deftool \"a.deep\" \"Too deep.\" \"{\\\"type\\\": \\\"object\\\"}\" 'read (lambda (arguments) (nest 5000)))
                (deftool \"a.long\" \"Too long.\" \"{\\\"type\\\": \\\"object\\\"}\" 'read (lambda (arguments) (make-string 2000000 #\\a)))";
    let mut process = Process::start();
    process.client.load(ModuleKind::Tools, code, AMPLE).await.unwrap();
    for tool in ["a.wide", "a.deep", "a.long"] {
        let called = process.client.call_tool(tool, json!({}), &mut NoneThere, AMPLE).await;
        assert_eq!(failure(called), TooLarge, "{tool}");
    }
}
