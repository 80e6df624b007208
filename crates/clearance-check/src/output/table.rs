//! Any answer as a table: CSV and Markdown for the commands whose JSON is a list of records.

use serde::Serialize;
use serde_json::{Map, Value};

use super::escape::{csv, markdown};
use crate::error::Error;

/// An answer as comma-separated values (RFC 4180): a row per entry of the list `rows`, or one row for the answer
/// itself. The first columns are the `schema` and the `unit` of the answer, if it has them. Lists of numbers are
/// separated by spaces; other nested values are JSON.
///
/// # Errors
/// [`Error::Format`] if the answer cannot be represented in JSON.
///
/// ```
/// let found = serde_json::json!([{"a": "one", "at": [1.5, 2.0]}, {"a": "two", "b": null}]);
/// let answer = serde_json::json!({"schema": "x/1", "found": found});
/// let table = clearance_check::output::csv_table(&answer, Some("found"))?;
/// assert_eq!(table, "schema,a,at,b\r\nx/1,one,1.5 2.0,\r\nx/1,two,,\r\n");
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn csv_table<T: Serialize>(answer: &T, rows: Option<&str>) -> Result<String, Error> {
    let (columns, rows, _) = table(answer, rows)?;
    let line = |cells: &[String]| cells.iter().map(|cell| csv(cell)).collect::<Vec<_>>().join(",") + "\r\n";
    Ok(std::iter::once(&columns).chain(&rows).map(|cells| line(cells)).collect())
}

/// An answer as Markdown: a title, its single values as a list, and its entries as in [`csv_table`].
///
/// # Errors
/// [`Error::Format`] if the answer cannot be represented in JSON.
///
/// ```
/// let answer = serde_json::json!({"schema": "x/1", "all": 2, "found": [{"a": "one|"}]});
/// let text = clearance_check::output::markdown_table("parts", &answer, Some("found"))?;
/// assert_eq!(text, "## Clearance: parts\n\n- schema: x/1\n- all: 2\n\n| a |\n| --- |\n| one&#124; |\n");
/// # Ok::<(), clearance_check::Error>(())
/// ```
pub fn markdown_table<T: Serialize>(title: &str, answer: &T, rows: Option<&str>) -> Result<String, Error> {
    let (columns, records, values) = table(answer, rows)?;
    let mut out = format!("## Clearance: {}\n\n", markdown(title));
    values.iter().for_each(|[name, value]| out += &format!("- {}: {}\n", markdown(name), markdown(value)));
    // The schema and the unit are in the list above; an answer without entries is all there.
    let shared = columns.iter().take_while(|name| ["schema", "unit"].contains(&name.as_str())).count();
    if rows.is_none() || records.is_empty() || columns.len() == shared {
        return Ok(out);
    }
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells[shared..].iter().map(|cell| markdown(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    out += &format!("\n{}|{}\n", line(&columns), " --- |".repeat(columns.len() - shared));
    out.extend(records.iter().map(|cells| line(cells)));
    Ok(out)
}

/// The columns, the rows, and the single values of an answer.
type Table = (Vec<String>, Vec<Vec<String>>, Vec<[String; 2]>);

fn table<T: Serialize>(answer: &T, rows: Option<&str>) -> Result<Table, Error> {
    let value = serde_json::to_value(answer).map_err(|error| Error::Usage(error.to_string()))?;
    let none = Map::new();
    let whole = value.as_object().unwrap_or(&none);
    let records: Vec<&Map<String, Value>> = match rows {
        Some(rows) => {
            whole.get(rows).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect()
        }
        None => vec![whole],
    };
    let shared: Vec<&str> = ["schema", "unit"].into_iter().filter(|name| whole.contains_key(*name)).collect();
    let mut columns: Vec<String> = shared.iter().map(|&name| name.to_owned()).collect();
    for name in records.iter().flat_map(|record| record.keys()) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    let row = |record: &&Map<String, Value>| {
        let cell = |name: &String| match shared.contains(&name.as_str()) {
            true => whole.get(name),
            false => record.get(name),
        };
        columns.iter().map(|name| cell(name).map(cell_of).unwrap_or_default()).collect()
    };
    let values = whole.iter().filter(|(name, _)| Some(name.as_str()) != rows);
    let values = values.map(|(name, value)| [name.clone(), cell_of(value)]);
    Ok((columns.clone(), records.iter().map(row).collect(), values.collect()))
}

/// A value in a cell. Null is empty.
fn cell_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) if !values.is_empty() && values.iter().all(Value::is_number) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}
