//! Seconds since 1970 as a date of XML.

/// The last second of the year 9999, after which a year has more than four digits.
const LAST: i64 = 253_402_300_799;

/// A number of seconds, if it is a date that can be written.
pub(crate) fn parse(text: &str) -> Option<i64> {
    text.trim()
        .parse()
        .ok()
        .filter(|seconds| (0..=LAST).contains(seconds))
}

/// An xs:dateTime in universal time, such as `2001-09-09T01:46:40Z`.
pub(crate) fn date_time(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// Year, month and day of a number of days since 1970 (Gregorian). Years are counted from March, so that the leap day
/// is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    const DAYS_IN_400_YEARS: i64 = 146_097;
    let days = days + 719_468;
    let era = days.div_euclid(DAYS_IN_400_YEARS);
    let day_of_era = days.rem_euclid(DAYS_IN_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_000_000_000, "2001-09-09T01:46:40Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(date_time(seconds), text);
        }
    }

    #[test]
    fn only_whole_seconds_of_four_digit_years_are_dates() {
        assert_eq!(parse("1000000000"), Some(1_000_000_000));
        for text in ["", "now", "-1", "1.5", "253402300800"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
