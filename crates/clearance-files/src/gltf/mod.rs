//! glTF 2.0, as text (`.gltf`) and binary (`.glb`): the tree of nodes, their transforms and names, meshes of triangles.
//! Units are metres, says the format. A mesh is a geometry; each node that shows it is a part.
//!
//! The JSON text is read by `serde_json` and walked by code of this crate, not by the `gltf` crate (1.4): there an
//! accessor that leaves its buffer is `None` without a reason or a place, and one with a count of 0, or offsets near
//! the end of the numbers, overflows.
//!
//! Nodes form trees; one that is reached twice (by two parents, or by itself) is an error, so a walk cannot run on.
//! Names are paths of node names; a node without one takes that of its mesh, or its number. Meshes of the same
//! accessors are one geometry, whatever their materials.

mod buffers;
mod draco;
mod json;
mod meshopt;

use std::collections::BTreeMap;

use clearance::glam::{DMat3, DQuat, DVec3};

use self::buffers::{Buffers, INDEX, MESHOPT, extension};
use self::json::Json;
use crate::assembly::{Geometry, Unit};
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::text::{shortened, without_mark};

/// The first bytes of a binary file.
pub(crate) const MAGIC: &[u8] = b"glTF";
/// The types of chunks.
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

/// Extensions that a file may require and that say nothing of where surfaces are.
const HARMLESS: [&str; 8] = [
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_animation_",
];
/// Extensions that are read here.
const READ: [&str; 4] = ["KHR_mesh_quantization", "EXT_mesh_gpu_instancing", DRACO, MESHOPT];
/// The extension of primitives that are compressed.
const DRACO: &str = "KHR_draco_mesh_compression";

/// The content of a chunk and where in the file it begins.
type Chunk<'a> = (&'a [u8], usize);
/// An affine map: the linear part and the translation.
type Affine = (DMat3, DVec3);

/// Adds the parts of a binary or text file.
pub(crate) fn parse(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    if bytes.starts_with(MAGIC) {
        let ((text, start), chunk) = chunks(bytes, builder)?;
        document(text, start, chunk, builder)
    } else {
        document(bytes, 0, None, builder)
    }
}

/// The little-endian number at a byte.
fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?).and_then(|raw| raw.try_into().ok()).map(u32::from_le_bytes)
}

/// The JSON text of a binary file, and the binary chunk if there is one.
fn chunks<'a>(bytes: &'a [u8], builder: &mut Builder) -> Result<(Chunk<'a>, Option<Chunk<'a>>), Fault> {
    let (Some(version), Some(length)) = (number_at(bytes, 4), number_at(bytes, 8)) else {
        return Err(Fault::byte(bytes.len(), "the file ends inside its header"));
    };
    if version != 2 {
        return Err(Fault::unsupported(Place::Byte(4), format!("version {version} of glTF; version 2 is supported")));
    }
    let length = length as usize;
    if length > bytes.len() {
        let problem = format!("expected {length} bytes, got {}: the file is cut short", bytes.len());
        return Err(Fault::byte(8, problem));
    }
    let what = "bytes after the end that the header names";
    builder.notes.add(NoteKind::Ignored, what, Place::Byte(length as u64), (bytes.len() - length) as u64);
    let bytes = &bytes[..length];
    let (mut at, mut text, mut binary) = (12, None, None);
    while at < bytes.len() {
        let (Some(size), Some(kind)) = (number_at(bytes, at), number_at(bytes, at + 4)) else {
            return Err(Fault::byte(at, "the file ends inside the header of a chunk"));
        };
        let start = at + 8;
        let end = start.saturating_add(size as usize);
        let Some(content) = bytes.get(start..end) else {
            return Err(Fault::byte(at, format!("a chunk of {size} bytes, but only {} follow", bytes.len() - start)));
        };
        match kind {
            JSON_CHUNK if text.is_none() => text = Some((content, start)),
            BINARY_CHUNK if binary.is_none() => binary = Some((content, start)),
            _ => builder.notes.add(NoteKind::Ignored, "chunks of other kinds", Place::Byte(at as u64), 1),
        }
        at = end;
    }
    let text = text.ok_or_else(|| Fault::byte(12, "no JSON chunk"))?;
    Ok((text, binary))
}

