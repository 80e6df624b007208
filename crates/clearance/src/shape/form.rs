//! Serialisation (feature `serde`) of bodies that can contain others: `Shape`, rounded bodies and compounds.
//!
//! A body is written as its kind and the arguments of its constructor: `{"sphere": {"radius": 1.0}}`. It is read
//! through that constructor, with the same validation. Nesting is bounded: a compound contains no compounds and the
//! core of a rounded body is not rounded, both checked before the inner body is read. So the depth is limited even in
//! formats without a limit of their own.

use std::fmt;

use serde::de::{DeserializeSeed, EnumAccess, Error as _, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::any::Shape;
use super::compound::Compound;
use super::custom::Custom;
use super::rounded::Rounded;
use crate::error::Error;
use crate::math::numbers;
use crate::math::pose::Pose;

/// Why a body given by its support function is neither written nor read.
const CUSTOM: &str =
    "a custom body is a support function, which is code and cannot be serialised: store its parameters and rebuild it";

impl Serialize for Custom {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(CUSTOM))
    }
}

/// The kinds in the order of the variants of [`Shape`].
#[derive(Clone, Copy, Deserialize)]
#[serde(variant_identifier, rename_all = "snake_case")]
enum Kind {
    Sphere,
    Cuboid,
    Hull,
    Capsule,
    Cylinder,
    Cone,
    Ellipsoid,
    Rounded,
    HalfSpace,
    Segment,
    Triangle,
    Tetrahedron,
    Custom,
    Compound,
    HeightField,
    Mesh,
}

/// Their names, for formats that need the list of variants.
const KINDS: &[&str] = &[
    "sphere",
    "cuboid",
    "hull",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "rounded",
    "half_space",
    "segment",
    "triangle",
    "tetrahedron",
    "custom",
    "compound",
    "height_field",
    "mesh",
];

/// Where a body is read, which determines the kinds allowed.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// On its own.
    Alone,
    /// As a part of a compound.
    Part,
    /// As the core of a rounded body.
    Core,
}

impl Place {
    fn admit<E: serde::de::Error>(self, kind: Kind) -> Result<(), E> {
        let refuse = |kind| Err(E::custom(Error::NotACore { kind }));
        match (self, kind) {
            (_, Kind::Custom) => Err(E::custom(CUSTOM)),
            (Place::Alone, _) => Ok(()),
            (_, Kind::HalfSpace) => refuse("half-space"),
            (_, Kind::Compound) => refuse("compound"),
            (_, Kind::HeightField) => refuse("height field"),
            (_, Kind::Mesh) => refuse("mesh"),
            (Place::Core, Kind::Rounded) => {
                Err(E::custom("the core of a rounded body is itself rounded: use its core and the sum of both radii"))
            }
            _ => Ok(()),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Place {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_enum("Shape", KINDS, self)
    }
}

impl<'de> Visitor<'de> for Place {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a body: its kind and the arguments of its constructor")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Shape, A::Error> {
        let (kind, body) = data.variant::<Kind>()?;
        self.admit(kind)?;
        match kind {
            Kind::Sphere => body.newtype_variant().map(Shape::Sphere),
            Kind::Cuboid => body.newtype_variant().map(Shape::Cuboid),
            Kind::Hull => body.newtype_variant().map(Shape::Hull),
            Kind::Capsule => body.newtype_variant().map(Shape::Capsule),
            Kind::Cylinder => body.newtype_variant().map(Shape::Cylinder),
            Kind::Cone => body.newtype_variant().map(Shape::Cone),
            Kind::Ellipsoid => body.newtype_variant().map(Shape::Ellipsoid),
            Kind::Rounded => body.newtype_variant().map(Shape::Rounded),
            Kind::HalfSpace => body.newtype_variant().map(Shape::HalfSpace),
            Kind::Segment => body.newtype_variant().map(Shape::Segment),
            Kind::Triangle => body.newtype_variant().map(Shape::Triangle),
            Kind::Tetrahedron => body.newtype_variant().map(Shape::Tetrahedron),
            Kind::Custom => Err(A::Error::custom(CUSTOM)),
            Kind::Compound => body.newtype_variant().map(Shape::Compound),
            Kind::HeightField => body.newtype_variant().map(Shape::HeightField),
            Kind::Mesh => body.newtype_variant().map(Shape::Mesh),
        }
    }
}

impl<'de> Deserialize<'de> for Shape {
    /// Reads through the constructor of the kind, with its validation; restores the same bits that were written.
    ///
    /// ```
    /// use clearance::{Shape, glam::DVec3};
    /// let plate = Shape::rounded(Shape::cuboid(DVec3::new(1.0, 1.0, 0.1))?, 0.05)?;
    /// let text = serde_json::to_string(&plate).unwrap();
    /// assert_eq!(text, r#"{"rounded":{"core":{"cuboid":{"half_extents":[1.0,1.0,0.1]}},"radius":0.05}}"#);
    /// assert_eq!(serde_json::from_str::<Shape>(&text).unwrap(), plate);
    /// let refused = serde_json::from_str::<Shape>(r#"{"sphere": {"radius": -1.0}}"#).unwrap_err();
    /// assert!(refused.to_string().starts_with("radius is -1: it must be greater than zero"));
    /// # Ok::<(), clearance::Error>(())
    /// ```
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        Place::Alone.deserialize(deserializer)
    }
}

/// Serialised form of a rounded body.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Rounded", deny_unknown_fields)]
struct RoundedForm {
    #[serde(deserialize_with = "core")]
    core: Shape,
    #[serde(with = "numbers")]
    radius: f64,
}

fn core<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
    Place::Core.deserialize(deserializer)
}

impl Serialize for Rounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RoundedForm { core: self.core().clone(), radius: self.radius() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rounded, D::Error> {
        let RoundedForm { core, radius } = RoundedForm::deserialize(deserializer)?;
        Rounded::new(core, radius).map_err(D::Error::custom)
    }
}

/// Serialised form of a compound.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Compound", deny_unknown_fields)]
struct CompoundForm {
    parts: Vec<PartForm>,
}

/// Serialised form of a part of a compound.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Part", deny_unknown_fields)]
struct PartForm {
    pose: Pose,
    #[serde(deserialize_with = "part")]
    shape: Shape,
}

fn part<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
    Place::Part.deserialize(deserializer)
}

impl Serialize for Compound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = |(pose, shape): &(Pose, Shape)| PartForm { pose: *pose, shape: shape.clone() };
        CompoundForm { parts: self.parts().iter().map(form).collect() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Compound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Compound, D::Error> {
        let CompoundForm { parts } = CompoundForm::deserialize(deserializer)?;
        let parts = parts.into_iter().map(|part| (part.pose, part.shape)).collect();
        Compound::new(parts).map_err(D::Error::custom)
    }
}
