//! Finds mesh files: resolves `package://`, `file://` and plain paths.
//!
//! ROS consults an index of installed packages. Robots are also checked where ROS is not installed, so the places that
//! index is built from are searched directly, then the folders around the URDF, for packages that were copied whole or
//! in part. In order:
//! 1. the packages given by the caller (`--package NAME=PATH`);
//! 2. `ROS_PACKAGE_PATH`: folders that contain the package or are it;
//! 3. `AMENT_PREFIX_PATH`: `share/NAME` below each;
//! 4. the folders above the URDF: one named like the package, or containing one of that name;
//! 5. the longest suffix of the path that exists below the folder of the URDF or the two above it.
//!
//! The first file that exists is taken; if there is none, all paths tried are reported. Only regular files (or links to
//! such) count: folders, pipes and devices are skipped. A URDF may name files anywhere, through `..`, `file://` and
//! packages, as in ROS: the outcome is a mesh, or an error, which quotes at most one word of the file. Names longer
//! than any system accepts are not tried, and of deep paths only the last suffixes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::limits::{LONGEST_NAME, MOST_ENDS};

/// How many folders the last rule searches: a URDF is mostly next to `meshes/`, or in `urdf/` or `urdf/robots/` next to
/// it.
const NEAR: usize = 3;

/// Where to look for packages.
///
/// ```
/// use clearance_robot::Packages;
/// let packages = Packages { given: vec![("arm".into(), "/opt/arm".into())], ..Packages::default() };
/// let tried = packages.find("robot.urdf".as_ref(), "package://arm/meshes/a.stl").unwrap_err();
/// assert_eq!(tried[0], std::path::Path::new("/opt/arm/meshes/a.stl"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packages {
    /// Packages by name, and their folders.
    pub given: Vec<(String, PathBuf)>,
    /// Folders that contain packages, or are packages: `ROS_PACKAGE_PATH`.
    pub ros_package_path: Vec<PathBuf>,
    /// Installation prefixes: `AMENT_PREFIX_PATH`.
    pub ament_prefix_path: Vec<PathBuf>,
}

impl Packages {
    /// The paths of the environment, with no packages given.
    ///
    /// ```
    /// assert!(clearance_robot::Packages::from_environment().given.is_empty());
    /// ```
    pub fn from_environment() -> Packages {
        let folders =
            |name| std::env::var_os(name).map(|text| std::env::split_paths(&text).collect()).unwrap_or_default();
        Packages {
            given: Vec::new(),
            ros_package_path: folders("ROS_PACKAGE_PATH"),
            ament_prefix_path: folders("AMENT_PREFIX_PATH"),
        }
    }

    /// The file that a URI of a URDF refers to.
    ///
    /// # Errors
    /// All paths that were tried, in order.
    pub fn find(&self, urdf: &Path, uri: &str) -> Result<PathBuf, Vec<PathBuf>> {
        if uri.len() > LONGEST_NAME {
            return Err(Vec::new());
        }
        let (mut tried, mut known) = (Vec::new(), BTreeSet::new());
        for path in self.candidates(urdf, uri) {
            if path.is_file() {
                return Ok(path);
            }
            if known.insert(path.clone()) {
                tried.push(path);
            }
        }
        Err(tried)
    }

