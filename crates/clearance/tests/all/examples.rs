//! The small examples run and their assertions hold.

#[path = "../../examples/contacts.rs"]
mod contacts;
#[path = "../../examples/deforming.rs"]
mod deforming;
#[path = "../../examples/mesh_distance.rs"]
mod mesh_distance;
#[path = "../../examples/penetration.rs"]
mod penetration;
#[path = "../../examples/ray.rs"]
mod ray;
#[path = "../../examples/time_of_impact.rs"]
mod time_of_impact;
#[path = "../../examples/world.rs"]
mod world;

#[test]
fn examples_run() {
    let examples = [
        contacts::main,
        deforming::main,
        mesh_distance::main,
        penetration::main,
        ray::main,
        time_of_impact::main,
        world::main,
    ];
    for (number, example) in examples.iter().enumerate() {
        example().unwrap_or_else(|error| panic!("example {number}: {error}"));
    }
}
