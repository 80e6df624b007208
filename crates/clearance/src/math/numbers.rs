//! How numbers are serialised with the feature `serde`: bit for bit, in every format.
//!
//! JSON and most other human-readable formats cannot hold infinities and NaN, so there these become the strings
//! `"inf"`, `"-inf"` and `"nan"`; every other number, and all numbers of binary formats, are plain. Put `#[serde(with =
//! "crate::math::numbers")]` on a field: a number, or vectors, matrices, lists and options of numbers. Vectors are
//! lists of their components, matrices are lists of their rows.
//!
//! [`data_form`] defines the serialised form of a type that is validated by its constructor.

use std::fmt;
use std::marker::PhantomData;

use glam::{DMat3, DVec2, DVec3};
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Limit on the bytes reserved from a list's stated length; the list grows as its elements are read.
const CAUTIOUS_BYTES: usize = 1 << 20;

/// Writes a field.
pub(crate) fn serialize<T: Numbers, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.write(serializer)
}

/// Reads a field.
pub(crate) fn deserialize<'de, T: Numbers, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(deserializer)
}

/// Field types that [`serialize`] supports.
pub(crate) trait Numbers: Sized {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// An element to serialise.
struct Written<'a, T>(&'a T);

impl<T: Numbers> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(serializer)
    }
}

/// A deserialised element.
struct Read<T>(T);

impl<'de, T: Numbers> Deserialize<'de> for Read<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Read<T>, D::Error> {
        T::read(deserializer).map(Read)
    }
}

impl Numbers for f64 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_finite() || !serializer.is_human_readable() {
            serializer.serialize_f64(*self)
        } else if self.is_nan() {
            serializer.serialize_str("nan")
        } else {
            serializer.serialize_str(if *self > 0.0 { "inf" } else { "-inf" })
        }
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(NumberVisitor)
        } else {
            f64::deserialize(deserializer)
        }
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"a number, "inf", "-inf" or "nan""#)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<f64, E> {
        match value {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" => Ok(f64::NAN),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    /// The form that `serde_json` gives every number if any crate enables its feature `arbitrary_precision`.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<f64, A::Error> {
        match map.next_entry::<String, String>()? {
            Some((key, digits)) if key == "$serde_json::private::Number" => digits.parse().map_err(A::Error::custom),
            _ => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

impl<T: Numbers + Copy + Default, const N: usize> Numbers for [T; N] {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(N)?;
        self.iter().try_for_each(|element| tuple.serialize_element(&Written(element)))?;
        tuple.end()
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[T; N], D::Error> {
        deserializer.deserialize_tuple(N, ArrayVisitor(PhantomData))
    }
}

struct ArrayVisitor<T, const N: usize>(PhantomData<T>);

impl<'de, T: Numbers + Copy + Default, const N: usize> Visitor<'de> for ArrayVisitor<T, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {N}")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<[T; N], A::Error> {
        let mut elements = [T::default(); N];
        for (index, element) in elements.iter_mut().enumerate() {
            let Some(Read(read)) = list.next_element()? else { return Err(A::Error::invalid_length(index, &self)) };
            *element = read;
        }
        Ok(elements)
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        self.iter().try_for_each(|element| list.serialize_element(&Written(element)))?;
        list.end()
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Numbers> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let cautious = CAUTIOUS_BYTES / size_of::<T>().max(1);
        let mut elements = Vec::with_capacity(list.size_hint().unwrap_or(0).min(cautious));
        while let Some(Read(element)) = list.next_element()? {
            elements.push(element);
        }
        Ok(elements)
    }
}

impl<T: Numbers> Numbers for Option<T> {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Written).serialize(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        Ok(Option::<Read<T>>::deserialize(deserializer)?.map(|Read(read)| read))
    }
}

impl Numbers for DVec2 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_array().write(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DVec2, D::Error> {
        <[f64; 2]>::read(deserializer).map(DVec2::from_array)
    }
}

impl Numbers for DVec3 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_array().write(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DVec3, D::Error> {
        <[f64; 3]>::read(deserializer).map(DVec3::from_array)
    }
}

impl Numbers for DMat3 {
    fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.transpose().to_cols_array_2d().write(serializer)
    }

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DMat3, D::Error> {
        let rows = <[[f64; 3]; 3]>::read(deserializer)?;
        Ok(DMat3::from_cols_array_2d(&rows).transpose())
    }
}

/// Types serialised as `serde` does by default.
macro_rules! as_they_are {
    ($($type:ty),+) => {
        $(impl $crate::math::numbers::Numbers for $type {
            fn write<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(self, serializer)
            }

            fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                serde::Deserialize::deserialize(deserializer)
            }
        })+
    };
}

pub(crate) use as_they_are;

as_they_are!(bool, u32, usize, f32);

/// Defines the serialised form of a type that is validated by its constructor: how the fields follow from a value, as a
/// tuple, and the constructor that builds a value from them or returns an error. Unknown fields are refused.
macro_rules! data_form {
    (
        $type:ident { $($(#[$attribute:meta])* $field:ident: $kind:ty),+ $(,)? },
        $fields:expr,
        $constructor:expr $(,)?
    ) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let fields: fn(&$type) -> ($($kind,)+) = $fields;
                let ($($field,)+) = fields(self);
                {
                    #[derive(serde::Serialize)]
                    struct $type {
                        $(#[serde(with = "crate::math::numbers")] $field: $kind,)+
                    }
                    serde::Serialize::serialize(&$type { $($field),+ }, serializer)
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let ($($field,)+) = {
                    #[derive(serde::Deserialize)]
                    #[serde(deny_unknown_fields)]
                    struct $type {
                        $(#[serde(with = "crate::math::numbers")] $(#[$attribute])* $field: $kind,)+
                    }
                    let $type { $($field),+ } = serde::Deserialize::deserialize(deserializer)?;
                    ($($field,)+)
                };
                $constructor($($field),+).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use data_form;