    fn candidates(&self, urdf: &Path, uri: &str) -> Vec<PathBuf> {
        let folder = match urdf.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        // A relative folder has parents only by its absolute path.
        let full = std::path::absolute(&folder).unwrap_or_else(|_| folder.clone());
        let above: Vec<&Path> = full.ancestors().collect();
        let mut paths = Vec::new();
        let packaged = ["package://", "model://"].into_iter().find_map(|scheme| uri.strip_prefix(scheme));
        let ends: Vec<&str> = match packaged {
            Some(inside) => {
                // Some files have `package:///name/...`.
                let inside = inside.trim_start_matches('/');
                let (name, rest) = inside.split_once('/').unwrap_or(("", inside));
                let called = |folder: &Path| folder.file_name().is_some_and(|own| own == name);
                paths.extend(self.given.iter().filter(|(own, _)| own == name).map(|(_, folder)| folder.join(rest)));
                for folder in &self.ros_package_path {
                    if called(folder) {
                        paths.push(folder.join(rest));
                    }
                    paths.push(folder.join(name).join(rest));
                }
                paths.extend(self.ament_prefix_path.iter().map(|prefix| prefix.join("share").join(name).join(rest)));
                for folder in &above {
                    if called(folder) {
                        paths.push(folder.join(rest));
                    }
                    paths.push(folder.join(name).join(rest));
                }
                inside.split('/').collect()
            }
            None => {
                let path = uri.strip_prefix("file://").unwrap_or(uri);
                paths.push(folder.join(path));
                path.trim_start_matches('/').split('/').collect()
            }
        };
        for from in ends.len().saturating_sub(MOST_ENDS)..ends.len() {
            let end: PathBuf = ends[from..].iter().collect();
            paths.extend(above.iter().take(NEAR).map(|folder| folder.join(&end)));
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder with these files, removed on drop.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str, files: &[&str]) -> Tree {
            let root = std::env::temp_dir().join(format!("clearance-robot-{name}-{}", std::process::id()));
            for file in files {
                let path = root.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            Tree(root)
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn packages_are_found_in_the_order_said() {
        let tree = Tree::new(
            "packages",
            &[
                "given/m/a.stl",
                "ros/arm/m/a.stl",
                "ros/arm/m/b.stl",
                "ament/share/arm/m/c.stl",
                "arm/urdf/r.urdf",
                "arm/m/d.stl",
                "arm/urdf/m/e.stl",
            ],
        );
        let root = &tree.0;
        let packages = Packages {
            given: vec![("arm".into(), root.join("given"))],
            ros_package_path: vec![root.join("ros")],
            ament_prefix_path: vec![root.join("ament")],
        };
        let urdf = root.join("arm/urdf/r.urdf");
        let find = |uri: &str| packages.find(&urdf, uri);
        assert_eq!(find("package://arm/m/a.stl"), Ok(root.join("given/m/a.stl")));
        assert_eq!(find("package://arm/m/b.stl"), Ok(root.join("ros/arm/m/b.stl")));
        assert_eq!(find("package://arm/m/c.stl"), Ok(root.join("ament/share/arm/m/c.stl")));
        assert_eq!(find("package://arm/m/d.stl"), Ok(root.join("arm/m/d.stl")));
        assert_eq!(find("package:///arm/m/d.stl"), Ok(root.join("arm/m/d.stl")));
        // Not where the package has it: the longest suffix that exists.
        assert_eq!(find("package://somewhere/else/m/e.stl"), Ok(root.join("arm/urdf/m/e.stl")));
        assert_eq!(find("m/e.stl"), Ok(root.join("arm/urdf/m/e.stl")));
        assert_eq!(find("../m/d.stl"), Ok(root.join("arm/urdf/../m/d.stl")));
        assert_eq!(find(&format!("file://{}", root.join("arm/m/d.stl").display())), Ok(root.join("arm/m/d.stl")));
        let tried = find("package://arm/m/nowhere.stl").unwrap_err();
        for path in ["given/m", "ros/arm/m", "ament/share/arm/m", "arm/m", "arm/urdf/m"] {
            assert!(tried.contains(&root.join(path).join("nowhere.stl")), "{path}: {tried:?}");
        }
    }

    #[test]
    fn deep_and_long_names_come_to_an_end() {
        let tree = Tree::new("deep", &["r.urdf", "z.stl"]);
        let urdf = tree.0.join("r.urdf");
        let packages = Packages::default();
        let deep = "a/".repeat(1000);
        assert_eq!(packages.find(&urdf, &format!("{deep}z.stl")), Ok(tree.0.join("z.stl")));
        let tried = packages.find(&urdf, &format!("package://{deep}absent.stl")).unwrap_err();
        assert!(tried.len() < 300, "{}", tried.len());
        assert_eq!(packages.find(&urdf, &"a/".repeat(5000)), Err(Vec::new()));
    }
}
