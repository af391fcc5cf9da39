//! Calendar arithmetic.

use crate::word_abi::runtime_functions;

runtime_functions! {
    DaysOfMonths = rumba_days_of_months: (months: i64) -> i64;
}

/// Days from 1970-01-01 to the first of the month that many months later, in the Gregorian calendar.
///
/// Years are counted from March, so that a leap day is the last of its year, and in eras of 400 years, which all have
/// as many days. (H. Hinnant, "chrono-compatible low-level date algorithms".)
pub(crate) extern "C" fn rumba_days_of_months(months: i64) -> i64 {
    const DAYS_OF_ERA: i64 = 146_097;
    const DAYS_BEFORE_1970: i64 = 719_468;
    // Month 0 is January of year 0; in years that begin in March it is the eleventh of the year before.
    let month = months.wrapping_add(1970 * 12 - 2);
    let (year, month) = (month.div_euclid(12), month.rem_euclid(12));
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month + 2) / 5;
    let day_of_era = year * 365 + year / 4 - year / 100 + day_of_year;
    era.wrapping_mul(DAYS_OF_ERA).wrapping_add(day_of_era).wrapping_sub(DAYS_BEFORE_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_on_their_days() {
        assert_eq!(rumba_days_of_months(0), 0);
        assert_eq!(rumba_days_of_months(1), 31);
        assert_eq!(rumba_days_of_months(2), 59);
        assert_eq!(rumba_days_of_months(-1), -31);
        assert_eq!(rumba_days_of_months(30 * 12), 10_957);
        assert_eq!(rumba_days_of_months(30 * 12 + 2), 10_957 + 60);
        assert_eq!(rumba_days_of_months(-1970 * 12), -719_528);
        assert_eq!(rumba_days_of_months(130 * 12 + 2) - rumba_days_of_months(130 * 12), 59);
    }
}
