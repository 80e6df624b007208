//! Loads the model of a report again, from the same files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clearance_files::Unit;

use crate::error::Error;
use crate::input::{hash, read_bytes};
use crate::model::{LoadOptions, Model};
use crate::report::{Input, Report};

impl Report {
    /// The model the report was made from, with the same options, read from the paths in the report. Needed to show the
    /// parts; all other outputs need only the report.
    ///
    /// # Errors
    /// [`Error::Format`] naming a file that is missing, or whose SHA-256 differs from the report; any error of
    /// [`Model::load`].
    ///
    /// ```
    /// use clearance_check::{LoadOptions, Model, Rules, check};
    /// let path = std::env::temp_dir().join(format!("clearance-reload-{}.obj", std::process::id()));
    /// std::fs::write(&path, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no two\nv 0 0 1\nf 1 2 4\n").unwrap();
    /// let model = Model::load(&[path.clone()], &LoadOptions::default())?;
    /// let report = check(&model, &Rules::default(), None, &|_, _| {})?;
    /// assert_eq!(report.load_model()?.parts().len(), 2);
    /// std::fs::write(&path, "changed").unwrap();
    /// assert!(report.load_model().unwrap_err().to_string().contains("SHA-256"));
    /// std::fs::remove_file(&path).unwrap();
    /// assert!(report.load_model().unwrap_err().to_string().contains("SHA-256"));
    /// # Ok::<(), clearance_check::Error>(())
    /// ```
    pub fn load_model(&self) -> Result<Model, Error> {
        self.inputs.iter().try_for_each(unchanged)?;
        let paths: Vec<PathBuf> = self.inputs.iter().map(|input| input.path.clone().into()).collect();
        let parse = |unit: &str| unit.parse::<Unit>().map_err(Error::Usage);
        // Files that name no unit are in that of the report: without it, such a check has no unit at all.
        let unit = self.unit.as_deref().map(parse).transpose()?;
        // One unit shared by all files is as good as one given for all.
        let of_files: BTreeSet<Option<&str>> = self.inputs.iter().map(|input| input.unit.as_deref()).collect();
        let shared = of_files.first().copied().flatten().filter(|_| of_files.len() == 1);
        let file_unit = shared.map(parse).transpose()?;
        let (solid, weld, repair) = (self.tolerances.solid, self.tolerances.weld, self.tolerances.repair);
        let model = Model::load(&paths, &LoadOptions { solid, unit, file_unit, weld, repair })?;
        // Nor may a file have changed since it was compared.
        for (now, then) in model.inputs().iter().zip(&self.inputs) {
            same(then, &now.sha256)?;
        }
        Ok(model)
    }
}

/// Checks that an input is still the file that was checked.
fn unchanged(input: &Input) -> Result<(), Error> {
    let path = Path::new(&input.path);
    if !path.exists() {
        let problem = format!(
            "the report was made from this file (SHA-256 {}), which does not exist: run this where the file is",
            input.sha256
        );
        return Err(Error::format(path, problem));
    }
    same(input, &hash(&read_bytes(path)?))
}

fn same(input: &Input, sha256: &str) -> Result<(), Error> {
    if input.sha256 == sha256 {
        return Ok(());
    }
    let problem = format!(
        "not the file that was checked: its SHA-256 is {sha256}, the report has {}; restore that file, or check again",
        input.sha256
    );
    Err(Error::format(Path::new(&input.path), problem))
}
