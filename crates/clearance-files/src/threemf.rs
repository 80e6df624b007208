//! 3MF: a zip archive with XML models in it. Objects are meshes or components (other objects, placed); the items of the
//! build say which objects are there. A part is called by its objects; where its item has a part number, by that in
//! place of the outermost. Units are those of the model; where it names none the format says millimetres. Models in
//! other entries of the archive (the production extension, `p:path`) are read as well.
//!
//! The archive is opened by `zip`, the XML by `quick-xml`, which keeps no tree: a model takes the memory of its
//! unpacked text and of what is in it. What may be unpacked is limited by a ratio to the length of the file, counted
//! while it is unpacked, whatever sizes the archive states. Components can stand for exponentially many parts, or for
//! themselves: steps are counted, and a path longer than there are objects is a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use clearance::glam::{DMat3, DVec3};
use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use crate::assembly::{Geometry, Unit};
use crate::builder::Builder;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::text::{coordinate, shortened};

/// The first bytes of an archive.
pub(crate) const MAGIC: &[u8] = b"PK\x03\x04";

type Affine = (DMat3, DVec3);

/// An object that stands somewhere: an item of the build, or a component of another object.
struct Placed {
    /// The entry of the model it is in, where that is another one.
    path: Option<String>,
    object: u32,
    /// The part number of an item, empty for components and where there is none.
    name: String,
    affine: Affine,
    byte: u64,
}

/// An object.
#[derive(Default)]
struct Object {
    name: String,
    geometry: Option<usize>,
    components: Vec<Placed>,
}

/// A model: an entry of the archive.
#[derive(Default)]
struct Model {
    unit: Option<Unit>,
    objects: BTreeMap<u32, Object>,
    items: Vec<Placed>,
}

/// An archive and what was read of it.
struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// The entries by their names in lower case: names in packages are the same whatever the case of their letters.
    entries: BTreeMap<String, usize>,
    models: BTreeMap<String, Model>,
    /// How many objects all models have.
    objects: usize,
    /// Geometries that an item shows.
    shown: BTreeSet<usize>,
}

/// Adds the parts of the file.
pub(crate) fn parse(bytes: &[u8], builder: &mut Builder) -> Result<(), Fault> {
    let archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| Fault::byte(bytes.len(), format!("not a whole archive: {error}; is the file cut short?")))?;
    let mut entries = BTreeMap::new();
    for (index, name) in archive.file_names().enumerate() {
        if let Ok(name) = name {
            entries.entry(name.to_ascii_lowercase()).or_insert(index);
        }
    }
    let mut package = Package { archive, entries, models: BTreeMap::new(), objects: 0, shown: BTreeSet::new() };
    let root = package.root_model(builder)?;
    package.load(&root, builder)?;
    let items = package.models.get_mut(&root).map(|model| std::mem::take(&mut model.items)).unwrap_or_default();
    for item in items {
        package.show(item, &root, builder)?;
    }
    let objects = package.models.values().flat_map(|model| model.objects.values());
    let hidden = objects.filter_map(|object| object.geometry).filter(|it| !package.shown.contains(it)).count();
    let place = Place::Entry { name: root, byte: 0 };
    builder.notes.add(NoteKind::Dropped, "meshes that no item of the build shows", place, hidden as u64);
    Ok(())
}

