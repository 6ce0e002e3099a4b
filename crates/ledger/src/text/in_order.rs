//! Parts of a search on all cores, their results taken in order, no further than needed.
//!
//! The first parts are done by the caller's thread alone: most questions are answered there, and a thread costs more.

use std::{
    collections::BTreeMap,
    num::NonZero,
    ops::ControlFlow,
    sync::Mutex,
    thread::{self, available_parallelism},
};

use crate::lock;

/// Parts that are done before threads are started.
const SINGLE_THREADED_PARTS: usize = 2;

/// Works on parts and hands the results to `take` in the order of the parts, until it has enough or one failed.
///
/// Each thread has a scratch value of its own: buffers, and whatever cannot be shared without waiting. The work on a
/// later part may have been done when an earlier one ends the search; its result is dropped.
pub fn process_in_order<P: Sync, B, R: Send, E: Send>(
    parts: &[P],
    scratch: &(dyn Fn() -> B + Sync),
    work: &(dyn Fn(&mut B, &P) -> Result<R, E> + Sync),
    take: &mut (dyn FnMut(R) -> ControlFlow<()> + Send),
) -> Result<(), E> {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let alone = if threads == 1 { parts.len() } else { SINGLE_THREADED_PARTS.min(parts.len()) };
    let (alone, shared) = parts.split_at_checked(alone).unwrap_or_default();
    let mut own = scratch();
    for part in alone {
        if take(work(&mut own, part)?).is_break() {
            return Ok(());
        }
    }
    let queue = Mutex::new(Queue { given: 0, taken: 0, done: BTreeMap::new(), take, end: None });
    thread::scope(|scope| {
        for _ in 1..threads.min(shared.len()) {
            scope.spawn(|| work_through(shared, &mut scratch(), work, &queue));
        }
        work_through(shared, &mut own, work, &queue);
    });
    let end = lock(&queue).end.take();
    end.unwrap_or(Ok(()))
}

struct Queue<'a, R, E> {
    /// How many parts were given to threads.
    given: usize,
    /// How many results were taken.
    taken: usize,
    /// Results that wait for an earlier one.
    done: BTreeMap<usize, Result<R, E>>,
    take: &'a mut (dyn FnMut(R) -> ControlFlow<()> + Send),
    end: Option<Result<(), E>>,
}

impl<R, E> Queue<'_, R, E> {
    fn give(&mut self) -> Option<usize> {
        let index = self.given;
        self.given += 1;
        self.end.is_none().then_some(index)
    }

    fn put(&mut self, index: usize, result: Result<R, E>) {
        self.done.insert(index, result);
        while self.end.is_none()
            && let Some(result) = self.done.remove(&self.taken)
        {
            self.taken += 1;
            self.end = match result.map(&mut *self.take) {
                Ok(ControlFlow::Continue(())) => None,
                Ok(ControlFlow::Break(())) => Some(Ok(())),
                Err(error) => Some(Err(error)),
            };
        }
    }
}

fn work_through<P, B, R, E>(
    parts: &[P],
    scratch: &mut B,
    work: &(dyn Fn(&mut B, &P) -> Result<R, E> + Sync),
    queue: &Mutex<Queue<'_, R, E>>,
) {
    loop {
        let given = lock(queue).give();
        let Some((index, part)) = given.and_then(|index| Some((index, parts.get(index)?))) else {
            return;
        };
        let result = work(scratch, part);
        lock(queue).put(index, result);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::process_in_order;

    fn run(parts: &[u64], bad: Option<u64>, enough: usize) -> (Result<(), u64>, Vec<u64>) {
        let mut taken = Vec::new();
        let work =
            |(): &mut (), part: &u64| if Some(*part) == bad { Err(*part) } else { Ok(part * 10) };
        let end = process_in_order(parts, &|| (), &work, &mut |result| {
            taken.push(result);
            if taken.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (end, taken)
    }

    #[test]
    fn results_come_in_order_whatever_the_threads_do() {
        let parts: Vec<u64> = (0..500).collect();
        let all: Vec<u64> = parts.iter().map(|part| part * 10).collect();
        assert_eq!(run(&parts, None, usize::MAX), (Ok(()), all.clone()));
        for enough in [1, 2, 3, 7, 499] {
            assert_eq!(run(&parts, None, enough), (Ok(()), all[..enough].to_vec()));
        }
        for bad in [0, 1, 2, 250, 499_usize] {
            assert_eq!(
                run(&parts, Some(bad as u64), usize::MAX),
                (Err(bad as u64), all[..bad].to_vec())
            );
        }
        assert_eq!(run(&[], None, usize::MAX), (Ok(()), Vec::new()));
        // What lies behind the end of a search does not fail it.
        assert_eq!(run(&parts, Some(400), 3).0, Ok(()));
    }
}
