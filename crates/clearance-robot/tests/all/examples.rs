//! The small example runs, and what it asserts holds.

#[path = "../../examples/robot.rs"]
mod robot;

#[test]
fn the_example_runs() {
    robot::main().unwrap();
}
