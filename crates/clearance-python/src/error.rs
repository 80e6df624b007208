//! Errors of the engine as the exceptions of the package, with the argument named.

use std::fmt::Display;
use std::path::PathBuf;

use clearance::shape::topology;
use clearance::{Error, Mesh, QueryError, Shape};
use numpy::PyArray2;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::give::package;

/// An exception of the package by its class, its message and its attributes.
fn exception(
    py: Python<'_>,
    class: &str,
    message: &str,
    fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || {
        let attributes = PyDict::new(py);
        fill(&attributes)?;
        package(py, class)?.call((message,), Some(&attributes))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The message about an argument: its name, unless the problem begins with it.
fn named(argument: &str, problem: &impl Display) -> String {
    let problem = problem.to_string();
    let rest = problem.strip_prefix(&argument.replace('_', " "));
    // As a word: "a" does not name itself in "an index".
    let is_named = rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if is_named { problem } else { format!("{argument}: {problem}") }
}

/// An error about an argument.
pub fn wrong(py: Python<'_>, argument: &str, problem: impl Display) -> PyErr {
    exception(py, "ClearanceError", &named(argument, &problem), |it| it.set_item("argument", argument))
}

/// An argument that is too large.
pub fn out_of_memory(py: Python<'_>, argument: &str, problem: impl Display) -> PyErr {
    exception(py, "OutOfMemoryError", &named(argument, &problem), |it| it.set_item("argument", argument))
}

/// An error of the engine about one argument.
pub fn refused(py: Python<'_>, argument: &str, error: &Error) -> PyErr {
    refused_mesh(py, argument, error, None)
}

/// An error of the engine about a mesh: invalid edges are all listed.
pub fn refused_mesh(py: Python<'_>, argument: &str, error: &Error, mesh: Option<&Mesh>) -> PyErr {
    let message = named(argument, error);
    match error {
        Error::NotSolid { .. } | Error::InsideOut { .. } | Error::CrossesItself { .. } => {
            exception(py, "NotSolidError", &message, |it| {
                it.set_item("argument", argument)?;
                if let (Error::NotSolid { .. }, Some(mesh)) = (error, mesh) {
                    let defects = topology::closed_and_oriented(&mesh.triangles()).err().unwrap_or_default();
                    let edges: Vec<Vec<u32>> = defects.iter().map(|defect| defect.edge.to_vec()).collect();
                    if !edges.is_empty() {
                        it.set_item("edges", PyArray2::from_vec2(py, &edges)?)?;
                    }
                }
                if let Error::CrossesItself { triangles, .. } = error {
                    it.set_item("triangles", (triangles[0], triangles[1]))?;
                }
                if let Error::InsideOut { volume } = error {
                    it.set_item("volume", *volume)?;
                }
                Ok(())
            })
        }
        Error::TooMany { .. } => out_of_memory(py, argument, error),
        _ => wrong(py, argument, error),
    }
}

/// A query without an answer, about one argument.
pub fn no_answer(py: Python<'_>, argument: &str, error: &QueryError) -> PyErr {
    match error {
        QueryError::Body(error) => refused(py, argument, error),
        QueryError::NoSuchBody { .. } => {
            exception(py, "NoSuchBodyError", &named(argument, error), |it| it.set_item("argument", argument))
        }
        _ => wrong(py, argument, error),
    }
}

/// A query about two bodies without an answer. The error names the body at fault where that is known.
pub fn refused_pair(py: Python<'_>, error: &QueryError, a: &Shape, b: &Shape) -> PyErr {
    for (argument, shape) in [("a", a), ("b", b)] {
        if let Shape::Mesh(mesh) = shape {
            let fault = if mesh.is_solid() { None } else { mesh.solid().err() };
            if let (Some(fault), QueryError::Body(error)) = (fault, error)
                && fault == *error
            {
                return refused_mesh(py, argument, error, Some(mesh));
            }
        }
    }
    no_answer(py, "a, b", error)
}

/// A claim of an answer that does not hold.
pub fn not_proved(py: Python<'_>, which: Option<usize>, refusal: &impl Display) -> PyErr {
    let message = which.map_or_else(|| refusal.to_string(), |index| format!("answer {index}: {refusal}"));
    exception(py, "NotProvedError", &message, |it| which.map_or(Ok(()), |index| it.set_item("index", index)))
}

/// An error about a file.
pub fn bad_file(py: Python<'_>, error: &clearance_files::Error) -> PyErr {
    use clearance_files::Error as E;
    let (path, place) = match error {
        E::Io { path, .. } | E::UnknownFormat { path } | E::NoTriangles { path, .. } => (Some(path), None),
        E::Malformed { path, place, .. } | E::Unsupported { path, place, .. } | E::Limit { path, place, .. } => {
            (Some(path), Some(place))
        }
        _ => (None, None),
    };
    file_error(py, "path", error, path, place.map(ToString::to_string))
}

/// An error of a file, which names it.
fn file_error(
    py: Python<'_>,
    argument: &str,
    error: &impl Display,
    path: Option<&PathBuf>,
    place: Option<String>,
) -> PyErr {
    exception(py, "FileError", &error.to_string(), |it| {
        it.set_item("argument", argument)?;
        it.set_item("path", path.map(|path| path.display().to_string()))?;
        it.set_item("place", place)
    })
}

/// An error about a robot, or a query of one.
pub fn bad_robot(py: Python<'_>, argument: &str, error: &clearance_robot::Error) -> PyErr {
    use clearance_robot::Error as E;
    let (path, place) = match error {
        E::Io { path, .. } | E::NotATree { path, .. } | E::Mesh { path, .. } | E::Limit { path, .. } => (path, None),
        E::Malformed { path, line, .. } => (path, Some(format!("line {line}"))),
        // The advice is that of the command line.
        E::MissingMesh { .. } => {
            let problem = error.to_string().replace("--package NAME=PATH", "packages={NAME: PATH}");
            return wrong(py, "packages", problem);
        }
        _ => return wrong(py, argument, error),
    };
    file_error(py, argument, error, Some(path), place)
}

/// The bytes of a pickle are not an answer.
pub fn bad_state() -> PyErr {
    PyRuntimeError::new_err("the pickled answer is damaged, or of another version of clearance")
}

/// The value of an option given as a word.
pub fn option_of<T: Copy>(py: Python<'_>, argument: &str, word: &str, words: &[(&str, T)]) -> PyResult<T> {
    let known = words.iter().find(|(name, _)| *name == word).map(|(_, meaning)| *meaning);
    known.ok_or_else(|| {
        let all: Vec<String> = words.iter().map(|(name, _)| format!("'{name}'")).collect();
        wrong(py, argument, format_args!("expected one of {}, got '{word}'", all.join(", ")))
    })
}

/// Positional arguments where other libraries have another order, or another meaning; or a missing argument.
pub fn by_keywords(function: &str, write: &str) -> PyErr {
    PyTypeError::new_err(format!("{function} takes keyword arguments only: write {write}"))
}
