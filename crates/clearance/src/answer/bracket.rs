/// A lower bound, times a power of two. Its sign stays.
pub(crate) fn scale_down(bound: f64, factor: f64) -> f64 {
    let scaled = bound * factor;
    if scaled.is_normal() || bound == 0.0 {
        scaled
    } else if bound > 0.0 {
        scaled.next_down().max(0.0)
    } else {
        scaled.next_down()
    }
}

/// An upper bound, times a power of two. Its sign stays.
pub(crate) fn scale_up(bound: f64, factor: f64) -> f64 {
    -scale_down(-bound, factor)
}
