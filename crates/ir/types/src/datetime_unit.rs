//! NumPy's datetime units.

use crate::{Conversion, Type, TypeData, TypeTable};

/// What datetimes and timedeltas are counted in, from coarse to fine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TimeUnit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Picosecond,
    Femtosecond,
    Attosecond,
    /// None yet: it takes on the unit of what it meets.
    Generic,
}

/// The units with the names that NumPy gives them, and how many of the next one make up each: none for a month,
/// whose length varies.
const UNITS: &[(TimeUnit, &str, Option<i64>)] = &[
    (TimeUnit::Year, "Y", Some(12)),
    (TimeUnit::Month, "M", None),
    (TimeUnit::Week, "W", Some(7)),
    (TimeUnit::Day, "D", Some(24)),
    (TimeUnit::Hour, "h", Some(60)),
    (TimeUnit::Minute, "m", Some(60)),
    (TimeUnit::Second, "s", Some(1000)),
    (TimeUnit::Millisecond, "ms", Some(1000)),
    (TimeUnit::Microsecond, "us", Some(1000)),
    (TimeUnit::Nanosecond, "ns", Some(1000)),
    (TimeUnit::Picosecond, "ps", Some(1000)),
    (TimeUnit::Femtosecond, "fs", Some(1000)),
    (TimeUnit::Attosecond, "as", None),
    (TimeUnit::Generic, "", None),
];

impl TimeUnit {
    /// The unit with this name; no name at all is that of what has no unit yet.
    pub fn from_name(name: &str) -> Option<TimeUnit> {
        UNITS.iter().find(|(_, known, _)| *known == name).map(|&(unit, ..)| unit)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        UNITS[self as usize].1
    }

    /// Whether it is a number of months: how many days that is depends on the date.
    pub fn is_of_calendar(self) -> bool {
        self <= TimeUnit::Month
    }

    /// How many of a finer unit make up one of these; nothing where that varies or is beyond 64 bits.
    pub fn factor_to(self, finer: TimeUnit) -> Option<i64> {
        if finer == TimeUnit::Generic || self > finer {
            return None;
        }
        let between = &UNITS[self as usize..finer as usize];
        between.iter().try_fold(1i64, |so_far, (_, _, factor)| so_far.checked_mul((*factor)?))
    }

    /// The unit that values of both are converted to: the finer one.
    pub fn common(self, other: TimeUnit) -> TimeUnit {
        match (self, other) {
            (TimeUnit::Generic, unit) | (unit, TimeUnit::Generic) => unit,
            _ => self.max(other),
        }
    }
}

impl TypeTable {
    /// The type of items that NumPy's dtype of this name means, of those that are no numbers: `M8[ns]`, `S5`, `U3`.
    pub fn item_of_dtype(&self, name: &str) -> Option<Type> {
        let count = |text: &str| text.parse().ok().filter(|&count| count > 0);
        if let Some((kind, unit)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            let unit = TimeUnit::from_name(unit).filter(|&unit| unit != TimeUnit::Generic)?;
            return match kind {
                "M8" | "datetime64" => Some(self.date(unit)),
                "m8" | "timedelta64" => Some(self.span(unit)),
                _ => None,
            };
        }
        Some(match (name, name.split_at_checked(1)?) {
            ("M8" | "M" | "datetime64", _) => self.date(TimeUnit::Generic),
            ("m8" | "m" | "timedelta64", _) => self.span(TimeUnit::Generic),
            (_, ("S", width)) => self.intern(TypeData::CharSeq { count: count(width)?, wide: false }),
            (_, ("U", width)) => self.intern(TypeData::CharSeq { count: count(width)?, wide: true }),
            _ => return None,
        })
    }

    /// Unit of a datetime or a timedelta, and whether it is a span.
    pub fn time(&self, ty: Type) -> Option<(TimeUnit, bool)> {
        match self.get(ty) {
            TypeData::Datetime { unit, span } => Some((unit, span)),
            _ => None,
        }
    }

    /// The type of timedeltas in this unit.
    pub fn span(&self, unit: TimeUnit) -> Type {
        self.intern(TypeData::Datetime { unit, span: true })
    }

    /// The type of datetimes in this unit.
    pub fn date(&self, unit: TimeUnit) -> Type {
        self.intern(TypeData::Datetime { unit, span: false })
    }
}

/// Times convert to finer units, where every value of the coarser one has one.
pub(crate) fn convert_time(from: (TimeUnit, bool), to: (TimeUnit, bool)) -> Option<Conversion> {
    let (unit, span) = from;
    // Days are counted between.
    let through_days = to.0 == TimeUnit::Week || TimeUnit::Day.factor_to(to.0).is_some();
    let known = unit == TimeUnit::Generic
        || unit.factor_to(to.0).is_some()
        || !span && unit.is_of_calendar() && through_days;
    (span == to.1 && known).then_some(Conversion::Promote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_convert_to_finer_ones() {
        assert_eq!(TimeUnit::Week.factor_to(TimeUnit::Hour), Some(168));
        assert_eq!(TimeUnit::Month.factor_to(TimeUnit::Day), None);
        assert_eq!(TimeUnit::Year.factor_to(TimeUnit::Month), Some(12));
        assert_eq!(TimeUnit::Year.factor_to(TimeUnit::Week), None);
        assert_eq!(TimeUnit::Week.factor_to(TimeUnit::Attosecond), None);
        assert_eq!(TimeUnit::Second.factor_to(TimeUnit::Minute), None);
        assert_eq!(TimeUnit::from_name("ms"), Some(TimeUnit::Millisecond));
        assert!(UNITS.iter().enumerate().all(|(number, &(unit, ..))| unit as usize == number));
        assert_eq!(TimeUnit::Day.common(TimeUnit::Generic), TimeUnit::Day);
        let (second, day) = ((TimeUnit::Second, false), (TimeUnit::Day, false));
        assert_eq!(convert_time(day, second), Some(Conversion::Promote));
        assert_eq!(convert_time(second, day), None);
        let table = TypeTable::default();
        for (dtype, name) in [
            ("M8[ns]", "datetime64[ns]"),
            ("timedelta64[D]", "timedelta64[D]"),
            ("m8", "timedelta64[]"),
            ("S5", "[char x 5]"),
            ("U12", "[unichr x 12]"),
        ] {
            assert_eq!(table.name(table.item_of_dtype(dtype).unwrap()), name);
        }
        assert!(
            ["", "S", "S0", "M8[25s]", "x[s]", "V8", "Sx"]
                .iter()
                .all(|name| table.item_of_dtype(name).is_none())
        );
        assert_eq!(convert_time((TimeUnit::Month, true), (TimeUnit::Day, true)), None);
    }
}
