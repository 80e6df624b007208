//! Every test of the oracle from outside, as one program.

mod exact;
mod hard_cases;
mod tangent_shapes;