/// Adds the parts of a JSON text that begins at byte `start` of the file.
fn document(text: &[u8], start: usize, chunk: Option<Chunk>, builder: &mut Builder) -> Result<(), Fault> {
    let text = if start == 0 { without_mark(text) } else { text };
    let value: serde_json::Value = serde_json::from_slice(text).map_err(|error| {
        let before: usize =
            text.split_inclusive(|&byte| byte == b'\n').take(error.line().max(1) - 1).map(<[u8]>::len).sum();
        let message = error.to_string();
        let problem = message.split(" at line ").next().unwrap_or("");
        let byte = (start + before + error.column().saturating_sub(1)).min(start + text.len());
        Fault::byte(byte, format!("not JSON: {problem}"))
    })?;
    let root = Json { value: &value, path: String::new() };
    let root_fault = |problem: &str| Fault::new(Place::Json("the JSON text".into()), problem);
    let asset = root.object("asset")?.ok_or_else(|| root_fault("no `asset`: not a glTF file"))?;
    if !asset.text("version").is_some_and(|version| version.starts_with("2.")) {
        let version = shortened(asset.text("version").unwrap_or("none")).into_owned();
        return Err(Fault::unsupported(asset.place(), format!("version {version} of glTF; version 2 is supported")));
    }
    check_extensions(&root)?;
    note_ignored(&root, builder)?;
    builder.unit = Some(Unit::Metre);
    let mut reader = Reader {
        root: root.clone(),
        buffers: Buffers::new(root, chunk),
        points: BTreeMap::new(),
        meshes: BTreeMap::new(),
        same: BTreeMap::new(),
    };
    reader.nodes(builder)
}

/// Refuses extensions without which the file cannot be shown.
fn check_extensions(root: &Json) -> Result<(), Fault> {
    for name in root.elements("extensionsRequired")? {
        let word = name.value.as_str().ok_or_else(|| name.fault("not a text"))?;
        if READ.contains(&word) || HARMLESS.iter().any(|start| word.starts_with(start)) {
            continue;
        }
        let what = match word {
            "KHR_meshopt_compression" => {
                "compressed geometry; save the file with `EXT_meshopt_compression` or without compression"
            }
            _ => "an extension that the file cannot be shown without; save the file without it",
        };
        let problem = format!("`{}` is not supported: {what}", shortened(word));
        return Err(Fault::unsupported(name.place(), problem));
    }
    Ok(())
}

/// Notes what says nothing of where surfaces are, or is not taken into account.
fn note_ignored(root: &Json, builder: &mut Builder) -> Result<(), Fault> {
    for (key, what) in [
        ("materials", "materials"),
        ("textures", "textures"),
        ("images", "images"),
        ("cameras", "cameras"),
        ("animations", "animations: parts are where the nodes put them"),
        ("skins", "skins: parts are where the nodes put them, not where bones would"),
    ] {
        let count = root.array(key)?.len() as u64;
        builder.notes.add(NoteKind::Ignored, what, Place::Json(key.into()), count);
    }
    for name in root.elements("extensionsUsed")? {
        let word = name.value.as_str().ok_or_else(|| name.fault("not a text"))?;
        if !READ.contains(&word) {
            builder.notes.add(NoteKind::Ignored, &format!("extensions `{}`", shortened(word)), name.place(), 1);
        }
    }
    Ok(())
}

/// What is known of a primitive: accessors and mode, and where it is compressed, the view and the attribute's number.
type Primitive = (usize, Option<usize>, usize, Option<(usize, usize)>);

