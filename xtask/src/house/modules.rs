//! The modules of a crate as its sources declare them, and what a path in one of them names.
//!
//! The walk begins at `lib.rs` and follows `mod x;` to `x.rs` or `x/mod.rs`, as the compiler does; modules within a
//! file belong to that file. Names are resolved as far as imports need it: child modules, items, `use` with renames and
//! globs, and re-exports through any number of files. Types are not known, so a method call names nothing.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, UseTree, Visibility};

/// How many re-exports a name may go through. A `use` that names itself, as `pub use glam;` does, ends here.
const LONGEST_CHAIN: usize = 8;

/// The root of the crate in [`Crate::modules`].
const ROOT: usize = 0;

/// All modules of one crate.
pub struct Crate {
    /// The files in the order in which they are declared, `lib.rs` first.
    pub files: Vec<File>,
    /// The modules in the order in which they are declared, the root first.
    pub modules: Vec<Module>,
    /// Files that no `mod` declares: the compiler does not see them.
    pub undeclared: Vec<String>,
}

/// A source file.
pub struct File {
    /// From the folder of the sources, with `/`: `query/mod.rs`.
    pub path: String,
    /// How many lines it has, comments and tests included.
    pub lines: usize,
    /// Its contents.
    pub syntax: syn::File,
    /// The module that it is.
    pub module: usize,
    /// Whether it is compiled for tests only.
    pub is_test: bool,
}

/// A module: a file, or a `mod x { ... }` within one.
pub struct Module {
    /// The file it is in.
    pub file: usize,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    items: BTreeSet<String>,
    uses: Vec<Use>,
}

/// One name that a `use` brings in.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The name in this module; none for a glob.
    pub name: Option<String>,
    /// What it names, segment by segment as written.
    pub path: Vec<String>,
    /// Where the name stands.
    pub line: usize,
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A module, by its index.
    Module(usize),
    /// An item of a file, by the file's index.
    Item(usize),
}

impl Crate {
    /// Reads a crate from its sources: the path of each file, as in [`File::path`], and its text.
    pub fn read(sources: &BTreeMap<String, String>) -> Result<Crate, String> {
        let mut made = Crate { files: Vec::new(), modules: Vec::new(), undeclared: Vec::new() };
        made.add_file(sources, "lib.rs", "", None, false)?;
        let declared: BTreeSet<&String> = made.files.iter().map(|file| &file.path).collect();
        made.undeclared = sources.keys().filter(|path| !declared.contains(path)).cloned().collect();
        Ok(made)
    }

    /// The file's index. Only tests ask.
    #[cfg(test)]
    pub fn file(&self, path: &str) -> usize {
        self.files.iter().position(|file| file.path == path).unwrap()
    }

    /// The module `name { ... }` or `name;` within another.
    pub fn child(&self, module: usize, name: &str) -> Option<usize> {
        self.modules[module].children.get(name).copied()
    }

    /// What a path that stands in `scope` names; nothing for other crates, local variables, generic parameters.
    pub fn resolve(&self, scope: usize, path: &[String]) -> Vec<Target> {
        self.resolve_within(scope, path, LONGEST_CHAIN)
    }

    fn resolve_within(&self, scope: usize, path: &[String], depth: usize) -> Vec<Target> {
        if depth == 0 {
            return Vec::new();
        }
        let mut module = scope;
        for (k, segment) in path.iter().enumerate() {
            match segment.as_str() {
                "crate" => module = ROOT,
                "super" => module = self.modules[module].parent.unwrap_or(ROOT),
                "self" => {}
                name => match self.member(module, name, depth) {
                    // Only where the path begins may a name be none of this crate; later on it is one that is not seen
                    // here, such as what a macro makes.
                    None if k == 0 => return Vec::new(),
                    None => return vec![Target::Item(self.modules[module].file)],
                    Some(found) if k + 1 == path.len() => return found,
                    Some(found) => match found.iter().find_map(Target::module) {
                        Some(next) => module = next,
                        // Variants and associated items are where their type is.
                        None => return found,
                    },
                },
            }
        }
        vec![Target::Module(module)]
    }

