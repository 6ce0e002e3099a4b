//! `docs/ledger-format.md`, made from the code that writes the format, so that the two cannot differ.

use std::fmt::Write as _;

use abide_domain::{
    EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{EpochOpened, SegmentOpened, StimulusAccepted, catalogue},
};

use crate::{
    append::AppendError,
    batch::{Batch, stamp},
    draft::{Bodies, Draft},
    mark::{Mark, TickRule},
};

/// 2026-11-27T22:10:03.123456Z
const EXAMPLE_GENESIS: Timestamp = Timestamp::from_micros(1_795_817_403_123_456);
/// 2.5 s later.
const EXAMPLE_LATER: Timestamp = Timestamp::from_micros(1_795_817_405_623_456);
const EXAMPLE_EPOCH: &str = "0193a1b2-c3d4-7e5f-8a6b-0c1d2e3f4a5b";

/// The page, with its three lines and the table of kinds.
pub fn docs() -> Result<String, AppendError> {
    let (first, second) = example()?;
    let mut page = String::from(include_str!("docs/head.md"));
    let chain = |mark: &Mark| mark.chain.to_string();
    let lines: Vec<_> = first.text.lines().chain(second.text.lines()).collect();
    page.push_str("```json\n");
    page.push_str(&lines.join("\n"));
    page.push_str("\n```\n\n");
    page.push_str(
        "| line | its CRC-32C | over | the chain value after its batch |\n|---|---|---|---|\n",
    );
    let chains = [Some(chain(&first.mark)), None, Some(chain(&second.mark))];
    for ((seq, line), chain) in (1..).zip(&lines).zip(chains) {
        let covered = line.len() - crate::line::CRC_TAIL_BYTES;
        let crc = line.get(covered + 8..covered + 16).unwrap_or_default();
        let chain = chain.map_or_else(|| "(not at a batch's end)".to_owned(), |c| format!("`{c}`"));
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| {seq} | `{crc}` | {covered} bytes | {chain} |");
    }
    page.push_str(include_str!("docs/tail.md"));
    page.push_str("| kind | v | meaning |\n|---|---|---|\n");
    for kind in catalogue() {
        let _ = writeln!(page, "| `{}` | {} | {} |", kind.name, kind.version, kind.about);
    }
    Ok(page)
}

/// The first two batches of a ledger: its opening line, and a stimulus with its epoch.
fn example() -> Result<(Batch, Batch), AppendError> {
    let mark = Mark {
        genesis: Some(EXAMPLE_GENESIS),
        rule: TickRule::of_genesis(EXAMPLE_GENESIS),
        ..Mark::EMPTY
    };
    let opened = SegmentOpened {
        segment: 1,
        previous_chain: mark.chain.to_string(),
        genesis: EXAMPLE_GENESIS,
    };
    let first = stamp(&Bodies::encode(&[Draft::of_keeper(opened)])?, &mark, EXAMPLE_GENESIS);
    let name = |name| EntityName::sender(name).unwrap_or_else(|_| EntityName::keeper());
    let epoch: Option<EpochId> = EXAMPLE_EPOCH.parse().ok();
    let stimulus = StimulusAccepted {
        content: "remember that the staging server is called heron".into(),
        sender: "nicolas".into(),
        channel: Channel::Direct,
        sent_at: EXAMPLE_LATER,
        sender_zone: None,
        session_id: "direct:nicolas".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    };
    let (felix, nicolas) = (name("felix"), name("nicolas"));
    let accepted = Draft { entity: felix.clone(), author: nicolas, epoch, event: stimulus.into() };
    let opened = EpochOpened { last_output: None };
    let opened = Draft { entity: felix, author: EntityName::keeper(), epoch, event: opened.into() };
    let second = stamp(&Bodies::encode(&[accepted, opened])?, &first.mark, EXAMPLE_LATER);
    Ok((first, second))
}
