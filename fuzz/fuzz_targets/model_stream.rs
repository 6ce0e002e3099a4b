//! Any bytes as a provider's answer, in every dialect and form: never a crash, and however the bytes are cut, the same
//! answer. The first byte chooses dialect, form and cut.
#![no_main]

use abide_domain::voice::Voice;
use abide_models::{AttemptErrorKind, Decoder, Dialect, ReplyDelta, RequestForm};
use libfuzzer_sys::fuzz_target;

/// What an answer came to: the text that people see of it, and how it ended.
type Read = (String, Result<Voice, AttemptErrorKind>);

fn read<'a>(
    dialect: Dialect,
    form: RequestForm,
    mut pieces: impl Iterator<Item = &'a [u8]>,
) -> Read {
    let mut decoder = Decoder::new(dialect, form);
    let mut deltas = Vec::new();
    let pushed = pieces.try_for_each(|piece| decoder.push(piece, &mut deltas));
    let ended = match pushed {
        Ok(()) => decoder.finish(&mut deltas),
        Err(fault) => Err(fault),
    };
    let said = deltas.into_iter().filter(|delta: &ReplyDelta| !delta.thought);
    (said.map(|delta| delta.text).collect(), ended.map_err(|fault| fault.kind))
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice % 4)];
    let form = if choice & 4 == 0 { RequestForm::Native } else { RequestForm::Json };
    let size = usize::from(choice >> 3) + 1;
    let whole = read(dialect, form, std::iter::once(bytes));
    assert_eq!(read(dialect, form, bytes.chunks(size)), whole);
    // An answer that came whole: an error is fine, a crash is not.
    let _ = Decoder::new(dialect, form).push_whole(bytes, &mut Vec::new());
});