struct Reader<'a> {
    root: Json<'a>,
    buffers: Buffers<'a>,
    /// Points by accessor, for the mesh that is being read.
    points: BTreeMap<usize, (u32, u32)>,
    /// Geometries by mesh; `None` for a mesh without triangles.
    meshes: BTreeMap<usize, Option<usize>>,
    /// Geometries by what they are made of.
    same: BTreeMap<Vec<Primitive>, usize>,
}

impl<'a> Reader<'a> {
    /// Walks the scene.
    fn nodes(&mut self, builder: &mut Builder) -> Result<(), Fault> {
        let nodes = self.root.array("nodes")?;
        let mut reached = vec![false; nodes.len()];
        // To visit: the node, the value that names it, the map and the path of its parent.
        let mut stack: Vec<(usize, Json, Affine, String)> = Vec::new();
        for (index, from) in self.roots(builder)?.into_iter().rev() {
            stack.push((index, from, (DMat3::IDENTITY, DVec3::ZERO), String::new()));
        }
        while let Some((index, from, (linear, translation), path)) = stack.pop() {
            let node = self.root.entry("nodes", index, &from)?;
            let place = node.place();
            if std::mem::replace(&mut reached[index], true) {
                return Err(from.fault(format!("nodes[{index}] is reached a second time: nodes must form a tree")));
            }
            builder.budget.step().map_err(|over| over.at(&place))?;
            let (own_linear, own_translation) = transform(&node)?;
            let affine = (linear * own_linear, linear * own_translation + translation);
            let mesh = node.member("mesh");
            let mesh_name = match &mesh {
                Some(member) => self.root.entry("meshes", member.whole()?, member)?.text("name"),
                None => None,
            };
            let own = node.text("name").filter(|name| !name.is_empty()).or(mesh_name.filter(|name| !name.is_empty()));
            let own = own.map_or_else(|| format!("node {index}"), str::to_owned);
            let name = if path.is_empty() { own } else { format!("{path}/{own}") };
            builder.budget.name(name.len()).map_err(|over| over.at(&place))?;
            if let Some(member) = mesh
                && let Some(geometry) = self.mesh(member.whole()?, &member, builder)?
            {
                self.show(&node, geometry, affine, &name, builder)?;
            }
            let children: Vec<Json> = node.elements("children")?.collect();
            for child in children.into_iter().rev() {
                // The path waits on the stack, once for each child.
                builder.budget.name(name.len()).map_err(|over| over.at(&place))?;
                stack.push((child.whole()?, child, affine, name.clone()));
            }
        }
        let hidden =
            nodes.iter().zip(&reached).filter(|(node, reached)| !**reached && node.get("mesh").is_some()).count();
        builder.notes.add(
            NoteKind::Dropped,
            "nodes with meshes outside of the scene",
            Place::Json("nodes".into()),
            hidden as u64,
        );
        let unseen = self.root.array("meshes")?.len() - self.meshes.len();
        let what = "meshes that no node of the scene shows";
        builder.notes.add(NoteKind::Dropped, what, Place::Json("meshes".into()), unseen as u64);
        Ok(())
    }

    /// The nodes where the scene begins, with the values that name them.
    fn roots(&self, builder: &mut Builder) -> Result<Vec<(usize, Json<'a>)>, Fault> {
        let scenes = self.root.array("scenes")?.len();
        if scenes == 0 {
            let mut child = vec![false; self.root.array("nodes")?.len()];
            for node in self.root.elements("nodes")? {
                for index in node.elements("children")? {
                    if let Some(child) = child.get_mut(index.whole()?) {
                        *child = true;
                    }
                }
            }
            let what = "file without a scene: all nodes are shown";
            builder.notes.add(NoteKind::Assumed, what, Place::Json("nodes".into()), 1);
            let nodes = self.root.elements("nodes")?.enumerate();
            return Ok(nodes.filter(|&(index, _)| !child[index]).collect());
        }
        let index = match self.root.member("scene") {
            Some(member) => member.whole()?,
            None => 0,
        };
        let others = scenes as u64 - 1;
        builder.notes.add(NoteKind::Dropped, "scenes other than the default one", Place::Json("scenes".into()), others);
        let scene = self.root.entry("scenes", index, &self.root.member("scene").unwrap_or(self.root.clone()))?;
        scene.elements("nodes")?.map(|node| Ok((node.whole()?, node))).collect()
    }

