//! The memory module: what it sees, and what it may answer.

use abide_modules::{ModuleKind, PassageFeatures, PassageRole, ScriptErrorKind};

use crate::world::{AMPLE, Process, request, script_error};

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

#[tokio::test]
async fn the_base_module_orders_ten_thousand_requests_as_a_stable_sort_does() {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for round in 0..10_000 {
        let count = if round % 1000 == 0 { 100 } else { numbers.below(9) };
        // Few values, so that ties are many; a tenth times three, so that the last digit counts.
        let passages: Vec<(u64, f64)> = (0..count)
            .map(|id| {
                let tenths = f64::from(u32::try_from(numbers.below(5)).unwrap()) - 2.0;
                let score = if numbers.below(2) == 0 { tenths * 0.1 * 3.0 } else { tenths * 0.3 };
                (id * 7919 % 104_729 + 1, score)
            })
            .collect();
        let mut sorted = passages.clone();
        sorted.sort_by(|one, other| other.1.partial_cmp(&one.1).unwrap());
        let expected: Vec<u64> = sorted.iter().map(|(id, _)| *id).collect();
        assert_eq!(process.order(request(&passages)).await, expected, "{passages:?}");
    }
}

/// EV-21.
#[tokio::test]
async fn equal_scores_keep_the_order_in_which_they_were_offered() {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    let passages = [(5, 0.0), (9, -0.0), (1, 0.0), (7, 0.5), (3, 0.5), (2, 0.0)];
    assert_eq!(process.order(request(&passages)).await, [7, 3, 5, 9, 1, 2]);
    assert_eq!(process.order(request(&[])).await, [0; 0]);
}

#[tokio::test]
async fn a_module_sees_all_that_a_request_says() {
    let code = "
      (define (rank question passages now)
        (define p (car passages))
        (unless (and (equal? question \"Where is it?\")
                     (equal? (asker) \"Jonas\")
                     (= now 2000000000.25)
                     (= (passage-id p) 9223372036854775807)
                     (equal? (passage-text p) \"Grüße \\\"an\\\" alle\")
                     (equal? (passage-speaker p) \"felix\")
                     (equal? (passage-role p) 'agent)
                     (= (passage-at p) 1.5)
                     (= (feature p 'score) 0.1)
                     (= (feature p 'meaning-before) 0.7)
                     (= (feature p 'rank) 99))
          (error \"something is not as it was said\"))
        (list (passage-id p)))";
    let mut process = Process::with_memory(code).await;
    let mut asked = request(&[(i64::MAX.try_into().unwrap(), 0.1)]);
    asked.question = "Where is it?".to_owned();
    asked.now = 2_000_000_000.25;
    let passage = asked.passages.first_mut().unwrap();
    passage.text = "Grüße \"an\" alle".to_owned();
    passage.speaker = "felix".to_owned();
    passage.role = PassageRole::Agent;
    passage.at = 1.5;
    passage.features.meaning_before = 0.7;
    passage.features.rank = 99.0;
    assert_eq!(process.order(asked).await.len(), 1);
}

#[tokio::test]
async fn every_feature_can_be_asked_by_its_name_and_no_other() {
    let names = PassageFeatures::NAMES.map(|name| format!("(feature p '{name})")).join(" ");
    let code = format!(
        "(define (rank question passages now)
           (define p (car passages))
           (if (equal? (list {names}) (map inexact (range 0 25)))
               (list (passage-id p))
               (error \"the numbers are others\")))"
    );
    let mut process = Process::with_memory(&code).await;
    let mut asked = request(&[(1, 0.0)]);
    let mut number = -1.0;
    let values = [(); PassageFeatures::NAMES.len()].map(|()| {
        number += 1.0;
        number
    });
    asked.passages.first_mut().unwrap().features = PassageFeatures::from_values(values);
    assert_eq!(process.order(asked.clone()).await, [1]);

    let code = "(define (rank question passages now) (feature (car passages) 'scores))";
    let mut process = Process::with_memory(code).await;
    let error = script_error(process.client.rank(asked, AMPLE).await);
    assert_eq!(error.kind, ScriptErrorKind::Runtime);
    assert!(error.message.contains("scores"), "{error}");
}

/// EV-13: ids that were not offered, doubled ones, dropped ones, and the same ones whatever is asked.
#[tokio::test]
async fn an_answer_that_is_no_permutation_is_a_failure_that_says_what_is_wrong() {
    for (result, words) in [
        ("(list 1 2 4)", "4 was not offered"),
        ("(list 1 2 2)", "2 stands twice"),
        ("(list 3 1)", "2 is missing"),
        ("'()", "1 is missing"),
        ("(list 1 2 -3)", "not -3"),
        ("(list 1 2 3.0)", "not 3"),
        ("passages", "ids, not"),
        ("1", "a list of passage ids"),
        ("void", "a list of passage ids"),
    ] {
        let code = format!("(define (rank question passages now) {result})");
        let mut process = Process::with_memory(&code).await;
        let asked = request(&[(1, 0.1), (2, 0.2), (3, 0.3)]);
        let error = script_error(process.client.rank(asked, AMPLE).await);
        assert_eq!(error.kind, ScriptErrorKind::Shape, "{result}: {error}");
        assert!(error.message.contains(words), "{result}: {error}");
    }
}

#[tokio::test]
async fn a_module_that_defines_no_rank_is_not_loaded() {
    let mut process = Process::start();
    for code in ["", "(define rank 5)", "(define (order question passages now) passages)"] {
        let error = process.refusal(ModuleKind::Memory, code).await;
        assert_eq!(error.kind, ScriptErrorKind::Shape, "{code}: {error}");
    }
}