impl Package<'_> {
    /// The entry of the model that the archive names.
    fn root_model(&mut self, builder: &mut Builder) -> Result<String, Fault> {
        const RELATIONS: &str = "_rels/.rels";
        let Some(text) = self.unpacked(RELATIONS, builder)? else {
            let names: Vec<String> =
                self.archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
            let model = names.into_iter().filter(|name| name.to_ascii_lowercase().ends_with(".model")).min();
            let model = model.ok_or_else(|| Fault::new(Place::File, "an archive without a 3MF model in it"))?;
            let what = format!("archive that does not name its model: `{}` is taken", shortened(&model));
            builder.notes.add(NoteKind::Assumed, &what, Place::File, 1);
            return Ok(model);
        };
        let mut elements = Elements::new(&text, RELATIONS);
        while let Some(Step::Start(element)) = elements.next_start()? {
            let attribute = |key: &str| elements.attribute(&element, key);
            if element.local_name().as_ref() == "Relationship"
                && attribute("Type")?.is_some_and(|kind| kind.ends_with("/3dmodel"))
                && let Some(target) = attribute("Target")?
            {
                return Ok(target.trim_start_matches('/').to_owned());
            }
        }
        Err(Fault::new(Place::Entry { name: RELATIONS.into(), byte: 0 }, "no 3D model is named: not a 3MF file"))
    }

    /// The text of an entry; `None` if there is none of this name.
    fn unpacked(&mut self, name: &str, builder: &mut Builder) -> Result<Option<String>, Fault> {
        let known = self.archive.index_for_name(name);
        let Some(index) = known.or_else(|| self.entries.get(&name.to_ascii_lowercase()).copied()) else {
            return Ok(None);
        };
        let place = |byte: usize| Place::Entry { name: name.to_owned(), byte: byte as u64 };
        let mut bytes = Vec::new();
        let entry = self
            .archive
            .by_index(index)
            .map_err(|error| Fault::new(place(0), format!("cannot be unpacked: {error}")))?;
        let most = builder.budget.inflatable().saturating_add(1);
        let done = entry.take(most).read_to_end(&mut bytes);
        builder.budget.inflate(bytes.len() as u64, name)?;
        done.map_err(|error| Fault::new(place(bytes.len()), format!("cannot be unpacked: {error}")))?;
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(Fault::unsupported(place(0), "text in UTF-16; save it as UTF-8"));
        }
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|error| Fault::new(place(error.utf8_error().valid_up_to()), "not UTF-8 text"))
    }

    /// Makes sure that a model is loaded.
    fn load(&mut self, name: &str, builder: &mut Builder) -> Result<(), Fault> {
        if self.models.contains_key(name) {
            return Ok(());
        }
        let place = Place::Entry { name: name.to_owned(), byte: 0 };
        let text = self.unpacked(name, builder)?;
        let text = text.ok_or_else(|| Fault::new(place.clone(), "the archive has no such entry"))?;
        let model = model(&text, name, builder)?;
        let unit = model.unit.unwrap_or(Unit::Millimetre);
        if builder.unit.is_some_and(|known| known != unit) {
            return Err(Fault::unsupported(place, "a model in another unit than the one that refers to it"));
        }
        builder.unit = Some(unit);
        self.objects += model.objects.len();
        self.models.insert(name.to_owned(), model);
        Ok(())
    }

    /// Adds the parts of an item.
    fn show(&mut self, item: Placed, root: &str, builder: &mut Builder) -> Result<(), Fault> {
        // To visit: the object, the model that refers to it, the map and the path of what it is in, how deep it is.
        // What is in nothing has no map, not even the one that changes nothing but the sign of a zero.
        let place = Place::Entry { name: root.to_owned(), byte: item.byte };
        builder.budget.step().map_err(|over| over.at(&place))?;
        let mut stack: Vec<(Placed, String, Option<Affine>, String, usize)> =
            vec![(item, root.to_owned(), None, String::new(), 0)];
        while let Some((placed, from, outer, path, depth)) = stack.pop() {
            let place = Place::Entry { name: from.clone(), byte: placed.byte };
            let model_name = placed.path.unwrap_or(from);
            self.load(&model_name, builder)?;
            let object = self.models.get(&model_name).and_then(|model| model.objects.get(&placed.object));
            let object =
                object.ok_or_else(|| Fault::new(place.clone(), format!("there is no object {}", placed.object)))?;
            if depth > self.objects {
                let problem = format!("object {} is a component of itself", placed.object);
                return Err(Fault::new(place, problem));
            }
            let affine = outer.map_or(placed.affine, |(linear, translation)| {
                (linear * placed.affine.0, linear * placed.affine.1 + translation)
            });
            let own = match (&placed.name, &object.name) {
                (number, name) if !number.is_empty() => {
                    // The name of a mesh is that of its geometry, too, and not lost.
                    if object.geometry.is_none() && !name.is_empty() && name != number {
                        let what =
                            "names of objects: the items that show them have part numbers, and are called by these";
                        builder.notes.add(NoteKind::Ignored, what, place.clone(), 1);
                    }
                    number.clone()
                }
                (_, name) if name.is_empty() => format!("object {}", placed.object),
                (_, name) => name.clone(),
            };
            let name = if path.is_empty() { own } else { format!("{path}/{own}") };
            builder.budget.name(name.len()).map_err(|over| over.at(&place))?;
            for component in object.components.iter().rev() {
                // Counted before it waits: a few objects with many components each make long stacks.
                builder.budget.step().map_err(|over| over.at(&place))?;
                builder.budget.name(name.len()).map_err(|over| over.at(&place))?;
                let Placed { path, object, affine: own, byte, .. } = component;
                let component =
                    Placed { path: path.clone(), object: *object, name: String::new(), affine: *own, byte: *byte };
                stack.push((component, model_name.clone(), Some(affine), name.clone(), depth + 1));
            }
            if let Some(geometry) = object.geometry {
                self.shown.insert(geometry);
                builder.placed(name, geometry, affine.0, affine.1, place)?;
            }
        }
        Ok(())
    }
}