    /// Adds the part of a node, or its parts where it is instanced.
    fn show(
        &mut self,
        node: &Json<'a>,
        geometry: usize,
        (linear, translation): Affine,
        name: &str,
        builder: &mut Builder,
    ) -> Result<(), Fault> {
        let Some(instancing) = extension(node, "EXT_mesh_gpu_instancing")? else {
            return builder.placed(name.to_owned(), geometry, linear, translation, node.place());
        };
        let attributes = instancing.object("attributes")?.ok_or_else(|| instancing.fault("`attributes` is missing"))?;
        let index = |key: &str| attributes.number(key);
        let from = &attributes;
        let moves = index("TRANSLATION")?.map(|at| self.buffers.vectors::<3>(at, from, builder)).transpose()?;
        let turns = index("ROTATION")?.map(|at| self.buffers.vectors::<4>(at, from, builder)).transpose()?;
        let scales = index("SCALE")?.map(|at| self.buffers.vectors::<3>(at, from, builder)).transpose()?;
        let lengths = [moves.as_ref().map(Vec::len), turns.as_ref().map(Vec::len), scales.as_ref().map(Vec::len)];
        let Some(count) = lengths.iter().flatten().copied().min() else {
            let problem = "instances without TRANSLATION, ROTATION or SCALE are not supported";
            return Err(Fault::unsupported(attributes.place(), problem));
        };
        if lengths.iter().flatten().any(|&length| length != count) {
            return Err(attributes.fault("the attributes of the instances differ in their count"));
        }
        for instance in 0..count {
            builder.budget.step().map_err(|over| over.at(&attributes.place()))?;
            let own = from_parts(
                moves.as_ref().map(|list| list[instance]),
                turns.as_ref().map(|list| list[instance]),
                scales.as_ref().map(|list| list[instance]),
            );
            let (own_linear, own_translation) =
                own.ok_or_else(|| attributes.fault(format!("the rotation of instance {instance} has no length")))?;
            let (linear, translation) = (linear * own_linear, linear * own_translation + translation);
            builder.placed(format!("{name}/{instance}"), geometry, linear, translation, attributes.place())?;
        }
        Ok(())
    }

    /// The geometry of a mesh; `None` if it has no triangles.
    fn mesh(&mut self, index: usize, from: &Json, builder: &mut Builder) -> Result<Option<usize>, Fault> {
        if let Some(&known) = self.meshes.get(&index) {
            return Ok(known);
        }
        let mesh = self.root.entry("meshes", index, from)?;
        let (mut key, mut primitives) = (Vec::new(), Vec::new());
        for primitive in mesh.elements("primitives")? {
            if let Some(known) = self.primitive(&primitive, builder)? {
                key.push(known);
                primitives.push(primitive);
            }
        }
        let name = mesh.text("name").unwrap_or("").to_owned();
        let geometry = match self.same.get(&key) {
            _ if key.is_empty() => None,
            Some(&same) => Some(same),
            None => {
                let mut geometry = Geometry { name, ..Geometry::default() };
                self.points.clear();
                for (known, primitive) in key.iter().zip(&primitives) {
                    self.triangles(*known, primitive, &mut geometry, builder)?;
                }
                let index = builder.geometry(geometry, mesh.place())?;
                self.same.insert(key, index);
                Some(index)
            }
        };
        self.meshes.insert(index, geometry);
        Ok(geometry)
    }

