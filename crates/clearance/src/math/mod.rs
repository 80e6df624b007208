//! Numbers: the arithmetic everything else stands on.

pub mod predicates;
