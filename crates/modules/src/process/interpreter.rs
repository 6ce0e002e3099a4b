//! One engine: empty at first, then the allow-list, our prelude, and the code of one module. It says what went wrong in
//! the module's own terms, and a panic of the engine is one of the things that can go wrong. It never gives a name to a
//! module that does not stand in [`primitives`](super::primitives) or in our own files.

use std::panic::{AssertUnwindSafe, catch_unwind};

use steel::{
    SteelErr, SteelVal,
    rerrs::ErrorKind,
    steel_vm::{ThreadStateController, engine::Engine},
};

use super::{primitives, source};
use crate::failure::{ScriptError, ScriptErrorKind};

/// The engine of one module.
pub(super) struct Interpreter {
    engine: Engine,
    controller: ThreadStateController,
    /// The module's code as the engine has it, to find lines by.
    code: String,
}

/// In the words of a panic where the engine asked for memory that was refused.
const NO_MEMORY: &str = "AllocError";

/// Why a program gave nothing.
pub(super) enum ScriptEnd {
    /// It failed; the engine is as good as before.
    Failed(ScriptError),
    /// The engine panicked: it must not be used again.
    Panicked(ScriptError),
}

impl Interpreter {
    /// An engine without a module's code; `install` adds what the kind of module has beside the
    /// allow-list, and gives the Scheme that goes with it.
    pub(super) fn new(
        install: impl FnOnce(&mut Engine) -> &'static str,
    ) -> Result<Self, ScriptError> {
        let built = catch_unwind(AssertUnwindSafe(|| -> Result<_, String> {
            let mut engine = Engine::new_raw_no_kernel();
            primitives::install(&mut engine).map_err(|name| format!("it lacks `{name}`"))?;
            let own = install(&mut engine);
            for scheme in [include_str!("../../scheme/prelude.scm"), own] {
                engine.run(scheme).map_err(|error| format!("its prelude fails: {error}"))?;
            }
            Ok(engine)
        }));
        let built = built.unwrap_or_else(|payload| Err(panic_words(&*payload)));
        let engine = built.map_err(|words| {
            ScriptError::new(ScriptErrorKind::Runtime, format!("cannot make an engine: {words}"))
        })?;
        let controller = engine.get_thread_state_controller();
        Ok(Self { engine, controller, code: String::new() })
    }

    /// What interrupts this engine.
    pub(super) fn controller(&self) -> &ThreadStateController {
        &self.controller
    }

    /// Evaluates a module's code, once.
    pub(super) fn run(&mut self, code: String) -> Result<(), ScriptEnd> {
        self.code = code;
        let ran = catch_unwind(AssertUnwindSafe(|| self.engine.run(self.code.clone())));
        match ran {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(ScriptEnd::Failed(self.explain(&error))),
            Err(payload) => Err(panicked(&*payload)),
        }
    }

    /// Calls a procedure of the module.
    pub(super) fn call(
        &mut self,
        function: SteelVal,
        arguments: Vec<SteelVal>,
    ) -> Result<SteelVal, ScriptEnd> {
        let engine = &mut self.engine;
        let called =
            catch_unwind(AssertUnwindSafe(|| engine.call_function_with_args(function, arguments)));
        match called {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(ScriptEnd::Failed(self.explain(&error))),
            Err(payload) => Err(panicked(&*payload)),
        }
    }

    /// The value of a name that the module defined.
    pub(super) fn defined(&self, name: &str) -> Option<SteelVal> {
        self.engine.extract_value(name).ok()
    }

    fn explain(&self, error: &SteelErr) -> ScriptError {
        let shown = error.to_string();
        let prefix = format!("Error: {}: ", error.kind());
        let words = shown.strip_prefix(&prefix).unwrap_or(&shown).trim();
        let failure = match error.kind() {
            ErrorKind::FreeIdentifier => {
                let name = words.rsplit(": ").next().unwrap_or(words);
                let message =
                    format!("`{name}` is not defined here and may not be used in a module");
                ScriptError::new(ScriptErrorKind::Refused, message)
            }
            ErrorKind::Parse | ErrorKind::UnexpectedToken | ErrorKind::BadSyntax => {
                ScriptError::new(ScriptErrorKind::Syntax, words)
            }
            _ => ScriptError::new(ScriptErrorKind::Runtime, words),
        };
        failure.on_line(self.line(error))
    }

    /// The line of an error, where it is in the module's own code.
    fn line(&self, error: &SteelErr) -> Option<u32> {
        let span = error.span()?;
        let text = self.engine.get_source(&span.source_id?)?;
        (*text == self.code.as_str()).then(|| source::line(&self.code, span.start)).flatten()
    }
}