    /// The accessors and the mode of a primitive; `None` if it has no triangles.
    fn primitive(&self, primitive: &Json<'a>, builder: &mut Builder) -> Result<Option<Primitive>, Fault> {
        let count = primitive.array("targets")?.len() as u64;
        let what = "morph targets: surfaces are as they are without them";
        builder.notes.add(NoteKind::Ignored, what, primitive.place(), count);
        let mode = primitive.number("mode")?.unwrap_or(4);
        let dropped = match mode {
            0 => "primitives of points",
            1..=3 => "primitives of lines",
            4..=6 => "",
            other => return Err(primitive.fault(format!("`mode` {other}, expected 0 to 6"))),
        };
        if !dropped.is_empty() {
            builder.notes.add(NoteKind::Dropped, dropped, primitive.place(), 1);
            return Ok(None);
        }
        let attributes = primitive.object("attributes")?;
        let attributes = attributes.ok_or_else(|| primitive.fault("`attributes` is missing"))?;
        let Some(member) = attributes.member("POSITION") else {
            builder.notes.add(NoteKind::Dropped, "primitives without positions", primitive.place(), 1);
            return Ok(None);
        };
        let others = attributes.value.as_object().map_or(0, |attributes| attributes.len() - 1);
        let what = "attributes other than positions (normals, colours, texture coordinates)";
        builder.notes.add(NoteKind::Ignored, what, attributes.place(), others as u64);
        let points = member.whole()?;
        let indices = primitive.member("indices");
        let compressed = match extension(primitive, DRACO)? {
            // The uncompressed fallback is used where there is one: it is not quantised.
            Some(_)
                if self.has_data(&member)? && indices.as_ref().map_or(Ok(true), |index| self.has_data(index))? =>
            {
                None
            }
            Some(_) if mode == 6 => return Err(primitive.fault("`mode` 6 (fans) cannot be compressed by Draco")),
            Some(draco) => {
                let attribute = draco.object("attributes")?.and_then(|attributes| attributes.member("POSITION"));
                let attribute = attribute.ok_or_else(|| draco.fault("`attributes.POSITION` is missing"))?;
                Some((draco.needed("bufferView")?.whole()?, attribute.whole()?))
            }
            None => None,
        };
        Ok(Some((points, primitive.number("indices")?, mode, compressed)))
    }

    /// Whether the accessor that a member names has data of its own.
    fn has_data(&self, member: &Json) -> Result<bool, Fault> {
        let accessor = self.root.entry("accessors", member.whole()?, member)?;
        Ok(accessor.member("bufferView").is_some() || accessor.member("sparse").is_some())
    }

