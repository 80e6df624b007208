//! How much bodies overlap.

pub(crate) mod volume;
pub(crate) mod volume_columns;
pub(crate) mod volume_pair;