/// The elements of an XML text, with their places.
struct Elements<'a> {
    reader: Reader<&'a [u8]>,
    entry: &'a str,
    /// How many elements are open.
    depth: usize,
    /// Where the last one began.
    byte: u64,
}

enum Step<'a> {
    Start(BytesStart<'a>),
    End(BytesEnd<'a>),
}

impl<'a> Elements<'a> {
    fn new(text: &'a str, entry: &'a str) -> Elements<'a> {
        let mut reader = Reader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
        reader.config_mut().expand_empty_elements = true;
        Elements { reader, entry, depth: 0, byte: 0 }
    }

    fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(Place::Entry { name: self.entry.to_owned(), byte: self.byte }, problem)
    }

    /// The next element that begins or ends; `None` at the end of the text.
    fn next(&mut self) -> Result<Option<Step<'a>>, Fault> {
        loop {
            self.byte = self.reader.buffer_position();
            match self.reader.read_event() {
                Ok(Event::Start(element)) => {
                    self.depth += 1;
                    return Ok(Some(Step::Start(element)));
                }
                Ok(Event::End(element)) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Some(Step::End(element)));
                }
                Ok(Event::DocType(_)) => return Err(self.fault("a document type, which 3MF forbids")),
                Ok(Event::Eof) if self.depth > 0 => {
                    return Err(self.fault(format!("the text ends inside {} elements: is it cut short?", self.depth)));
                }
                Ok(Event::Eof) => return Ok(None),
                Ok(_) => {}
                Err(error) => {
                    self.byte = self.reader.error_position();
                    return Err(self.fault(format!("not XML: {error}")));
                }
            }
        }
    }

    /// The next element that begins.
    fn next_start(&mut self) -> Result<Option<Step<'a>>, Fault> {
        loop {
            match self.next()? {
                Some(Step::End(_)) => {}
                other => return Ok(other),
            }
        }
    }

    /// An attribute by its name without prefix.
    fn attribute(&self, element: &BytesStart, key: &str) -> Result<Option<String>, Fault> {
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.fault(format!("not XML: {error}")))?;
            if attribute.key.local_name().as_ref() == key {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                return Ok(Some(value.map_err(|error| self.fault(format!("not XML: {error}")))?.into_owned()));
            }
        }
        Ok(None)
    }

    /// An attribute that is an object's number.
    fn id(&self, element: &BytesStart, key: &str) -> Result<u32, Fault> {
        let value = self.attribute(element, key)?.ok_or_else(|| self.fault(format!("`{key}` is missing")))?;
        value.trim().parse().map_err(|_| self.fault(format!("`{}` is not the number of an object", shortened(&value))))
    }

    /// Three attributes, parsed, and whether there are others.
    fn three<T>(
        &self,
        element: &BytesStart,
        keys: [&str; 3],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<([T; 3], bool), Fault> {
        let (mut found, mut others) = ([const { None }; 3], false);
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.fault(format!("not XML: {error}")))?;
            let key = attribute.key.as_ref();
            match keys.iter().position(|wanted| *wanted == key) {
                Some(index) => {
                    found[index] = Some(parse(attribute.value.trim()).map_err(|problem| self.fault(problem))?)
                }
                None => others = true,
            }
        }
        let [Some(a), Some(b), Some(c)] = found else {
            return Err(self.fault(format!("one of `{}`, `{}`, `{}` is missing", keys[0], keys[1], keys[2])));
        };
        Ok(([a, b, c], others))
    }

    /// Where an item or a component puts its object. The twelve numbers are the rows of a matrix that rows are
    /// multiplied with from the left: so they are the columns of the linear part, and the translation.
    fn placed(&self, element: &BytesStart) -> Result<Placed, Fault> {
        let mut numbers = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(text) = self.attribute(element, "transform")? {
            let mut words = text.split_ascii_whitespace();
            for number in &mut numbers {
                *number = coordinate(words.next()).map_err(|problem| self.fault(format!("`transform`: {problem}")))?;
            }
            if words.next().is_some() {
                return Err(self.fault("`transform` has more than twelve numbers"));
            }
        }
        let column = |at: usize| DVec3::new(numbers[3 * at], numbers[3 * at + 1], numbers[3 * at + 2]);
        let affine = (DMat3::from_cols(column(0), column(1), column(2)), column(3));
        let path = self.attribute(element, "path")?.map(|path| path.trim_start_matches('/').to_owned());
        Ok(Placed { path, object: self.id(element, "objectid")?, name: String::new(), affine, byte: self.byte })
    }
}