    /// What a module's name stands for: `None` if it has no such name, empty if it is one of another crate.
    fn member(&self, module: usize, name: &str, depth: usize) -> Option<Vec<Target>> {
        let Module { file, children, items, uses, .. } = &self.modules[module];
        let child = children.get(name).map(|&child| Target::Module(child));
        let item = items.contains(name).then_some(Target::Item(*file));
        let mut found: Vec<Target> = child.into_iter().chain(item).collect();
        let mut is_known = !found.is_empty();
        for import in uses.iter().filter(|import| import.name.as_deref() == Some(name)) {
            found.extend(self.resolve_within(module, &import.path, depth - 1));
            is_known = true;
        }
        if is_known {
            found.sort();
            found.dedup();
            return Some(found);
        }
        let globs = uses.iter().filter(|import| import.name.is_none());
        let mut opened = globs.flat_map(|glob| self.resolve_within(module, &glob.path, depth - 1));
        opened.find_map(|target| match target {
            Target::Module(other) if other != module && depth > 1 => self.member(other, name, depth - 1),
            _ => None,
        })
    }

    fn add_file(
        &mut self,
        sources: &BTreeMap<String, String>,
        path: &str,
        folder: &str,
        parent: Option<usize>,
        is_test: bool,
    ) -> Result<usize, String> {
        let text = sources.get(path).ok_or_else(|| format!("{path} is declared and does not exist"))?;
        let syntax = syn::parse_file(text).map_err(|error| {
            let start = error.span().start();
            format!("{path}:{}:{}: {error}", start.line, start.column + 1)
        })?;
        let (file, module) = (self.files.len(), self.modules.len());
        let items = syntax.items.clone();
        self.files.push(File { path: path.to_owned(), lines: text.lines().count(), syntax, module, is_test });
        self.add_module(sources, file, &items, folder, parent, is_test)
    }

    /// Adds a module and all below it. `folder` is where files of its children are: empty, or with a `/` at its end.
    fn add_module(
        &mut self,
        sources: &BTreeMap<String, String>,
        file: usize,
        items: &[Item],
        folder: &str,
        parent: Option<usize>,
        is_test: bool,
    ) -> Result<usize, String> {
        let mut names = Names::default();
        names.read(items);
        let module = self.modules.len();
        self.modules.push(Module { file, parent, children: BTreeMap::new(), items: names.items, uses: names.uses });
        for declared in
            items.iter().filter_map(|item| if let Item::Mod(declared) = item { Some(declared) } else { None })
        {
            let name = declared.ident.to_string();
            let is_test = is_test || is_for_tests(&declared.attrs);
            let below = format!("{folder}{name}/");
            let child = if let Some((_, items)) = &declared.content {
                self.add_module(sources, file, items, &below, Some(module), is_test)?
            } else {
                let flat = format!("{folder}{name}.rs");
                let path = if sources.contains_key(&flat) { flat } else { format!("{below}mod.rs") };
                self.add_file(sources, &path, &below, Some(module), is_test)?
            };
            self.modules[module].children.insert(name, child);
        }
        Ok(module)
    }
}

impl Target {
    fn module(&self) -> Option<usize> {
        if let Target::Module(module) = self { Some(*module) } else { None }
    }
}

/// Whether something is compiled for tests only: `#[cfg(test)]`, or `#[cfg(all(test, ...))]`.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let mut found = false;
        // Anything else is a condition of another form.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("test");
            if meta.path.is_ident("all") {
                meta.parse_nested_meta(|inner| {
                    found |= inner.path.is_ident("test");
                    Ok(())
                })?;
            }
            Ok(())
        });
        found
    })
}

/// Whether a `use` makes its names visible outside its module.
pub fn is_reexport(item: &ItemUse) -> bool {
    !matches!(item.vis, Visibility::Inherited)
}

