//! Unstructured grids of the legacy VTK format (`.vtk`), ASCII and binary, with cells as versions below 5 write them
//! (each behind its length) and as version 5 does (offsets and connectivity). Of cells only tetrahedra are taken, of
//! quadratic ones the corners; fields and attributes are passed over. Binary numbers have their highest byte first.

use crate::cursor::Cursor;
use crate::error::{Fault, Place};
use crate::note::NoteKind;
use crate::tets::Found;
use crate::text::{finite, shortened};

/// Types of cells that are taken: the tetrahedron, and the one with ten points.
const TETRA: i64 = 10;
const QUADRATIC_TETRA: i64 = 24;

/// How the numbers of an array are stored.
#[derive(Clone, Copy)]
enum Scalar {
    F32,
    F64,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Bit,
}

impl Scalar {
    fn named(word: &str) -> Option<Scalar> {
        Some(match word.to_ascii_lowercase().as_str() {
            "float" => Scalar::F32,
            "double" => Scalar::F64,
            "char" | "signed_char" => Scalar::I8,
            "unsigned_char" => Scalar::U8,
            "short" => Scalar::I16,
            "unsigned_short" => Scalar::U16,
            "int" | "vtktypeint32" => Scalar::I32,
            "unsigned_int" | "vtktypeuint32" => Scalar::U32,
            "long" | "vtkidtype" | "vtktypeint64" => Scalar::I64,
            "unsigned_long" | "vtktypeuint64" => Scalar::U64,
            "bit" => Scalar::Bit,
            _ => return None,
        })
    }

    /// The bytes of so many numbers.
    fn bytes(self, count: u64) -> u64 {
        match self {
            Scalar::Bit => count.div_ceil(8),
            Scalar::I8 | Scalar::U8 => count,
            Scalar::I16 | Scalar::U16 => count.saturating_mul(2),
            Scalar::F32 | Scalar::I32 | Scalar::U32 => count.saturating_mul(4),
            Scalar::F64 | Scalar::I64 | Scalar::U64 => count.saturating_mul(8),
        }
    }
}

/// Reads a file.
pub(crate) fn parse(bytes: &[u8], found: &mut Found) -> Result<(), Fault> {
    let mut cursor = Cursor::new(bytes);
    let version = String::from_utf8_lossy(cursor.rest_of_line()).into_owned();
    if version.trim_end().rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()).is_none() {
        return Err(Fault::line(1, format!("`{}` does not end with a version", shortened(version.trim_end()))));
    }
    // The title.
    cursor.rest_of_line();
    let place = cursor.place();
    let is_binary = match cursor.word("ASCII or BINARY")?.to_ascii_uppercase().as_str() {
        "ASCII" => false,
        "BINARY" => true,
        other => return Err(Fault::new(place, format!("`{}` where ASCII or BINARY should stand", shortened(other)))),
    };
    cursor.big_endian = true;
    let mut reader = Reader { cursor, is_binary, found, cells: None, types: None };
    let word = reader.cursor.word("DATASET")?;
    if !word.eq_ignore_ascii_case("DATASET") {
        return Err(reader.cursor.fault(format!("`{}` where DATASET should stand", shortened(word))));
    }
    let kind = reader.cursor.word("the kind of dataset")?;
    if !kind.eq_ignore_ascii_case("UNSTRUCTURED_GRID") {
        let problem = format!("a dataset of kind {} has no tetrahedra: only UNSTRUCTURED_GRID", shortened(kind));
        return Err(Fault::unsupported(reader.cursor.place(), problem));
    }
    reader.sections()?;
    reader.take_tets()
}

/// The points of cells, one behind the other, with where each cell ends.
struct Cells {
    ends: Vec<u64>,
    points: Vec<i64>,
    place: Place,
}

struct Reader<'a, 'f> {
    cursor: Cursor<'a>,
    is_binary: bool,
    found: &'f mut Found,
    cells: Option<Cells>,
    types: Option<Vec<i64>>,
}

