//! One message in turns: a slice of ours, a slice of each rival, and again. Ours checks every field of the protocol and
//! keeps payloads as bytes; the rivals build every value and check nothing.

use super::{
    ours,
    rival::{Codec, RivalCodec},
    samples::SampleMessage,
};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
};

/// What a slice is to take, in seconds: far above what a clock misses, far below what a neighbour needs to come and go.
const SLICE_SECONDS: f64 = 0.02;
/// Most repetitions of a slice.
const COUNT_MAX: u32 = 1 << 24;

/// Times of one party, in microseconds a message.
struct PartyTimes<'a> {
    rival: Option<&'a mut RivalCodec>,
    count: u32,
    times: Vec<f64>,
}

impl PartyTimes<'_> {
    fn seconds(&mut self, sample: &SampleMessage, count: u32) -> Result<f64, BenchError> {
        match &mut self.rival {
            Some(rival) => rival.seconds(sample.name, count),
            None => ours::seconds(sample, count),
        }
    }

    /// Finds how often the message fits into a slice, and is warm afterwards.
    fn calibrate(&mut self, sample: &SampleMessage) -> Result<(), BenchError> {
        self.count = calibrated(|count| self.seconds(sample, count))?;
        Ok(())
    }

    fn slice(&mut self, sample: &SampleMessage) -> Result<(), BenchError> {
        let seconds = self.seconds(sample, self.count)?;
        self.times.push(seconds * 1e6 / f64::from(self.count));
        Ok(())
    }
}

/// How often something fits into a slice.
pub(super) fn calibrated(
    mut seconds: impl FnMut(u32) -> Result<f64, BenchError>,
) -> Result<u32, BenchError> {
    let mut count = 1;
    loop {
        let took = seconds(count)?;
        if took >= SLICE_SECONDS / 2.0 || count >= COUNT_MAX {
            let fits = f64::from(count) * SLICE_SECONDS / took.max(f64::MIN_POSITIVE);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to what a count can be"
            )]
            return Ok(fits.round().clamp(1.0, f64::from(COUNT_MAX)) as u32);
        }
        count *= 2;
    }
}

/// Measures one message: a row of ours, and one beside each rival.
pub(super) fn measure(
    rounds: u32,
    sample: &SampleMessage,
    rivals: &mut [RivalCodec],
    absent: &[String],
) -> Result<Vec<Row>, BenchError> {
    let rivals = rivals.iter_mut().map(Some);
    let parties = std::iter::once(None).chain(rivals);
    let mut parties: Vec<_> =
        parties.map(|rival| PartyTimes { rival, count: 1, times: Vec::new() }).collect();
    for party in &mut parties {
        party.calibrate(sample)?;
    }
    for _ in 0..rounds {
        for party in &mut parties {
            party.slice(sample)?;
        }
    }
    Ok(rows(sample, &parties, absent))
}

fn rows(sample: &SampleMessage, parties: &[PartyTimes<'_>], absent: &[String]) -> Vec<Row> {
    let [id, python, javascript] = sample.ids;
    let ours = parties.first().map(|party| party.times.as_slice()).unwrap_or_default();
    let title = format!("{}, read and written", sample.title);
    let size = format!(
        "{} bytes; ours checks every field and keeps payloads as bytes",
        sample.body().len()
    );
    let notes: Vec<_> = std::iter::once(size).chain(absent.iter().cloned()).collect();
    let mut rows = vec![Row::new(id, title.clone(), "us", ours).note(notes.join("; "))];
    for party in parties {
        let Some(rival) = &party.rival else { continue };
        let id = match rival.codec {
            Codec::Python => python,
            Codec::JavaScript => javascript,
        };
        let row = Row::new(id, title.clone(), "us", ours).beside(
            format!("{}, without any check", rival.title),
            ours,
            &party.times,
        );
        rows.push(row.held_to(Bar::at_most(BarSubject::Ratio, 1.0)));
    }
    rows
}