fn panicked(payload: &(dyn std::any::Any + Send)) -> ScriptEnd {
    let words = panic_words(payload);
    let message = if words.contains(NO_MEMORY) {
        "it needed more memory than it may have".to_owned()
    } else {
        format!("the engine failed: {words}")
    };
    ScriptEnd::Panicked(ScriptError::new(ScriptErrorKind::Runtime, message))
}

fn panic_words(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without words").to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use steel::{
        SteelVal,
        steel_vm::{builtin::BuiltInModule, engine::Engine, primitives as all},
    };

    use super::{Interpreter, ScriptEnd, primitives, source};
    use crate::{failure::ScriptErrorKind, process::passages};

    fn interpreter() -> Interpreter {
        super::super::home::withhold();
        let install = |engine: &mut Engine| {
            passages::install_helpers(engine);
            ""
        };
        Interpreter::new(install).unwrap()
    }

    fn run(interpreter: &mut Interpreter, code: &str) -> Result<(), (ScriptErrorKind, String)> {
        let plain = source::check(code).map_err(|error| (error.kind, error.message))?;
        interpreter.run(plain).map_err(|end| match end {
            ScriptEnd::Failed(error) | ScriptEnd::Panicked(error) => (error.kind, error.message),
        })
    }

    /// What a program gives, as it is written.
    fn value(code: &str) -> String {
        let mut interpreter = interpreter();
        let ran = run(&mut interpreter, &format!("(define result (let () {code}))"));
        assert_eq!(ran, Ok(()), "{code}");
        interpreter.defined("result").unwrap().to_string()
    }

    #[test]
    fn every_primitive_of_the_engine_that_is_not_allowed_is_refused() {
        let allowed: BTreeSet<&str> = primitives::allowed().collect();
        // What the prelude defines itself under a name that the engine has too.
        let ours =
            ["hash->list", "hash-keys->list", "hash-values->list", "vector->list", "list-drop"];
        let mut names: BTreeSet<String> = BTreeSet::new();
        names.extend(all::PRELUDE_MODULE.with(BuiltInModule::names));
        names.extend(all::HTTP_MODULE.with(BuiltInModule::names));
        names.extend(all::TCP_MODULE.with(BuiltInModule::names));
        names.extend(all::GIT_MODULE.with(BuiltInModule::names));
        names.extend(all::TIME_MODULE.with(BuiltInModule::names));
        names.extend(all::RANDOM_MODULE.with(BuiltInModule::names));
        names.extend(all::POLLING_MODULE.with(BuiltInModule::names));
        names.extend(all::HASHES_MODULE.with(BuiltInModule::names));
        names.extend(all::BYTEVECTOR_MODULE.with(BuiltInModule::names));
        names.extend(all::private_prim_module().names());
        let mut interpreter = interpreter();
        let empty = Engine::new_raw_no_kernel();
        names.extend(empty.globals().iter().map(|name| name.resolve().to_owned()));
        assert!(names.len() > 600, "{} names of the engine were looked at", names.len());
        for name in names {
            if allowed.contains(name.as_str()) || ours.contains(&name.as_str()) {
                continue;
            }
            let code = format!("(define (probe) ({name} 1))");
            let refused = run(&mut interpreter, &code).err().map(|(kind, _)| kind);
            // What begins so is no name that could be read.
            let is_unreadable = name.starts_with("##");
            let refusal =
                if is_unreadable { ScriptErrorKind::Syntax } else { ScriptErrorKind::Refused };
            assert_eq!(refused, Some(refusal), "{name}");
        }
    }

    #[test]
    fn what_reaches_outside_is_refused_by_name() {
        let mut interpreter = interpreter();
        let names = "
            command spawn-process wait env-var maybe-get-env-var set-env-var! load eval eval! eval-string
            eval-file Engine::new Engine::clone run! #%build-dylib #%get-dylib load-expanded open-input-file
            open-output-file read-to-string stdin stdout display displayln write newline read-line
            stdout-simple-displayln read! expand! delete-file! create-directory! delete-directory!
            copy-directory-recursively! read-dir path-exists? is-file? current-directory
            change-current-directory! canonicalize-path command-line current-os! steel-home-location
            spawn-thread! spawn-native-thread thread/available-parallelism current-milliseconds
            current-second time/now local-time/now! time/sleep-ms instant/now system-time/now rng->gen-usize
            rng->new rng->gen-range tcp-connect tcp-listen http-parse-request git-clone
            call-with-exception-handler with-handler call/cc call-with-current-continuation dynamic-wind
            make-will-executor will-execute block-on async-exec breakpoint! inspect #%debug-globals require
            require-builtin #%require-dylib provide begin-for-syntax defmacro";
        for name in names.split_whitespace() {
            let refused = run(&mut interpreter, &format!("({name} 1)")).err().map(|(kind, _)| kind);
            assert_eq!(refused, Some(ScriptErrorKind::Refused), "{name}");
        }
    }

    #[test]
    fn the_usual_forms_and_functions_do_what_they_do_elsewhere() {
        for (code, expected) in [
            ("(and 1 2)", "2"),
            ("(or #f #f 3)", "3"),
            ("(cond [#f 1] [(= 1 1) 2] [else 3])", "2"),
            ("(cond [(assoc 2 (list (cons 1 5) (cons 2 6))) => cdr] [else 0])", "6"),
            ("(case (+ 1 2) [(1 2) 'few] [(3) 'three] [else 'many])", "three"),
            ("(case 9 [(1 2) 'few] [else 'many])", "many"),
            ("(let* ([a 1] [b (+ a 1)]) (* a b))", "2"),
            (
                "(letrec ([even (lambda (n) (if (= n 0) #t (odd (- n 1))))] [odd (lambda (n) (if (= n 0) #f (even (- n 1))))]) (even 10))",
                "#true",
            ),
            ("(let loop ([n 0]) (if (< n 5) (loop (+ n 1)) n))", "5"),
            ("`(1 ,(+ 1 1) ,@(list 3 4) (5 ,(* 2 3)))", "(1 2 3 4 (5 6))"),
            ("(when #f 1)", "#<void>"),
            ("(map + (list 1 2 3) (list 10 20))", "(11 22)"),
            ("(map (lambda (x) (* x x)) (list 1 2 3))", "(1 4 9)"),
            ("(filter odd? (list 1 2 3))", "(1 3)"),
            ("(fold cons '() (list 1 2 3))", "(3 2 1)"),
            ("(foldr cons '() (list 1 2 3))", "(1 2 3)"),
            ("(any even? (list 1 2))", "#true"),
            ("(every even? (list 1 2))", "#false"),
            ("(max 1 5 3)", "5"),
            ("(sum (list 1 2 3))", "6"),
            ("(sort (list 3 1 2) <)", "(1 2 3)"),
            (
                "(map cdr (sort (list (cons 1 'a) (cons 0 'b) (cons 1 'c) (cons 0 'd)) (lambda (x y) (< (car x) (car y)))))",
                "(b d a c)",
            ),
            (
                "(sort-by-descending car (list (list 1 'a) (list 2 'b) (list 1 'c) (list 2.5 'd)))",
                "((2.5 d) (2 b) (1 a) (1 c))",
            ),
            ("(map car (hash->list (hash 'b 1 'a 2 \"c\" 3 7 4)))", "(7 \"c\" a b)"),
            ("(hash-values->list (hash 'b 1 'a 2))", "(2 1)"),
            ("(vector->list (vector 1 2))", "(1 2)"),
            ("(list (list-drop (list 1 2 3) 2) (list-drop (list 1) -5))", "((3) (1))"),
            ("(string-append \"a\" (number->string 1.5))", "\"a1.5\""),
        ] {
            assert_eq!(value(code).trim_start_matches('\''), expected, "{code}");
        }
    }

    #[test]
    fn a_module_may_have_macros_of_its_own() {
        let mut interpreter = interpreter();
        let code = "(define-syntax twice (syntax-rules () [(twice form) (begin form form)]))
                    (define result 0) (twice (set! result (+ result 1)))";
        assert_eq!(run(&mut interpreter, code), Ok(()));
        assert!(matches!(interpreter.defined("result"), Some(SteelVal::IntV(2))));
    }

    #[test]
    fn a_failure_names_the_line_of_the_modules_code() {
        let mut interpreter = interpreter();
        let code = "; first\n(define (f x)\n  (car x))\n(define (g)\n  (f 5))";
        interpreter.run(source::check(code).unwrap()).ok().unwrap();
        let g = interpreter.defined("g").unwrap();
        let Err(ScriptEnd::Failed(error)) = interpreter.call(g, Vec::new()) else {
            panic!("it ran")
        };
        assert_eq!((error.kind, error.line), (ScriptErrorKind::Runtime, Some(3)));
        let code = "(define (h)\n  (unheard-of 1))";
        let Err(ScriptEnd::Failed(error)) = interpreter.run(code.to_owned()) else {
            panic!("it ran")
        };
        assert_eq!((error.kind, error.line), (ScriptErrorKind::Refused, Some(2)));
        assert!(error.message.contains("unheard-of"), "{error}");
    }

    #[test]
    fn many_failures_leave_an_engine_as_it_was() {
        let mut interpreter = interpreter();
        let code = "(define (f n) (if (= n 0) (car 5) (+ 1 (f (- n 1))))) (define (g) 7)";
        interpreter.run(code.to_owned()).ok().unwrap();
        let (f, g) = (interpreter.defined("f").unwrap(), interpreter.defined("g").unwrap());
        for _ in 0..500 {
            assert!(interpreter.call(f.clone(), vec![SteelVal::IntV(50)]).is_err());
            assert!(matches!(interpreter.call(g.clone(), Vec::new()), Ok(SteelVal::IntV(7))));
        }
    }
}