impl Reader<'_, '_> {
    /// All sections up to the attributes.
    fn sections(&mut self) -> Result<(), Fault> {
        let mut has_points = false;
        while let Some(word) = self.cursor.peek() {
            let place = self.cursor.place();
            self.cursor.word("a section")?;
            match word.to_ascii_uppercase().as_str() {
                "POINTS" => {
                    if std::mem::replace(&mut has_points, true) {
                        return Err(Fault::new(place, "a second list of points"));
                    }
                    self.points()?;
                }
                "CELLS" => {
                    if self.cells.is_some() {
                        return Err(Fault::new(place, "a second list of cells"));
                    }
                    self.cells = Some(self.cells(place)?);
                }
                "CELL_TYPES" => {
                    let count = self.cursor.whole("the number of cell types")?;
                    let mut types = Vec::new();
                    self.numbers(count, Scalar::I32, |number, _| {
                        types.push(number);
                        Ok(())
                    })?;
                    self.types = Some(types);
                }
                "FIELD" => self.field()?,
                "METADATA" => {
                    self.cursor.rest_of_line();
                    while !self.cursor.is_at_end() && !self.cursor.rest_of_line().trim_ascii().is_empty() {}
                }
                "POINT_DATA" | "CELL_DATA" => {
                    self.found.notes.add(NoteKind::Ignored, "sections of attributes", place, 1);
                    return Ok(());
                }
                _ => {
                    let problem = format!("`{}` where POINTS, CELLS or CELL_TYPES should stand", shortened(word));
                    return Err(Fault::new(place, problem));
                }
            }
        }
        Ok(())
    }

    fn scalar(&mut self) -> Result<Scalar, Fault> {
        let word = self.cursor.word("the type of numbers")?;
        Scalar::named(word).ok_or_else(|| self.cursor.fault(format!("`{}` is not a type of numbers", shortened(word))))
    }

    /// Integers of an array.
    fn numbers(
        &mut self,
        count: u64,
        scalar: Scalar,
        mut take: impl FnMut(i64, &Cursor<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.begin_array();
        for _ in 0..count {
            let number = match (self.is_binary, scalar) {
                (false, _) => {
                    let word = self.cursor.word("an index")?;
                    word.parse().map_err(|_| self.cursor.fault(format!("`{}` is not an index", shortened(word))))?
                }
                (true, Scalar::I32) => self.cursor.int32("an index")?.into(),
                (true, Scalar::U32) => (self.cursor.int32("an index")? as u32).into(),
                (true, Scalar::I64 | Scalar::U64) => self.cursor.uint64("an index")? as i64,
                (true, _) => return Err(self.cursor.fault("indices must be integers of 32 or 64 bits")),
            };
            take(number, &self.cursor)?;
        }
        self.end_array();
        Ok(())
    }

    /// Numbers begin on a line of their own, which matters where they are binary.
    fn begin_array(&mut self) {
        if self.is_binary {
            self.cursor.rest_of_line();
            self.cursor.binary = true;
        }
    }

    fn end_array(&mut self) {
        // Words follow again; places stay bytes, since lines cannot be counted through binary numbers.
        self.cursor.binary = self.is_binary;
    }

    fn points(&mut self) -> Result<(), Fault> {
        let count = self.cursor.whole("the number of points")?;
        let scalar = self.scalar()?;
        self.begin_array();
        for _ in 0..count {
            let mut point = [0.0; 3];
            for part in &mut point {
                *part = match (self.is_binary, scalar) {
                    (false, _) => self.cursor.coordinate()?,
                    (true, Scalar::F32) => self.cursor.single("a coordinate")?,
                    (true, Scalar::F64) => self.cursor.double("a coordinate")?,
                    (true, Scalar::I32) => self.cursor.int32("a coordinate")?.into(),
                    (true, _) => {
                        return Err(self.cursor.fault("points must be float, double or int; save the file so"));
                    }
                };
                finite(*part).map_err(|problem| self.cursor.fault(problem))?;
            }
            let place = self.cursor.place();
            self.found.push_point(point, place)?;
        }
        self.end_array();
        Ok(())
    }

    fn cells(&mut self, place: Place) -> Result<Cells, Fault> {
        let count = self.cursor.whole("the number of cells")?;
        let size = self.cursor.whole("the number of indices of cells")?;
        let mut cells = Cells { ends: Vec::new(), points: Vec::new(), place };
        if self.cursor.is_next("OFFSETS") {
            self.cursor.word("OFFSETS")?;
            let scalar = self.scalar()?;
            let mut last = None;
            self.numbers(count, scalar, |offset, cursor| {
                let offset = u64::try_from(offset).ok().filter(|&offset| offset >= last.unwrap_or(0) && offset <= size);
                let offset =
                    offset.ok_or_else(|| cursor.fault("an offset that is below the last or beyond the end"))?;
                if last.is_some() {
                    cells.ends.push(offset);
                } else if offset != 0 {
                    return Err(cursor.fault("the first offset must be 0"));
                }
                last = Some(offset);
                Ok(())
            })?;
            let word = self.cursor.word("CONNECTIVITY")?;
            if !word.eq_ignore_ascii_case("CONNECTIVITY") {
                return Err(self.cursor.fault(format!("`{}` where CONNECTIVITY should stand", shortened(word))));
            }
            let scalar = self.scalar()?;
            self.numbers(size, scalar, |point, _| {
                cells.points.push(point);
                Ok(())
            })?;
            return Ok(cells);
        }
        // How many of the current cell are still to come.
        let mut left = 0;
        self.numbers(size, Scalar::I32, |number, cursor| {
            if left > 0 {
                cells.points.push(number);
                left -= 1;
            } else {
                left = u64::try_from(number).map_err(|_| cursor.fault(format!("a cell of {number} points")))?;
                cells.ends.push(cells.points.len() as u64 + left);
            }
            Ok(())
        })?;
        if left > 0 || cells.ends.len() as u64 != count {
            let problem = format!("{size} numbers hold {} cells, but there should be {count}", cells.ends.len());
            return Err(self.cursor.fault(problem));
        }
        Ok(cells)
    }

    /// Arrays before the attributes, such as a time.
    fn field(&mut self) -> Result<(), Fault> {
        self.cursor.word("the name of a field")?;
        for _ in 0..self.cursor.whole("the number of arrays")? {
            self.cursor.word("the name of an array")?;
            let numbers = self.cursor.whole("the number of components")?;
            let numbers = numbers.saturating_mul(self.cursor.whole("the number of tuples")?);
            let scalar = self.scalar()?;
            self.begin_array();
            if self.is_binary {
                self.cursor.take(scalar.bytes(numbers), "the end of an array")?;
            } else {
                for _ in 0..numbers {
                    self.cursor.word("the end of an array")?;
                }
            }
            self.end_array();
        }
        Ok(())
    }

    /// The tetrahedra among the cells.
    fn take_tets(self) -> Result<(), Fault> {
        let Some(Cells { ends, points, place }) = self.cells else {
            return Err(self.cursor.fault("the file ends before its cells"));
        };
        let Some(types) = self.types else {
            return Err(self.cursor.fault("the file ends before the types of its cells"));
        };
        if types.len() != ends.len() {
            let problem = format!("{} cells, but {} types of cells", ends.len(), types.len());
            return Err(Fault::new(place, problem));
        }
        let mut start = 0;
        for (cell, (&end, &kind)) in ends.iter().zip(&types).enumerate() {
            let own = &points[start as usize..end as usize];
            start = end;
            let wanted = match kind {
                TETRA => 4,
                QUADRATIC_TETRA => 10,
                _ => {
                    self.found.drop(&format!("cells of type {kind}"), place.clone());
                    continue;
                }
            };
            if own.len() != wanted {
                let problem = format!("cell {cell} has {} points, a tetrahedron of its type {wanted}", own.len());
                return Err(Fault::new(place, problem));
            }
            if wanted > 4 {
                self.found.straighten(place.clone());
            }
            let mut corners = [0; 4];
            for (corner, &point) in corners.iter_mut().zip(own) {
                let index = u32::try_from(point).ok().filter(|&point| (point as usize) < self.found.points.len());
                *corner = index.ok_or_else(|| {
                    let count = self.found.points.len();
                    Fault::new(place.clone(), format!("cell {cell} has point {point}, but there are {count}"))
                })?;
            }
            self.found.tets.push(corners);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, TetGeometry, read_tets_bytes};

    fn read(bytes: &[u8]) -> Result<TetGeometry, String> {
        read_tets_bytes(bytes, "a.vtk", &Limits::default()).map_err(|error| error.to_string())
    }

    const POINTS: [[f64; 3]; 5] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.125, -2.5, 7.0]];

