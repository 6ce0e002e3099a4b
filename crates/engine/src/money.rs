//! Money as people read it.

/// An amount in millionths of a dollar: `$1.50`; less than a cent with as many places as it needs.
pub fn format_dollars(microusd: u64) -> String {
    let (dollars, rest) = (microusd / 1_000_000, microusd % 1_000_000);
    if rest % 10_000 == 0 || dollars > 0 {
        return format!("${dollars}.{:02}", rest / 10_000);
    }
    format!("${dollars}.{}", format!("{rest:06}").trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::format_dollars;

    #[test]
    fn amounts_are_told_in_dollars() {
        for (microusd, text) in [
            (0, "$0.00"),
            (500_000, "$0.50"),
            (1_234_567, "$1.23"),
            (12_000_000, "$12.00"),
            (1_200, "$0.0012"),
            (1, "$0.000001"),
            (123_456, "$0.123456"),
        ] {
            assert_eq!(format_dollars(microusd), text);
        }
    }
}
