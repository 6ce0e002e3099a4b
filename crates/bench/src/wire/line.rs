//! From a frame to a line of the log: cut out of the stream, walked over, turned into JSON without a tree, checksummed.

use std::{hint::black_box, io::Write as _};

use abide_wire::{Deframer, Direction, Raw, transcode};

use super::{duel::calibrated, ours::next_frame, samples::SampleMessage};
use crate::{
    error::BenchError,
    report::{Bar, BarSubject, Row},
    system::Stopwatch,
};

/// Lines that are gathered before the buffer begins anew, as a batch of the log does.
const LINES_A_BATCH: u32 = 1_000;

pub(super) fn measure(rounds: u32, sample: &SampleMessage) -> Result<Vec<Row>, BenchError> {
    let count = calibrated(|count| slice(sample, count, streamed))?;
    let trees = calibrated(|count| slice(sample, count, through_tree))?;
    let bare = calibrated(|count| only_transcoded(sample, count))?;
    let (mut lines, mut by_tree, mut json) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        lines.push(f64::from(count) / slice(sample, count, streamed)?);
        by_tree.push(f64::from(trees) / slice(sample, trees, through_tree)?);
        json.push(f64::from(bare) / only_transcoded(sample, bare)?);
    }
    let bytes = sample.frame.len();
    Ok(vec![
        Row::new(
            "frame_line",
            "from a frame to a line with its checksum, one core",
            "frames/s",
            &lines,
        )
        .beside("the same through a JSON tree", &lines, &by_tree)
        .held_to(Bar::at_least(BarSubject::Value, 1.5e6).reaching(2.2e6))
        .note(format!("{}, a frame of {bytes} bytes", sample.title)),
        Row::new("frame_transcode", "its body to JSON alone", "frames/s", &json),
    ])
}

/// Appends a body as JSON.
type ToJson = fn(&[u8], &mut Vec<u8>) -> Result<(), BenchError>;

fn streamed(body: &[u8], out: &mut Vec<u8>) -> Result<(), BenchError> {
    transcode(body, out).map_err(|problem| wrong(&problem))
}

fn through_tree(body: &[u8], out: &mut Vec<u8>) -> Result<(), BenchError> {
    let tree = Raw::parse(body.to_vec())
        .and_then(|raw| raw.to_json())
        .map_err(|problem| wrong(&problem))?;
    serde_json::to_writer(out, &tree).map_err(BenchError::of("write JSON"))
}

fn wrong(problem: &abide_wire::FieldError) -> BenchError {
    BenchError::Wrong(format!("a body did not become JSON: {problem}"))
}

/// Makes so many lines; gives the seconds that it took.
fn slice(sample: &SampleMessage, count: u32, to_json: ToJson) -> Result<f64, BenchError> {
    let mut deframer = Deframer::new(Direction::FromAgent);
    let mut out = Vec::new();
    let watch = Stopwatch::start();
    for seq in 0..count {
        if seq % LINES_A_BATCH == 0 {
            out.clear();
        }
        let frame = next_frame(&mut deframer, black_box(&sample.frame))?;
        let begin = out.len();
        write!(out, "{{\"seq\":{seq},\"data\":").map_err(BenchError::io("write a line"))?;
        to_json(frame.body(), &mut out)?;
        let crc = crc32c::crc32c(out.get(begin..).unwrap_or_default());
        writeln!(out, ",\"crc\":\"{crc:08x}\"}}").map_err(BenchError::io("write a line"))?;
        black_box(&out);
    }
    Ok(watch.seconds())
}

fn only_transcoded(sample: &SampleMessage, count: u32) -> Result<f64, BenchError> {
    let mut out = Vec::new();
    let watch = Stopwatch::start();
    for _ in 0..count {
        out.clear();
        streamed(black_box(sample.body()), &mut out)?;
        black_box(&out);
    }
    Ok(watch.seconds())
}

#[cfg(test)]
mod tests {
    use super::{streamed, through_tree};

    #[test]
    fn both_ways_to_a_line_say_the_same() {
        for sample in super::super::samples::all().unwrap() {
            let (mut stream, mut tree) = (Vec::new(), Vec::new());
            streamed(sample.body(), &mut stream).unwrap();
            through_tree(sample.body(), &mut tree).unwrap();
            let values = [stream, tree]
                .map(|json| serde_json::from_slice::<serde_json::Value>(&json).unwrap());
            let [stream, tree] = values;
            assert!(stream == tree, "{}", sample.name);
        }
    }
}