    /// A triangle, two tetrahedra and a curved one, with a field before the points.
    fn grid(binary: bool, offsets: bool) -> Vec<u8> {
        let form = if binary { "BINARY" } else { "ASCII" };
        let mut bytes = format!("# vtk DataFile Version 5.1\nmade for a test\n{form}\nDATASET UNSTRUCTURED_GRID\n");
        bytes.push_str("FIELD FieldData 1\nTIME 1 2 double\n");
        let mut bytes = bytes.into_bytes();
        let put = |bytes: &mut Vec<u8>, words: &[f64], form: fn(f64) -> Vec<u8>| {
            if binary {
                words.iter().for_each(|&x| bytes.extend(form(x)));
                bytes.push(b'\n');
            } else {
                let words: Vec<String> = words.iter().map(f64::to_string).collect();
                bytes.extend(format!("{}\n", words.join(" ")).bytes());
            }
        };
        let double: fn(f64) -> Vec<u8> = |x| x.to_be_bytes().into();
        let single: fn(f64) -> Vec<u8> = |x| (x as f32).to_be_bytes().into();
        let int: fn(f64) -> Vec<u8> = |x| (x as i32).to_be_bytes().into();
        let long: fn(f64) -> Vec<u8> = |x| (x as i64).to_be_bytes().into();
        put(&mut bytes, &[0.0, 1.0], double);
        bytes.extend(b"POINTS 5 float\n");
        put(&mut bytes, &POINTS.concat(), single);
        bytes.extend(b"METADATA\nINFORMATION 0\n\n");
        let cells = [
            vec![0.0, 1.0, 2.0],
            vec![0.0, 1.0, 2.0, 3.0],
            vec![4.0, 3.0, 2.0, 1.0],
            vec![0.0, 1.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ];
        if offsets {
            bytes.extend(b"CELLS 5 21\nOFFSETS vtktypeint64\n");
            put(&mut bytes, &[0.0, 3.0, 7.0, 11.0, 21.0], long);
            bytes.extend(b"CONNECTIVITY vtktypeint64\n");
            put(&mut bytes, &cells.concat(), long);
        } else {
            bytes.extend(b"CELLS 4 25\n");
            let with_length = |cell: &Vec<f64>| [vec![cell.len() as f64], cell.clone()].concat();
            put(&mut bytes, &cells.iter().map(with_length).collect::<Vec<_>>().concat(), int);
        }
        bytes.extend(b"CELL_TYPES 4\n");
        put(&mut bytes, &[5.0, 10.0, 10.0, 24.0], int);
        bytes.extend(b"POINT_DATA 5\nSCALARS height float\n");
        bytes
    }

    #[test]
    fn all_forms_are_read_alike() {
        for (binary, offsets) in [(false, false), (false, true), (true, false), (true, true)] {
            let found = read(&grid(binary, offsets)).unwrap();
            assert_eq!(found.points, POINTS);
            assert_eq!(found.tets, [[0, 1, 2, 3], [4, 3, 2, 1], [0, 1, 2, 4]]);
            let notes: Vec<String> = found.notes.iter().map(|note| format!("{} {}", note.kind, note.count)).collect();
            assert_eq!(notes, ["ignored 1", "dropped 1", "assumed 1"]);
        }
    }

    #[test]
    fn files_cut_short_are_refused() {
        for (binary, offsets) in [(false, false), (false, true), (true, false), (true, true)] {
            let bytes = grid(binary, offsets);
            let types = bytes.windows(10).position(|window| window == b"CELL_TYPES").unwrap();
            // In ASCII the last type may be cut to another type.
            for length in 0..types + if binary { 13 + 16 } else { 13 + 8 } {
                let error = read(&bytes[..length]).unwrap_err();
                assert!(error.starts_with("a.vtk: "), "{error}");
            }
        }
    }

    #[test]
    fn broken_files() {
        let head = "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
        let points = format!("{head}POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n");
        for (text, problem) in [
            ("# vtk DataFile\nt\n".to_owned(), "line 1: `# vtk DataFile` does not end with a version"),
            ("# vtk DataFile Version 2.0\nt\nTEXT\n".into(), "line 3: `TEXT` where ASCII or BINARY"),
            (head.replace("UNSTRUCTURED_GRID", "POLYDATA"), "line 4: a dataset of kind POLYDATA has no tetrahedra"),
            (head.into(), "the file ends before its cells"),
            (format!("{head}POINTS x float\n"), "line 5: `x` where the number of points should stand"),
            (format!("{head}POINTS 4 real\n"), "line 5: `real` is not a type of numbers"),
            (format!("{head}POINTS 4000000000 float\n0 0"), "line 6: the file ends before a coordinate"),
            (format!("{head}POINTS 1 float\n0 inf 0\n"), "line 6: the coordinate inf is not finite"),
            (format!("{points}POINTS 1 float\n0 0 0\n"), "line 7: a second list of points"),
            (format!("{points}CELLS 1 5\n4 0 1 2 3\n"), "the file ends before the types"),
            (format!("{points}CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n"), "line 7: 1 cells, but 2 types"),
            (format!("{points}CELLS 2 5\n4 0 1 2 3\n"), "line 8: 5 numbers hold 1 cells, but there should be 2"),
            (format!("{points}CELLS 1 5\n-4 0 1 2 3\n"), "line 8: a cell of -4 points"),
            (format!("{points}CELLS 1 4\n9 0 1 2\n"), "4 numbers hold 1 cells"),
            (
                format!("{points}CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n"),
                "line 7: cell 0 has point 4, but there are 4",
            ),
            (format!("{points}CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n"), "cell 0 has point -1"),
            (format!("{points}CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n"), "cell 0 has 3 points, a tetrahedron"),
            (format!("{points}CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n"), "no tetrahedra, but: dropped 1 cells of type 5"),
            (format!("{points}CELLS 2 4\nOFFSETS int\n0 5\n"), "line 9: an offset that is below the last or beyond"),
            (format!("{points}CELLS 2 4\nOFFSETS int\n1 4\n"), "line 9: the first offset must be 0"),
            (format!("{points}FACES\n"), "line 7: `FACES` where POINTS, CELLS or CELL_TYPES"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(problem), "{text:?}: {error}");
        }
    }
}
