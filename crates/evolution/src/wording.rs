//! Figures in words for people: percent with a sign, p values, counts. It never rounds a figure to zero that is not.

use crate::{pair::Measure, statistics::count};

/// That a leg needs less of a measure; `amount` is empty or a part with a space behind it, such as `a tenth `.
pub(crate) fn needs_less(measure: Measure, amount: &str) -> String {
    match measure {
        Measure::Wall => format!("takes {amount}less time"),
        Measure::Cpu => format!("takes {amount}less processor time"),
        Measure::Memory => format!("needs {amount}less memory"),
        Measure::Tokens => format!("uses {amount}fewer tokens"),
        Measure::Cost => format!("costs {amount}less"),
        Measure::Calls => format!("makes {amount}fewer calls of tools"),
    }
}

/// That a leg needs more of a measure.
pub(crate) const fn needs_more(measure: Measure) -> &'static str {
    match measure {
        Measure::Wall => "takes more time",
        Measure::Cpu => "takes more processor time",
        Measure::Memory => "needs more memory",
        Measure::Tokens => "uses more tokens",
        Measure::Cost => "costs more",
        Measure::Calls => "makes more calls of tools",
    }
}

/// A change such as `−14 %` or `+3.1 %`.
pub(crate) fn signed_percent(change: f64) -> String {
    let percent = change * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{} %", magnitude(percent.abs()))
}

/// A share such as `93.1 %`: close to a floor the tenths matter.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Two digits below ten, whole numbers above.
fn magnitude(value: f64) -> String {
    if value >= 9.95 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// A p value such as `p = 0.003`.
pub(crate) fn probability(p: f64) -> String {
    match p {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p if p < 0.1 => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

/// A level that p values are compared with, such as `0.0091`.
pub(crate) fn level(level: f64) -> String {
    format!("{}", to_digits(level, 2))
}

/// A count such as `3 times`.
pub(crate) fn times(number: usize) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        number => format!("{number} times"),
    }
}

/// A figure to so many digits, whatever its size.
fn to_digits(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let places = count(digits) - 1.0 - libm::floor(libm::log10(value.abs()));
    let scale = libm::pow(10.0, places.abs());
    let is_fraction = places >= 0.0;
    let scaled = if is_fraction { value * scale } else { value / scale };
    let whole = libm::round(scaled);
    let result = if is_fraction { whole / scale } else { whole * scale };
    if result.is_finite() && scale.is_finite() { result } else { value }
}

#[cfg(test)]
mod tests {
    use super::{level, percent, probability, signed_percent, times, to_digits};

    #[test]
    fn figures_read_as_people_write_them() {
        assert_eq!(signed_percent(-0.1432), "−14 %");
        assert_eq!(signed_percent(0.031), "+3.1 %");
        assert_eq!(percent(0.931), "93.1 %");
        assert_eq!(probability(0.003), "p = 0.003");
        assert_eq!(probability(1e-9), "p < 0.001");
        assert_eq!(probability(0.25), "p = 0.25");
        assert_eq!(level(0.009_05), "0.0091");
        assert_eq!(level(0.000_75), "0.00075");
        assert_eq!([times(0), times(1), times(3)], ["never", "once", "3 times"]);
    }

    #[test]
    fn rounding_keeps_the_digits_of_any_size() {
        let texts = [1_234_567.0, -0.000_123_456, 0.0, 0.1 + 0.2]
            .map(|value| to_digits(value, 4).to_string());
        assert_eq!(texts, ["1235000", "-0.0001235", "0", "0.3"]);
        assert!(to_digits(5e-324, 4) > 0.0 && to_digits(f64::NAN, 4).is_nan());
    }
}