/// The names that a `use` brings in, one by one.
pub fn flatten(item: &ItemUse) -> Vec<Use> {
    let mut uses = Vec::new();
    // `use ::name::...` is always another crate.
    if item.leading_colon.is_none() {
        flatten_tree(&item.tree, &mut Vec::new(), &mut uses);
    }
    uses
}

fn flatten_tree(tree: &UseTree, path: &mut Vec<String>, uses: &mut Vec<Use>) {
    let mut push = |name: Option<String>, last: Option<String>, line: usize| {
        // `{self, ...}` names what stands before the braces.
        let last = last.filter(|last| last != "self" || path.is_empty());
        let name = if name.as_deref() == Some("self") { path.last().cloned() } else { name };
        uses.push(Use { name, path: path.iter().cloned().chain(last).collect(), line });
    };
    match tree {
        UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            flatten_tree(&inner.tree, path, uses);
            path.pop();
        }
        UseTree::Name(name) => {
            let written = name.ident.to_string();
            push(Some(written.clone()), Some(written), name.ident.span().start().line);
        }
        UseTree::Rename(renamed) => {
            let line = renamed.ident.span().start().line;
            push(Some(renamed.rename.to_string()), Some(renamed.ident.to_string()), line);
        }
        UseTree::Glob(glob) => push(None, None, glob.star_token.spans[0].start().line),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten_tree(tree, path, uses)),
    }
}

/// The names of one module, those of modules within it left out.
#[derive(Default)]
struct Names {
    items: BTreeSet<String>,
    /// Those inside functions are among them: what such a name stands for is nearly always the same in the whole
    /// module.
    uses: Vec<Use>,
}

impl Names {
    fn read(&mut self, items: &[Item]) {
        for item in items {
            let name = match item {
                Item::Const(item) => Some(&item.ident),
                Item::Enum(item) => Some(&item.ident),
                Item::Fn(item) => Some(&item.sig.ident),
                Item::Macro(item) => item.ident.as_ref(),
                Item::Static(item) => Some(&item.ident),
                Item::Struct(item) => Some(&item.ident),
                Item::Trait(item) => Some(&item.ident),
                Item::Type(item) => Some(&item.ident),
                Item::Union(item) => Some(&item.ident),
                _ => None,
            };
            self.items.extend(name.map(ToString::to_string));
            self.visit_item(item);
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.uses.extend(flatten(item));
        visit::visit_item_use(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sources: &[(&str, &str)]) -> Crate {
        Crate::read(&sources.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect()).unwrap()
    }

    fn uses(text: &str) -> Vec<(Option<String>, String)> {
        let file = syn::parse_file(text).unwrap();
        let Item::Use(item) = &file.items[0] else { panic!() };
        flatten(item).into_iter().map(|found| (found.name, found.path.join("::"))).collect()
    }

    /// The file of the one item that a path names.
    fn item<'a>(made: &'a Crate, scope: &str, path: &str) -> Option<&'a str> {
        let scope = made.files[made.file(scope)].module;
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        match made.resolve(scope, &path)[..] {
            [Target::Item(file)] => Some(&made.files[file].path),
            _ => None,
        }
    }

    #[test]
    fn groups_renames_globs_and_self_are_taken_apart() {
        let some = |name: &str, path: &str| (Some(name.to_owned()), path.to_owned());
        assert_eq!(uses("use a::b;"), [some("b", "a::b")]);
        assert_eq!(
            uses("use super::{a::{self, B as C}, d::*, e};"),
            [some("a", "super::a"), some("C", "super::a::B"), (None, "super::d".into()), some("e", "super::e")]
        );
        assert_eq!(uses("use crate::a as _;"), [some("_", "crate::a")]);
        assert_eq!(uses("use a::{self as b};"), [some("b", "a")]);
        assert_eq!(uses("use ::a::b;"), []);
    }

