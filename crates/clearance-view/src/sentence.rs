//! Findings and brackets in words. A finding is a sentence with its bracket: "hard clash, 3.2 mm deep, proved between
//! 3.19 and 3.2 mm; move by 5 mm to separate; 41 mm³ in common".

use clearance::shape::Feature;
use clearance_check::output::short;
use clearance_check::{Finding, How, Kind, LocalDepth, SearchOutcome};

use crate::Proved;

/// A finding about the parts that the page calls A and B.
pub(crate) fn sentence(finding: &Finding, unit: Option<&str>) -> String {
    let gap = Proved::new(finding.gap.value, finding.gap.lower, finding.gap.upper);
    let length = |length: f64| with_unit(length, unit);
    let lie = match finding.how {
        How::Crossing => "hard clash",
        How::Overlapping => "hard clash where surfaces only touch",
        How::AInsideB => "hard clash: A is inside B",
        How::BInsideA => "hard clash: B is inside A",
        How::Same => return "duplicate: the same geometry in the same place".into(),
        How::Apart if finding.kind == Kind::Touching => "touching",
        How::Apart => "too close",
        How::Coplanar => return "touching: faces lie on each other".into(),
        How::Points => return "touching: in contact at points or along edges".into(),
        How::Grazing => "touching: overlap within the touch band",
    };
    match (&finding.way_out, finding.kind) {
        (Some(way), _) => {
            let volume = finding.volume.filter(|volume| volume.upper > 0.0);
            let volume =
                volume.map(|volume| format!("; {} in common", with_unit(volume.value, cubic(unit).as_deref())));
            let depth = finding.local_depth.as_ref().and_then(|depth| local(depth, unit));
            // Without a search the translation is only known to be long enough.
            let is_found = way.search != SearchOutcome::None;
            let out = is_found.then(|| format!("; move by {} to separate", with_unit(way.upper, unit)));
            let parts = [depth.map(|depth| format!(", {depth}")), out, volume];
            parts.into_iter().flatten().fold(lie.to_owned(), |sentence, more| sentence + &more)
        }
        (None, Kind::Clearance) => {
            let asked = length(finding.clearance);
            format!("{lie}: {} apart, required {asked}, {}", length(gap.value), proved(gap, unit))
        }
        (None, _) if finding.how == How::Grazing => {
            format!("{lie}: a translation of {} separates them", length(-gap.lower))
        }
        (None, _) => format!("{lie}: {} apart, {}", length(gap.value), proved(gap, unit)),
    }
}

/// The depth in words, if known.
fn local(depth: &LocalDepth, unit: Option<&str>) -> Option<String> {
    match (depth.numbers(), depth.value) {
        (Some([value, lower, upper]), _) => Some(deep(Proved::new(value, lower, upper), unit)),
        (None, Some(value)) => Some(format!("about {} deep (estimate)", with_unit(value, unit))),
        (None, None) => None,
    }
}

/// How deep, with the bracket.
///
/// ```
/// use clearance_view::{Proved, sentence};
/// assert_eq!(sentence::deep(Proved::new(2.0, 0.0, 2.0), Some("m")), "at most 2 m deep");
/// ```
pub fn deep(depth: Proved, unit: Option<&str>) -> String {
    if depth.lower > 0.0 {
        format!("{} deep, {}", with_unit(depth.value, unit), proved(depth, unit))
    } else {
        format!("at most {} deep", with_unit(depth.upper, unit))
    }
}

/// A gap in words.
///
/// ```
/// use clearance_view::{Proved, sentence};
/// let gap = Proved::new(1.5, 1.25, 1.75);
/// assert_eq!(sentence::apart(gap, Some("mm")), "1.5 mm apart, proved between 1.25 and 1.75 mm");
/// ```
pub fn apart(gap: Proved, unit: Option<&str>) -> String {
    format!("{} apart, {}", with_unit(gap.value, unit), proved(gap, unit))
}

/// A volume in words.
///
/// ```
/// use clearance_view::{Proved, sentence};
/// let volume = Proved::new(8.0, 8.0, 8.0);
/// assert_eq!(sentence::in_common(volume, Some("mm")), "8 mm³ in common, proved to within 0 mm³");
/// ```
pub fn in_common(volume: Proved, unit: Option<&str>) -> String {
    let cubic = cubic(unit);
    format!("{} in common, {}", with_unit(volume.value, cubic.as_deref()), proved(volume, cubic.as_deref()))
}

/// A feature in words.
///
/// ```
/// assert_eq!(clearance_view::sentence::feature(clearance::shape::Feature::Edge(3)), "edge 3");
/// ```
pub fn feature(feature: Feature) -> String {
    match feature {
        Feature::Vertex(number) => format!("vertex {number}"),
        Feature::Edge(number) => format!("edge {number}"),
        Feature::Face(number) => format!("face {number}"),
        Feature::Interior => "interior".into(),
    }
}

/// The unit of volumes.
pub(crate) fn cubic(unit: Option<&str>) -> Option<String> {
    unit.map(|unit| format!("{unit}³"))
}

/// A number with its unit, and as many digits as are useful.
///
/// ```
/// assert_eq!(clearance_view::sentence::with_unit(12.34567, Some("mm")), "12.35 mm");
/// ```
pub fn with_unit(number: f64, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{} {unit}", short(number)),
        None => short(number),
    }
}

/// The bracket in words: its ends with about four digits, rounded outward, or its width where they would be equal.
///
/// ```
/// use clearance_view::{Proved, sentence};
/// let bracket = Proved::new(3.2, 3.191_99, 3.2);
/// assert_eq!(sentence::proved(bracket, Some("mm")), "proved between 3.191 and 3.2 mm");
/// ```
pub fn proved(Proved { value, lower, upper }: Proved, unit: Option<&str>) -> String {
    let width = upper - lower;
    if width <= 1e-4 * value.abs() {
        return format!("proved to within {}", with_unit(width, unit));
    }
    let low = rounded(lower, f64::floor);
    format!("proved between {} and {}", short(low), with_unit(rounded(upper, f64::ceil), unit))
}

/// A number rounded to four significant digits.
fn rounded(number: f64, to_whole: impl Fn(f64) -> f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let step = 10_f64.powf(3.0 - number.abs().log10().floor());
    let rounded = to_whole(number * step) / step;
    if rounded.is_finite() { rounded } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_rounded_outward() {
        let proved = |value, lower, upper| proved(Proved::new(value, lower, upper), Some("mm"));
        assert_eq!(proved(3.2, 3.191_99, 3.2), "proved between 3.191 and 3.2 mm");
        assert_eq!(proved(3.2, 3.191, 3.200_01), "proved between 3.191 and 3.201 mm");
        assert_eq!(proved(0.25, 0.25, 0.250_000_1), "proved to within 1.00e-7 mm");
        assert_eq!(proved(0.0, 0.0, 0.0), "proved to within 0 mm");
        assert_eq!(proved(30.0, 2.834_9, 30.000_001), "proved between 2.834 and 30.01 mm");
        assert_eq!(proved(1e-9, -1e-9, 2e-9), "proved between -1.00e-9 and 2.00e-9 mm");
        assert_eq!(proved(2e9, 1e9, 2e9), "proved between 1.00e9 and 2.00e9 mm");
    }
}
