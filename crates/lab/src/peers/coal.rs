//! coal, the continuation of FCL by the makers of Pinocchio, called through its Python wheel by a script of ours
//! (`crates/lab/peers/coal_peer.py`). The call overhead is part of each time and also measured alone.

use super::question::{PeerRun, Query};
use super::{install, wire};
use crate::meshes::Model;

/// Name and version of the peer.
pub const NAME: &str = "coal 3.0.3";

/// Asks coal each query, in order, with the trees that serve both contact and distance; the error says why coal is
/// absent or what went wrong.
pub fn run(models: &[&Model], queries: &[Query]) -> Result<PeerRun, String> {
    run_with("OBBRSS", models, queries)
}

/// Asks coal with trees of other volumes. OBB have no distance.
pub fn run_with(volumes: &str, models: &[&Model], queries: &[Query]) -> Result<PeerRun, String> {
    let packages = ["coal==3.0.3", "numpy"];
    let (mut program, folder) = install::script("coal_peer.py", include_str!("../../peers/coal_peer.py"), &packages)?;
    program.arg(volumes);
    wire::ask_pairs(program, &folder, models, queries)
}
