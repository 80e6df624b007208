//! Lengths and volumes as users write them: `0.5`, `0.5mm`, `3 mm^3`.

use std::fmt;
use std::str::FromStr;

use clearance_files::Unit;
use serde::de::{Deserialize, Deserializer, Visitor};

/// A number with an optional unit, which counts to the power of `POWER`. Finite, and zero or positive. In a rules file
/// it is a number, or a string with a unit.
///
/// ```
/// use clearance_check::{Length, CubicLength};
/// let length: Length = "0.5mm".parse()?;
/// assert_eq!(length.in_unit("m".parse().ok())?, 0.0005);
/// assert_eq!("0.5".parse::<Length>()?.in_unit("m".parse().ok())?, 0.5);
/// assert_eq!("2 cm^3".parse::<CubicLength>()?.in_unit("mm".parse().ok())?, 2000.0);
/// assert!("-1".parse::<Length>().is_err() && "1 ell".parse::<Length>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity<const POWER: u8> {
    value: f64,
    unit: Option<Unit>,
}

/// A length. See [`Quantity`] for an example.
pub type Length = Quantity<1>;

/// A volume. See [`Quantity`] for an example.
pub type CubicLength = Quantity<3>;

impl<const POWER: u8> Quantity<POWER> {
    const NAME: &'static str = if POWER == 1 { "length" } else { "volume" };

    fn new(value: f64, unit: Option<Unit>) -> Result<Quantity<POWER>, String> {
        if value >= 0.0 && value.is_finite() {
            Ok(Quantity { value, unit })
        } else {
            Err(format!("expected a finite, non-negative {}, got {value}", Quantity::<POWER>::NAME))
        }
    }

    /// The number in `unit`; a quantity without a unit is taken to be in it already.
    ///
    /// # Errors
    /// It has a unit, and there is none to convert to.
    pub fn in_unit(self, unit: Option<Unit>) -> Result<f64, String> {
        self.converted(unit, unit)
    }

    /// The same, in `unit` if it has none of its own.
    ///
    /// ```
    /// use clearance_check::Length;
    /// let (plain, own): (Length, Length) = ("2".parse()?, "2 cm".parse()?);
    /// let shown = [plain, own].map(|length| length.or_unit("mm".parse().ok()).to_string());
    /// assert_eq!(shown, ["2 mm", "2 cm"]);
    /// # Ok::<(), String>(())
    /// ```
    #[must_use]
    pub fn or_unit(self, unit: Option<Unit>) -> Quantity<POWER> {
        Quantity { unit: self.unit.or(unit), ..self }
    }

    /// The number in `unit`; a quantity without a unit is taken to be in `own`.
    pub(crate) fn converted(self, own: Option<Unit>, unit: Option<Unit>) -> Result<f64, String> {
        match (self.unit.or(own), unit) {
            (Some(own), Some(unit)) => {
                let factor = if own == unit { 1.0 } else { own.metres() / unit.metres() };
                Ok(self.value * (0..POWER).fold(1.0, |power, _| power * factor))
            }
            (Some(_), None) if self.unit.is_some() => {
                Err(format!("`{self}` has a unit, but the parts have none: set theirs with --unit"))
            }
            _ => Ok(self.value),
        }
    }
}

impl<const POWER: u8> fmt::Display for Quantity<POWER> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            None => write!(f, "{}", self.value),
            Some(unit) if POWER == 1 => write!(f, "{} {unit}", self.value),
            Some(unit) => write!(f, "{} {unit}^{POWER}", self.value),
        }
    }
}

impl<const POWER: u8> FromStr for Quantity<POWER> {
    type Err = String;

    fn from_str(text: &str) -> Result<Quantity<POWER>, String> {
        let wrong = |problem: String| format!("invalid {} `{text}`: {problem}", Quantity::<POWER>::NAME);
        let trimmed = text.trim();
        // The longest numeric prefix: an `e` belongs to the number, as no unit starts with one.
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'e' | 'E');
        let end = trimmed.find(|c| !is_of_number(c)).unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let value: f64 = number.parse().map_err(|_| wrong("expected a number, as in `0.5` or `0.5mm`".into()))?;
        let unit = unit.trim();
        let unit = match POWER {
            1 => unit,
            _ => unit.strip_suffix(&format!("^{POWER}")).or(unit.strip_suffix(&POWER.to_string())).unwrap_or(unit),
        };
        let unit = if unit.is_empty() { None } else { Some(unit.parse().map_err(wrong)?) };
        Quantity::new(value, unit).map_err(wrong)
    }
}

impl<'de, const POWER: u8> Deserialize<'de> for Quantity<POWER> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Quantity<POWER>, D::Error> {
        struct Written<const POWER: u8>;
        impl<const POWER: u8> Visitor<'_> for Written<POWER> {
            type Value = Quantity<POWER>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let example = if POWER == 1 { "\"0.5mm\"" } else { "\"3 mm^3\"" };
                write!(f, "a {}: a number, or a string with a unit such as {example}", Quantity::<POWER>::NAME)
            }

            // The range is checked by the reader of the file, which names the rule.
            fn visit_f64<E>(self, value: f64) -> Result<Quantity<POWER>, E> {
                Ok(Quantity { value, unit: None })
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Quantity<POWER>, E> {
                self.visit_f64(value as f64)
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Quantity<POWER>, E> {
                self.visit_f64(value as f64)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Quantity<POWER>, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

#[cfg(test)]
mod tests {
    use clearance_files::Unit;

    use super::{CubicLength, Length};

    #[test]
    fn lengths_with_and_without_units() {
        let length = |text: &str| text.parse::<Length>().and_then(|length| length.in_unit(Some(Unit::Millimetre)));
        assert_eq!(length("0.5"), Ok(0.5));
        assert_eq!(length(" 2 cm "), Ok(20.0));
        assert_eq!(length("1e-3m"), Ok(1.0));
        assert_eq!(length("1in"), Ok(25.4));
        for wrong in ["", "mm", "-1mm", "1e400", "nan", "1 mm mm", "1 ell", "inf", "1mm3"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
        let none = "1mm".parse::<Length>().unwrap().in_unit(None).unwrap_err();
        assert!(none.contains("--unit"), "{none}");
    }

    #[test]
    fn volumes() {
        let volume = |text: &str| text.parse::<CubicLength>().and_then(|volume| volume.in_unit(Some(Unit::Metre)));
        assert_eq!(volume("2"), Ok(2.0));
        let near = |text: &str, expected: f64| (volume(text).unwrap() / expected - 1.0).abs() < 1e-12;
        assert!(near("3 mm^3", 3e-9) && near("3mm3", 3e-9) && near("3cm", 3e-6));
    }
}