    /// Appends the triangles of a primitive that is compressed.
    fn compressed(
        &mut self,
        accessor: usize,
        primitive: &Json<'a>,
        geometry: &mut Geometry,
        builder: &mut Builder,
    ) -> Result<(), Fault> {
        let Some(draco) = extension(primitive, DRACO)? else { return Ok(()) };
        let surface = self.buffers.surface(&draco, accessor, primitive, builder)?;
        let (first, _) = room_for(surface.points.len(), geometry, primitive)?;
        geometry.points.extend(surface.points);
        geometry.triangles.extend(surface.triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        Ok(())
    }

    /// Appends the triangles of a primitive.
    fn triangles(
        &mut self,
        (accessor, indices, mode, compressed): Primitive,
        primitive: &Json<'a>,
        geometry: &mut Geometry,
        builder: &mut Builder,
    ) -> Result<(), Fault> {
        if compressed.is_some() {
            return self.compressed(accessor, primitive, geometry, builder);
        }
        let (first, count) = match self.points.get(&accessor) {
            Some(&known) => known,
            None => {
                let points = self.buffers.vectors::<3>(accessor, primitive, builder)?;
                let known = room_for(points.len(), geometry, primitive)?;
                match geometry.points.is_empty() {
                    true => geometry.points = points,
                    false => geometry.points.extend(points),
                }
                self.points.insert(accessor, known);
                known
            }
        };
        if let (Some(accessor), 4) = (indices, mode)
            && self.buffers.triangles(accessor, primitive, (first, count), &mut geometry.triangles, builder)?
        {
            return Ok(());
        }
        let corners = match indices {
            Some(accessor) => self.buffers.indices(accessor, primitive, builder)?,
            None => {
                let bytes = u64::from(count) * INDEX;
                builder.budget.bytes(bytes).map_err(|over| over.at(&primitive.place()))?;
                (0..count).collect()
            }
        };
        if let Some((element, &corner)) = corners.iter().enumerate().find(|&(_, &corner)| corner >= count) {
            let problem = format!("index {element} names point {corner}, but there are {count}, counted from 0");
            return Err(primitive.fault(problem));
        }
        let left_over = if mode == 4 { corners.len() % 3 } else { 0 };
        builder.notes.add(
            NoteKind::Dropped,
            "indices after the last whole triangle",
            primitive.place(),
            left_over as u64,
        );
        let triangles = if mode == 4 { corners.len() / 3 } else { corners.len() };
        builder.budget.geometry(0, triangles).map_err(|over| over.at(&primitive.place()))?;
        let mut add = |a: u32, b: u32, c: u32| geometry.triangles.push([first + a, first + b, first + c]);
        match mode {
            4 => corners.chunks_exact(3).for_each(|triangle| add(triangle[0], triangle[1], triangle[2])),
            // Every other triangle of a strip runs the other way round.
            5 => corners.windows(3).enumerate().for_each(|(index, triangle)| match index % 2 {
                0 => add(triangle[0], triangle[1], triangle[2]),
                _ => add(triangle[1], triangle[0], triangle[2]),
            }),
            _ => corners.windows(2).skip(1).for_each(|side| add(side[0], side[1], corners[0])),
        }
        Ok(())
    }
}

/// The number of the first of so many points that are about to be appended, and their count.
fn room_for(points: usize, geometry: &Geometry, primitive: &Json) -> Result<(u32, u32), Fault> {
    let both = u32::try_from(geometry.points.len()).ok().zip(u32::try_from(points).ok());
    let fits = both.filter(|(first, count)| first.checked_add(*count).is_some());
    fits.ok_or_else(|| primitive.fault("more than 4294967295 points in one mesh"))
}

/// The map of a node to its parent.
fn transform(node: &Json) -> Result<Affine, Fault> {
    if let Some(matrix) = node.numbers::<16>("matrix")? {
        let column = |at: usize| DVec3::new(matrix[4 * at], matrix[4 * at + 1], matrix[4 * at + 2]);
        if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            return Err(node.fault("the last row of `matrix` is not 0 0 0 1"));
        }
        return Ok((DMat3::from_cols(column(0), column(1), column(2)), column(3)));
    }
    let affine = from_parts(node.numbers("translation")?, node.numbers("rotation")?, node.numbers("scale")?);
    affine.ok_or_else(|| node.fault("`rotation` has no length"))
}

/// The map of a translation, a rotation and a scale; `None` if the quaternion has no length. Quaternions are given in
/// single precision and so never quite of length 1: they are normalised.
fn from_parts(translation: Option<[f64; 3]>, rotation: Option<[f64; 4]>, scale: Option<[f64; 3]>) -> Option<Affine> {
    let linear = match rotation {
        None => DMat3::IDENTITY,
        Some([x, y, z, w]) => {
            let length = (x * x + y * y + z * z + w * w).sqrt();
            if !length.is_normal() {
                return None;
            }
            DMat3::from_quat(DQuat::from_xyzw(x / length, y / length, z / length, w / length))
        }
    };
    let scale = scale.map_or(DVec3::ONE, DVec3::from_array);
    let linear = DMat3::from_cols(linear.x_axis * scale.x, linear.y_axis * scale.y, linear.z_axis * scale.z);
    Some((linear, translation.map_or(DVec3::ZERO, DVec3::from_array)))
}
