//! How durations, sizes and errors are written into events and messages.

use std::{error::Error, time::Duration};

/// An error with its causes, in one line.
pub(crate) fn format_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

/// Whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Bytes as MB, or from 1024 of them on as GB, with one decimal, rounded up.
pub(crate) fn format_bytes(bytes: u64) -> String {
    const MB: u64 = 1 << 20;
    const GB: u64 = 1 << 30;
    let (unit, name) = if bytes < GB { (MB, "MB") } else { (GB, "GB") };
    let tenths = u128::from(bytes).saturating_mul(10).div_ceil(u128::from(unit));
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {name}"),
        (whole, tenths) => format!("{whole}.{tenths} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::format_bytes;

    #[test]
    fn sizes_are_short_and_never_less_than_they_are() {
        let texts = [0, 1, 1 << 20, 64 << 20, (64 << 20) + 1, 4 << 30, (4 << 30) + 1, u64::MAX];
        assert_eq!(
            texts.map(format_bytes),
            ["0 MB", "0.1 MB", "1 MB", "64 MB", "64.1 MB", "4 GB", "4.1 GB", "17179869184 GB"]
        );
    }
}
