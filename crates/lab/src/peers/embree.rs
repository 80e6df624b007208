//! embree, Intel's ray tracer, called through the wheel `embreex` by a script of ours
//! (`crates/lab/peers/embree_peer.py`), on one processor. It computes in single precision. The wrapper's own time is
//! measured beside it, for a batch and for a ray alone.

use super::question::{MeshRay, RayRun};
use super::{install, wire};
use crate::meshes::Model;

/// Name and version of the peer: the wheel has embree's numbers.
pub const NAME: &str = "embree 4.4.0";

/// Has embree find the first hit of each ray; the error says why embree is absent or what went wrong. With `robust` no
/// ray slips through between two triangles with a common edge.
pub fn run(model: &Model, rays: &[MeshRay], robust: bool) -> Result<RayRun, String> {
    let packages = ["embreex==4.4.0.post1", "numpy"];
    let (program, folder) = install::script("embree_peer.py", include_str!("../../peers/embree_peer.py"), &packages)?;
    wire::ask_rays(program, &folder, model, rays, robust)
}
