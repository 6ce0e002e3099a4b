//! One search, from where it is to its end: its cases are read, it is measured, what won is proposed. Each of these is written before
//! the next begins, so that after a death it goes on there.

use std::sync::Arc;

use abide_evolution::{
    limits::SEARCH_CASES_MIN,
    search::{OrderFigures, RankedCase, SearchRun, split_by_time},
};

use super::{
    cases,
    folder::SearchFileContent,
    parts::{SearchControl, SearchesParts},
    proposal,
    record::{CasesSummary, SearchEnd, SearchPhase, SearchRecord, SearchStatus},
    worker,
};

/// Carries a search on until it has ended, or the keeper stops.
pub(super) async fn carry_on(
    parts: Arc<SearchesParts>,
    control: Arc<SearchControl>,
    record: SearchRecord,
) {
    let mut job = SearchJob { parts, control, record };
    let outcome = match job.outcome().await {
        Ok(Some(outcome)) => outcome,
        Ok(None) if job.control.is_stopped_by_person() => SearchEnd::Stopped,
        // The keeper stops: the next start goes on.
        Ok(None) => return,
        Err(why) => SearchEnd::Failed(why),
    };
    job.end(outcome).await;
}

struct SearchJob {
    parts: Arc<SearchesParts>,
    control: Arc<SearchControl>,
    record: SearchRecord,
}

impl SearchJob {
    /// How it ends; none where it was stopped before. Errors are words for people.
    async fn outcome(&mut self) -> Result<Option<SearchEnd>, String> {
        if self.record.report.is_none() {
            self.show(SearchPhase::Reading);
            let Some(cases) = self.cases().await? else { return Ok(None) };
            if cases.len() < SEARCH_CASES_MIN {
                return Ok(Some(SearchEnd::TooFew { usable: cases.len() }));
            }
            if !self.measure(cases).await? {
                return Ok(None);
            }
        }
        let Some(report) = &self.record.report else { return Ok(None) };
        Ok(Some(proposal::propose(&self.parts, &self.record, report).await))
    }

    /// Its cases, as they were written. Too few are not written.
    async fn cases(&mut self) -> Result<Option<Vec<RankedCase>>, String> {
        if self.record.run.is_some() {
            let (folder, agent) = (self.parts.folder.clone(), self.record.agent.clone());
            let written = blocking(move || folder.read_cases(&agent)).await?;
            let expected = self.record.cases.as_ref().map(|cases| cases.sha256.as_str());
            match written {
                SearchFileContent::Whole((cases, sha256)) if Some(&*sha256) == expected => {
                    return Ok(Some(cases));
                }
                SearchFileContent::Whole(_)
                | SearchFileContent::Absent
                | SearchFileContent::SetAside(_) => {
                    tracing::warn!(agent = %self.record.agent, event = "search_begins_again",
                        "the cases of a search are gone; it begins again");
                }
            }
        }
        let stop = self.control.stop.clone();
        let read = cases::read_cases(&self.parts, &self.record, &stop).await?;
        let Some(cases) = read else { return Ok(None) };
        if cases.len() < SEARCH_CASES_MIN {
            return Ok(Some(cases));
        }
        let (folder, agent) = (self.parts.folder.clone(), self.record.agent.clone());
        let written = blocking(move || folder.write_cases(&agent, &cases)).await?;
        let (cases, sha256) = written
            .map_err(|error| format!("the cases of the search cannot be written: {error}"))?;
        let (tuned, held_out) = split_by_time(cases.clone());
        self.record.cases = Some(CasesSummary {
            tuned: tuned.len(),
            held_out: held_out.len(),
            today: OrderFigures::today(&tuned).score,
            sha256,
        });
        let run = SearchRun::new(self.record.budget).map_err(|error| error.to_string())?;
        self.record.run = Some(run);
        self.write().await?;
        Ok(Some(cases))
    }

    /// Measures; whether all that there is to measure was.
    async fn measure(&mut self, cases: Vec<RankedCase>) -> Result<bool, String> {
        self.show(SearchPhase::Waiting);
        let stop = self.control.stop.clone();
        let turn = tokio::select! {
            () = stop.cancelled() => return Ok(false),
            turn = self.parts.turn.acquire() => turn.map_err(|error| error.to_string())?,
        };
        self.show(SearchPhase::Searching);
        let work = (self.record.clone(), cases);
        self.record = worker::measure(&self.parts, &self.control, work).await?;
        drop(turn);
        self.write().await?;
        Ok(self.record.report.is_some())
    }

    async fn end(mut self, outcome: SearchEnd) {
        tracing::info!(agent = %self.record.agent, event = "search_ended", outcome = outcome.as_str(),
            why = outcome.sentence(), "a search for a better order has ended");
        let status = self.record.status(SearchPhase::Ended);
        self.record.outcome = Some(outcome);
        self.record.run = None;
        if let Err(error) = self.write().await {
            tracing::warn!(agent = %self.record.agent, event = "search_not_written", error,
                "the end of a search could not be written; it ends again after the next start");
        }
        let (folder, agent) = (self.parts.folder.clone(), self.record.agent.clone());
        match blocking(move || folder.remove_cases(&agent)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(event = "search_cases_left", %error, "the cases of a search are left");
            }
            Err(error) => tracing::debug!(event = "search_cases_left", error, "the cases are left"),
        }
        // How far it came stays to be seen.
        self.control.show(SearchStatus { outcome: self.record.outcome.clone(), ..status });
    }

    fn show(&self, phase: SearchPhase) {
        self.control.show(self.record.status(phase));
    }

    async fn write(&self) -> Result<(), String> {
        let (folder, record) = (self.parts.folder.clone(), self.record.clone());
        let written = blocking(move || folder.write_search(&record)).await?;
        written.map_err(|error| format!("the search cannot be written: {error}"))
    }
}

/// Runs what waits for the disk off the threads of the runtime.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
}
