//! The choice of an instruction set at run time: one of two, so that hot loops are compiled twice and not for every
//! level.
//!
//! AVX2 where the processor has AVX2 or better (vectors hold four doubles, so wider registers gain nothing), else the
//! baseline of the target: SSE2 on x86-64, NEON on ARM, scalar code elsewhere. All give the same bits. The scalar form
//! is not used where another is available: its code is ten times as large.

/// The baseline instruction set of the target.
#[cfg(target_arch = "x86_64")]
pub(crate) type Plain = fearless_simd::x86::Sse2;
/// The baseline instruction set of the target.
#[cfg(target_arch = "aarch64")]
pub(crate) type Plain = fearless_simd::aarch64::Neon;
/// The baseline instruction set of the target.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) type Plain = fearless_simd::Fallback;

/// The token of [`Plain`].
#[inline(always)]
pub(crate) fn plain() -> Plain {
    #[cfg(target_arch = "x86_64")]
    return fearless_simd::Level::baseline().as_sse2().expect("SSE2 is part of x86-64");
    #[cfg(target_arch = "aarch64")]
    return fearless_simd::Level::baseline().as_neon().expect("NEON is part of this target");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    return fearless_simd::Fallback::new();
}

/// Runs an expression with the best instruction set of a [`Level`](fearless_simd::Level).
///
/// A separate expression may be given for the baseline: a function call, say, where inlining both forms would bloat the
/// caller.
macro_rules! at_level {
    ($level:expr, $simd:ident => $op:expr) => {
        $crate::math::simd::at_level!($level, $simd => $op, else $simd => $op)
    };
    ($level:expr, $simd:ident => $op:expr, else $plain:ident => $otherwise:expr) => {{
        #[cfg(target_arch = "x86_64")]
        let token = fearless_simd::Level::as_avx2($level);
        #[cfg(not(target_arch = "x86_64"))]
        let token = {
            let _ = $level;
            None::<$crate::math::simd::Plain>
        };
        match token {
            Some($simd) => fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $op,
            ),
            None => {
                let $plain = $crate::math::simd::plain();
                $otherwise
            }
        }
    }};
}

pub(crate) use at_level;
