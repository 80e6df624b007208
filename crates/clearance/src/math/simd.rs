//! The choice of an instruction set at run time: one of two, so that hot loops are compiled twice and not for every level.
//!
//! AVX2 where there is AVX2 or better (vectors hold four doubles, so wider ones gain nothing), NEON on ARM, else the
//! scalar form, which gives the same numbers.

/// Runs an expression with the best instruction set of a [`Level`](fearless_simd::Level).
macro_rules! at_level {
    ($level:expr, $simd:ident => $op:expr) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let token = fearless_simd::Level::as_avx2($level);
        #[cfg(target_arch = "aarch64")]
        let token = fearless_simd::Level::as_neon($level);
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
        let token = {
            let _ = $level;
            None::<fearless_simd::Fallback>
        };
        match token {
            Some($simd) => fearless_simd::Simd::vectorize($simd, || $op),
            None => {
                let $simd = fearless_simd::Fallback::new();
                $op
            }
        }
    }};
}

pub(crate) use at_level;