/// A mesh in the making.
#[derive(Default)]
struct Mesh {
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// The largest index and where it is.
    largest: Option<(u32, u64)>,
}

/// Reads a model.
fn model(text: &str, entry: &str, builder: &mut Builder) -> Result<Model, Fault> {
    let mut elements = Elements::new(text, entry);
    let mut model = Model::default();
    let (mut object, mut mesh): (Option<(u32, Object)>, Option<Mesh>) = (None, None);
    let mut is_model = false;
    while let Some(step) = elements.next()? {
        let byte = elements.byte;
        let place = || Place::Entry { name: entry.to_owned(), byte };
        let element = match step {
            Step::Start(element) => element,
            Step::End(element) => {
                match (element.local_name().as_ref(), object.as_mut()) {
                    ("mesh", Some((id, object))) => {
                        let Some(Mesh { points, triangles, largest }) = mesh.take() else { continue };
                        if let Some((vertex, byte)) = largest
                            && vertex as usize >= points.len()
                        {
                            let problem = format!("vertex {vertex}, but there are {}, counted from 0", points.len());
                            return Err(Fault::new(Place::Entry { name: entry.to_owned(), byte }, problem));
                        }
                        let name = if object.name.is_empty() { format!("object {id}") } else { object.name.clone() };
                        object.geometry = Some(builder.geometry(Geometry { name, points, triangles }, place())?);
                    }
                    ("object", Some(_)) => {
                        if let Some((id, object)) = object.take()
                            && model.objects.insert(id, object).is_some()
                        {
                            return Err(elements.fault(format!("a second object {id}")));
                        }
                    }
                    _ => {}
                }
                continue;
            }
        };
        let name = element.local_name();
        let mut note = |kind, what: &str| builder.notes.add(kind, what, place(), 1);
        match (name.as_ref(), object.as_mut(), mesh.as_mut()) {
            ("model", None, _) if !is_model => {
                is_model = true;
                model.unit = unit(&elements, &element)?;
                required(&elements, &element)?;
            }
            _ if !is_model => return Err(elements.fault("not a 3MF model: the root element is not `model`")),
            ("object", None, _) => {
                let text = |key: &str| elements.attribute(&element, key);
                let name = text("name")?.or(text("partnumber")?).unwrap_or_default();
                if text("type")?.is_some_and(|kind| kind != "model") {
                    note(
                        NoteKind::Ignored,
                        "types of objects (support, surface, other): they are parts like any other",
                    );
                }
                object = Some((elements.id(&element, "id")?, Object { name, ..Object::default() }));
            }
            ("object", Some(_), _) => return Err(elements.fault("an object inside an object")),
            ("mesh", Some((_, object)), None) if object.geometry.is_none() => mesh = Some(Mesh::default()),
            ("mesh", ..) => return Err(elements.fault("a mesh outside of an object, or a second one in it")),
            ("vertex", _, Some(mesh)) => {
                let (point, _) = elements.three(&element, ["x", "y", "z"], |word| coordinate(Some(word)))?;
                mesh.points.push(point);
            }
            ("triangle", _, Some(mesh)) => {
                let index = |word: &str| word.parse().map_err(|_| format!("`{}` is not an index", shortened(word)));
                let (triangle, others): ([u32; 3], bool) = elements.three(&element, ["v1", "v2", "v3"], index)?;
                if others {
                    note(NoteKind::Ignored, "properties of triangles (colours, materials)");
                }
                let [a, b, c] = triangle;
                let most = a.max(b).max(c);
                if mesh.largest.is_none_or(|(largest, _)| most > largest) {
                    mesh.largest = Some((most, elements.byte));
                }
                mesh.triangles.push(triangle);
            }
            ("component", Some((_, object)), _) => object.components.push(elements.placed(&element)?),
            ("item", None, _) => {
                let name = elements.attribute(&element, "partnumber")?.unwrap_or_default();
                model.items.push(Placed { name, ..elements.placed(&element)? });
            }
            ("resources" | "build", None, _) | ("components", Some(_), _) | ("vertices" | "triangles", _, Some(_)) => {}
            ("beamlattice" | "ballsets" | "beams", ..) => note(NoteKind::Dropped, "lattices of beams"),
            ("beam" | "beamset" | "ref" | "ball", ..) => {}
            (other, ..) => note(NoteKind::Ignored, &format!("elements `{}`", shortened(other))),
        }
    }
    if is_model { Ok(model) } else { Err(elements.fault("an empty text, no 3MF model")) }
}