    #[test]
    fn a_name_has_the_line_it_stands_on() {
        let file = syn::parse_file("use a::{\n    b,\n    c::*,\n};").unwrap();
        let Item::Use(item) = &file.items[0] else { panic!() };
        assert_eq!(flatten(item).iter().map(|found| found.line).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn paths_begin_at_the_root_above_here_or_with_a_name_in_scope() {
        let made = read(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "pub mod x; mod y; use crate::b as other;"),
            ("a/x.rs", "pub struct X; mod inner { pub struct I; }"),
            ("a/y.rs", "pub fn y() {}"),
            ("b.rs", "pub const B: u8 = 0;"),
        ]);
        assert_eq!(item(&made, "b.rs", "crate::a::x::X"), Some("a/x.rs"));
        assert_eq!(item(&made, "a/x.rs", "super::y::y"), Some("a/y.rs"));
        assert_eq!(item(&made, "a/x.rs", "super::super::b::B"), Some("b.rs"));
        assert_eq!(item(&made, "a/x.rs", "self::X"), Some("a/x.rs"));
        assert_eq!(item(&made, "a/mod.rs", "other::B"), Some("b.rs"));
        assert_eq!(item(&made, "a/mod.rs", "x::X::new"), Some("a/x.rs"));
        assert_eq!(item(&made, "a/mod.rs", "std::mem::swap"), None);
        assert_eq!(item(&made, "a/x.rs", "inner::I"), Some("a/x.rs"));
    }

    #[test]
    fn reexports_are_followed_to_where_the_item_is() {
        let made = read(&[
            ("lib.rs", "mod a; mod b; pub use a::*; pub use b::Renamed as Again; pub use glam;"),
            ("a/mod.rs", "mod x; mod contacts; pub use x::{X, Y as Z}; pub use contacts::contacts;"),
            ("a/x.rs", "pub struct X; pub enum Y { One }"),
            ("a/contacts.rs", "pub fn contacts() {} pub struct Contacts;"),
            ("b.rs", "pub use crate::a::Z as Renamed;"),
        ]);
        assert_eq!(item(&made, "b.rs", "crate::a::X"), Some("a/x.rs"));
        assert_eq!(item(&made, "b.rs", "crate::X"), Some("a/x.rs"));
        assert_eq!(item(&made, "b.rs", "crate::Again::One"), Some("a/x.rs"));
        // A module and a function of one name.
        assert_eq!(item(&made, "b.rs", "crate::a::contacts::Contacts"), Some("a/contacts.rs"));
        let both = made.resolve(0, &["a".to_owned(), "contacts".to_owned()]);
        assert_eq!(both.len(), 2);
        // Another crate, re-exported.
        assert_eq!(made.resolve(0, &["crate".to_owned(), "glam".to_owned(), "DVec3".to_owned()]), []);
        // What is not seen, such as an item that a macro makes, is the module's own.
        assert_eq!(item(&made, "b.rs", "crate::a::x::Unseen"), Some("a/x.rs"));
    }

    #[test]
    fn files_are_found_as_the_compiler_finds_them() {
        let text = "mod a; mod inner { mod deep; } #[cfg(test)] mod only;";
        let empty = |path| (path, "");
        let made = read(&[("lib.rs", text), empty("a.rs"), empty("inner/deep.rs"), empty("only.rs"), empty("lost.rs")]);
        let paths: Vec<&str> = made.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["lib.rs", "a.rs", "inner/deep.rs", "only.rs"]);
        assert_eq!(made.undeclared, ["lost.rs"]);
        assert!(made.files[3].is_test && !made.files[1].is_test);
        assert!(Crate::read(&[("lib.rs".to_owned(), "mod none;".to_owned())].into()).is_err());
    }

    #[test]
    fn what_is_for_tests_says_so() {
        let is = |text: &str| {
            let item: ItemMod = syn::parse_str(&format!("{text} mod a {{}}")).unwrap();
            is_for_tests(&item.attrs)
        };
        assert!(is("#[cfg(test)]") && is("#[cfg(all(test, feature = \"a\"))]"));
        assert!(!is("#[cfg(not(test))]") && !is("#[cfg(feature = \"test\")]") && !is("#[test]") && !is(""));
    }
}
