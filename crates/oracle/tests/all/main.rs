//! All integration tests of the oracle, as one program.

mod exact;
mod hard_cases;
mod tangent_shapes;