/// The unit of a model.
fn unit(elements: &Elements, element: &BytesStart) -> Result<Option<Unit>, Fault> {
    let Some(word) = elements.attribute(element, "unit")? else { return Ok(None) };
    Ok(Some(match word.as_str() {
        "micron" => Unit::Micrometre,
        "millimeter" => Unit::Millimetre,
        "centimeter" => Unit::Centimetre,
        "inch" => Unit::Inch,
        "foot" => Unit::Foot,
        "meter" => Unit::Metre,
        other => return Err(elements.fault(format!("`{}` is not a unit", shortened(other)))),
    }))
}

/// Refuses models that need what is not read here.
fn required(elements: &Elements, element: &BytesStart) -> Result<(), Fault> {
    let words = elements.attribute(element, "requiredextensions")?.unwrap_or_default();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for attribute in element.attributes().with_checks(false).flatten() {
        if let Some(prefix) = attribute.key.as_ref().strip_prefix("xmlns:") {
            names.entry(prefix.to_owned()).or_insert_with(|| attribute.value.into_owned());
        }
    }
    for word in words.split_ascii_whitespace() {
        let name = names.get(word).map_or("", String::as_str);
        // Components in other entries are read; colours and slices are there beside the mesh.
        if !["/production/", "/material/", "/slice/"].iter().any(|known| name.contains(known)) {
            let problem = format!(
                "the extension `{}` ({}) is required and not supported; save the file without it",
                shortened(word),
                shortened(name)
            );
            return Err(Fault::unsupported(
                Place::Entry { name: elements.entry.to_owned(), byte: elements.byte },
                problem,
            ));
        }
    }
    Ok(())
}
