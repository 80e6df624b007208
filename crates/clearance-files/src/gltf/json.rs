//! Values of the JSON text with their paths, so that an error can name them.

use serde_json::Value;

use crate::error::{Fault, Place};

/// A value and where it is.
#[derive(Clone, Debug)]
pub(super) struct Json<'a> {
    pub value: &'a Value,
    pub path: String,
}

impl<'a> Json<'a> {
    pub fn place(&self) -> Place {
        Place::Json(self.path.clone())
    }

    pub fn fault(&self, problem: impl Into<String>) -> Fault {
        Fault::new(self.place(), problem)
    }

    pub fn member(&self, key: &str) -> Option<Json<'a>> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        self.value.get(key).map(|value| Json { value, path })
    }

    /// A member that must be there.
    pub fn needed(&self, key: &str) -> Result<Json<'a>, Fault> {
        self.member(key).ok_or_else(|| self.fault(format!("`{key}` is missing")))
    }

    /// A member that is an object, if it is there.
    pub fn object(&self, key: &str) -> Result<Option<Json<'a>>, Fault> {
        match self.member(key) {
            Some(member) if member.value.is_object() => Ok(Some(member)),
            Some(member) => Err(member.fault("not an object")),
            None => Ok(None),
        }
    }

    /// The elements of a member that is an array; none if it is not there.
    pub fn array(&self, key: &str) -> Result<&'a [Value], Fault> {
        match self.member(key) {
            None => Ok(&[]),
            Some(member) => member.value.as_array().map(Vec::as_slice).ok_or_else(|| member.fault("not an array")),
        }
    }

    /// The elements of a member that is an array, with their paths.
    pub fn elements(&self, key: &str) -> Result<impl Iterator<Item = Json<'a>> + use<'a>, Fault> {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        let elements = self.array(key)?.iter().enumerate();
        Ok(elements.map(move |(index, value)| Json { value, path: format!("{path}[{index}]") }))
    }

    /// An element of one of the arrays at the root.
    pub fn entry(&self, key: &str, index: usize, from: &Json) -> Result<Json<'a>, Fault> {
        let array = self.array(key)?;
        let value = array.get(index).ok_or_else(|| {
            from.fault(format!("{key}[{index}], but there are {} {key}, counted from 0", array.len()))
        })?;
        Ok(Json { value, path: format!("{key}[{index}]") })
    }

    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.value.get(key).and_then(Value::as_str)
    }

    /// The value as a whole number that is not negative.
    pub fn whole(&self) -> Result<usize, Fault> {
        // Some writers give whole numbers as 3.0.
        let float = || self.value.as_f64().filter(|number| (0.0..9e15).contains(number) && number.fract() == 0.0);
        let number = self.value.as_u64().or_else(|| float().map(|number| number as u64));
        number.and_then(|number| usize::try_from(number).ok()).ok_or_else(|| self.fault("not a whole number"))
    }

    /// A member as a whole number.
    pub fn number(&self, key: &str) -> Result<Option<usize>, Fault> {
        self.member(key).map(|member| member.whole()).transpose()
    }

    /// A member as `N` finite numbers.
    pub fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>, Fault> {
        let Some(member) = self.member(key) else { return Ok(None) };
        let array = member.value.as_array().filter(|array| array.len() == N);
        let array = array.ok_or_else(|| member.fault(format!("not an array of {N} numbers")))?;
        let mut numbers = [0.0; N];
        for (number, value) in numbers.iter_mut().zip(array) {
            *number = value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| member.fault("not a number"))?;
        }
        Ok(Some(numbers))
    }
}
