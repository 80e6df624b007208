//! Values of options that correspond to those of the check.

use clearance_check::{Kind, Solid};

/// As [`Solid`], on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum SolidValue {
    /// Parts that are closed, consistently wound and outward; the others are surfaces, and reported.
    Auto,
    /// All; a part that is not closed is an error.
    Yes,
    /// None: only surfaces that meet are found, no part inside another.
    No,
}

impl From<SolidValue> for Solid {
    fn from(value: SolidValue) -> Solid {
        match value {
            SolidValue::Auto => Solid::Auto,
            SolidValue::Yes => Solid::Yes,
            SolidValue::No => Solid::No,
        }
    }
}

/// As [`Kind`], on the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum KindValue {
    /// Interiors overlap, or surfaces cross, by more than the touch band.
    Hard,
    /// The same geometry in the same place, to within the touch band.
    Duplicate,
    /// Apart, and closer than the clearance.
    Clearance,
    /// In contact, or no farther apart than the touch band.
    Touching,
}

impl From<KindValue> for Kind {
    fn from(value: KindValue) -> Kind {
        match value {
            KindValue::Hard => Kind::Hard,
            KindValue::Duplicate => Kind::Duplicate,
            KindValue::Clearance => Kind::Clearance,
            KindValue::Touching => Kind::Touching,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_kind_can_be_named_as_reports_do() {
        let values = KindValue::value_variants();
        assert_eq!(values.iter().map(|&value| value.into()).collect::<Vec<Kind>>(), Kind::ALL);
        for &value in values {
            let shown = value.to_possible_value().unwrap();
            assert_eq!(shown.get_name(), Kind::from(value).name());
        }
    }
}
