//! The side of the folder that reads: from memory, from the end, by tick, by search.

use std::{convert::Infallible, io, ops::RangeInclusive};

use abide_domain::EntityName;

use super::{
    ENTRIES_MAX, ReadResult,
    entity::{EntityLog, LogView},
    error::{SearchError, StdoutError},
    folder::StdoutFolder,
    recent::RECENT_ENTRIES,
    search::{EntryCondition, EntryFilter, LogSearch, ScanError, newest_of},
    tick_range::range_of,
};

/// Every tick.
const ALL_TICKS: RangeInclusive<u64> = 0..=u64::MAX;

impl StdoutFolder {
    /// The last hundred entries, from memory.
    pub fn recent(&self, entity: &EntityName) -> Result<ReadResult, StdoutError> {
        self.tail(entity, RECENT_ENTRIES)
    }

    /// The last entries, at most [`ENTRIES_MAX`]: a hundred from memory, more from the end of the file.
    pub fn tail(&self, entity: &EntityName, last: usize) -> Result<ReadResult, StdoutError> {
        if last <= RECENT_ENTRIES {
            return self.with(entity, |log| log.recent(last));
        }
        let last = last.min(ENTRIES_MAX);
        self.read(entity, |view| newest_of(&*view.file, 0..view.end, entity, &ALL_TICKS, last))
    }

    /// The last entries of some ticks, at most [`ENTRIES_MAX`].
    pub fn between(
        &self,
        entity: &EntityName,
        ticks: RangeInclusive<u64>,
        last: usize,
    ) -> Result<ReadResult, StdoutError> {
        let last = last.min(ENTRIES_MAX);
        self.read(entity, |view| {
            let range = range_of(&*view.file, view.end, &ticks, entity)?;
            newest_of(&*view.file, range, entity, &ticks, last)
        })
    }

    /// The last entries that fit a filter, at most [`ENTRIES_MAX`].
    pub fn search(
        &self,
        entity: &EntityName,
        filter: &EntryFilter,
        last: usize,
    ) -> Result<ReadResult, StdoutError> {
        match self.run_search::<Infallible>(entity, filter, last, None) {
            Ok(found) => Ok(found),
            Err(SearchError::Store(error)) => Err(error),
            Err(SearchError::Condition { source, .. }) => match source {},
        }
    }

    /// The last entries that fit a filter and a condition, at most [`ENTRIES_MAX`]. A condition that fails on an entry
    /// ends the search. It is asked from several threads and in no order.
    pub fn search_by<E: Send>(
        &self,
        entity: &EntityName,
        filter: &EntryFilter,
        last: usize,
        fits: &EntryCondition<'_, E>,
    ) -> Result<ReadResult, SearchError<E>> {
        self.run_search(entity, filter, last, Some(fits))
    }

    fn run_search<E: Send>(
        &self,
        entity: &EntityName,
        filter: &EntryFilter,
        last: usize,
        fits: Option<&EntryCondition<'_, E>>,
    ) -> Result<ReadResult, SearchError<E>> {
        let looked = self.with(entity, |log| Ok((log.view()?, log.checked.clone())))?;
        let (Some(view), checked) = looked else { return Ok(ReadResult::nothing()) };
        let last = last.min(ENTRIES_MAX);
        let run = || {
            let range = match &filter.ticks {
                Some(ticks) => range_of(&*view.file, view.end, ticks, entity)?,
                None => 0..view.end,
            };
            let (view, checked) = (&view, &checked);
            LogSearch { view, entity, filter, fits, checked, range, last }.run()
        };
        match run() {
            Ok(searched) => {
                if let Some((range, corrupt)) = searched.newly_checked {
                    self.with(entity, |log| {
                        log.checked.add(range, corrupt.into_iter());
                        Ok(())
                    })?;
                }
                Ok(searched.found)
            }
            Err(ScanError::Condition { tick, source }) => {
                Err(SearchError::Condition { tick, source })
            }
            Err(ScanError::Io(source)) => {
                self.read_error(entity, source).map_err(SearchError::Store)
            }
        }
    }

    /// Reads a log as it stands at this moment, without its lock.
    fn read(
        &self,
        entity: &EntityName,
        look: impl FnOnce(&LogView) -> io::Result<ReadResult>,
    ) -> Result<ReadResult, StdoutError> {
        let Some(view) = self.with(entity, EntityLog::view)? else {
            return Ok(ReadResult::nothing());
        };
        look(&view).or_else(|source| self.read_error(entity, source))
    }

    fn read_error(
        &self,
        entity: &EntityName,
        source: io::Error,
    ) -> Result<ReadResult, StdoutError> {
        self.with(entity, |log| Err(log.read_error()(source)))
    }
}

impl ReadResult {
    fn nothing() -> Self {
        Self { matched: Some(0), ..Self::default() }
    }
}
