//! Who imports whom: every file of a crate with the files that it names.
//!
//! An import is a `use`, or a path in the code (types, expressions, patterns, macros), that leads to an item of another
//! file of the crate. Comments do not count, nor do methods of a value whose type is not named. How table-of-contents
//! files such as `mod.rs` are dealt with:
//!
//! - `mod x;` is not an import: a folder does not depend on its contents.
//! - A re-export (`pub use x::Y`) is followed. Whoever asks for `folder::Y` imports `folder/x.rs`, not `folder/mod.rs`.
//! - The re-export itself makes its file an importer only where rooms are concerned ([`Import::reexport`]): a room must
//!   not hand out what is to its right. For circles it does not count, unless the code of that file uses the name too.
//!   A file that merely declares and re-exports is thus in no circle, and a `mod.rs` with code of its own is a file
//!   like any other.
//! - `use path::module;` is not an import by itself; the paths that begin with `module::` are. `use super::*` is one of
//!   the file that it names, so none at all in a test module of the same file.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Macro, Stmt, Visibility};

use super::modules::{Crate, Target, flatten, is_for_tests, is_reexport};

/// What one file takes from another: the first line of each kind, and the names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// Named by code that is not a test.
    pub code: Option<usize>,
    /// Named by a test.
    pub test: Option<usize>,
    /// Handed on by a `pub use`.
    pub reexport: Option<usize>,
    /// What is named outside tests: the names of a `use`, and paths as they stand in the code.
    pub names: BTreeSet<String>,
}

impl Import {
    /// Whether it is there when no test is.
    pub fn is_outside_tests(&self) -> bool {
        self.code.is_some() || self.reexport.is_some()
    }

    /// A line to show, of the code if there is one.
    pub fn line(&self) -> usize {
        self.code.or(self.reexport).or(self.test).unwrap_or(1)
    }
}

/// All imports, by the importing file and the imported one.
pub type Imports = BTreeMap<(usize, usize), Import>;

/// The imports of a crate.
pub fn of(made: &Crate) -> Imports {
    let mut imports = Imports::new();
    for (index, file) in made.files.iter().enumerate() {
        let mut reader =
            Reader { made, file: index, module: file.module, is_test: file.is_test, imports: &mut imports };
        reader.visit_file(&file.syntax);
    }
    imports
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Path,
    Reexport,
}

struct Reader<'a> {
    made: &'a Crate,
    file: usize,
    /// The module that is being read.
    module: usize,
    is_test: bool,
    imports: &'a mut Imports,
}

impl Reader<'_> {
    fn add(&mut self, to: usize, line: usize, kind: Kind, name: Option<String>) {
        if to == self.file {
            return;
        }
        let import = self.imports.entry((self.file, to)).or_default();
        import.names.extend(name.filter(|_| !self.is_test));
        let place = match kind {
            _ if self.is_test => &mut import.test,
            Kind::Reexport => &mut import.reexport,
            Kind::Path => &mut import.code,
        };
        *place = Some(place.map_or(line, |first| first.min(line)));
    }

    /// A path in the code. One that ends at a module imports nothing.
    fn path(&mut self, path: &[String], line: usize) {
        for target in self.made.resolve(self.module, path) {
            if let Target::Item(file) = target {
                // What begins with the name of an item has come by a `use`, which named it.
                let is_whole =
                    self.made.resolve(self.module, &path[..1]).iter().any(|t| matches!(t, Target::Module(_)));
                let name = path.iter().filter(|name| !matches!(name.as_str(), "crate" | "super" | "self"));
                let name = is_whole.then(|| name.cloned().collect::<Vec<_>>().join("::"));
                self.add(file, line, Kind::Path, name);
            }
        }
    }

    /// The paths among the tokens of a macro, which cannot be parsed without knowing it.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |k: usize, sign: char| matches!(tokens.get(k), Some(TokenTree::Punct(p)) if p.as_char() == sign);
        let mut k = 0;
        while let Some(token) = tokens.get(k) {
            k += 1;
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                // A field or a method is not a path.
                TokenTree::Ident(_) if k > 1 && is(k - 2, '.') && !(k > 2 && is(k - 3, '.')) => {}
                TokenTree::Ident(first) => {
                    let mut path = vec![first.to_string()];
                    while is(k, ':') && is(k + 1, ':') {
                        let Some(TokenTree::Ident(next)) = tokens.get(k + 2) else { break };
                        path.push(next.to_string());
                        k += 3;
                    }
                    let is_field_name = path.len() == 1 && is(k, ':') && !is(k + 1, ':');
                    if !is_field_name {
                        self.path(&path, line(first.span()));
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads something with attributes, which may say that it is for tests.
    fn attributed(&mut self, attributes: &[Attribute], read: impl FnOnce(&mut Self)) {
        let outside = self.is_test;
        self.is_test |= is_for_tests(attributes);
        read(self);
        self.is_test = outside;
    }
}

fn line(span: Span) -> usize {
    span.start().line
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        self.attributed(attributes, |reader| visit::visit_item(reader, item));
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        self.attributed(attributes, |reader| visit::visit_impl_item(reader, item));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes: &[Attribute] = match statement {
            Stmt::Local(local) => &local.attrs,
            Stmt::Macro(called) => &called.attrs,
            _ => &[],
        };
        self.attributed(attributes, |reader| visit::visit_stmt(reader, statement));
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_none() {
            return;
        }
        let outside = self.module;
        self.module = self.made.child(outside, &item.ident.to_string()).unwrap_or(outside);
        visit::visit_item_mod(self, item);
        self.module = outside;
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let kind = if is_reexport(item) { Kind::Reexport } else { Kind::Path };
        for import in flatten(item) {
            let name = if import.name.is_some() { import.path.last().cloned() } else { Some("*".to_owned()) };
            for target in self.made.resolve(self.module, &import.path) {
                match target {
                    Target::Item(file) => self.add(file, import.line, kind, name.clone()),
                    Target::Module(module) if kind == Kind::Reexport || import.name.is_none() => {
                        self.add(self.made.modules[module].file, import.line, kind, name.clone());
                    }
                    Target::Module(_) => {}
                }
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            if names.len() > 1 || names[0] != "self" {
                self.path(&names, line(path.segments[0].ident.span()));
            }
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }

    /// Comments are attributes too.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who imports whom with which kinds at which lines, in the order of the files' names.
    fn imports(sources: &[(&str, &str)]) -> Vec<String> {
        let sources = sources.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())).collect();
        let made = Crate::read(&sources).unwrap();
        let name = |file: usize| made.files[file].path.trim_end_matches(".rs");
        let mut lines: Vec<String> = of(&made)
            .iter()
            .map(|(&(from, to), import)| {
                let kinds = [("code", import.code), ("test", import.test), ("reexport", import.reexport)];
                let kinds = kinds.iter().filter_map(|(kind, line)| line.map(|line| format!("{kind} {line}")));
                format!("{} -> {}: {}", name(from), name(to), kinds.collect::<Vec<_>>().join(", "))
            })
            .collect();
        lines.sort();
        lines
    }

    const A: (&str, &str) = ("a.rs", "pub struct A; pub fn f() {} pub mod deep { pub const N: u8 = 0; }");

    #[test]
    fn paths_of_all_kinds_are_imports() {
        let of_b = |text| imports(&[("lib.rs", "mod a; mod b;"), A, ("b.rs", text)]);
        let one = ["b -> a: code 2"];
        assert_eq!(of_b("\nuse crate::a::A;"), one);
        assert_eq!(of_b("\nuse super::a::{self, deep};\nfn g() { deep::N; a::f() }"), ["b -> a: code 3"]);
        assert_eq!(of_b("\nfn g() { crate::a::f() }"), one);
        assert_eq!(of_b("\nstruct B(Vec<super::a::A>);"), one);
        assert_eq!(of_b("fn g(x: u8) {\n matches!(x, crate::a::deep::N); }"), one);
        assert_eq!(of_b("macro_rules! m { () => {\n $crate::a::f() } }"), one);
        assert_eq!(of_b("\nuse super::a::*;"), one);
        assert_eq!(of_b("\nimpl super::a::deep::Trait for u8 {}"), one);
    }

    #[test]
    fn comments_fields_and_other_crates_are_not() {
        let text = "//! crate::a::A\n/// [`crate::a::f`]\n#[doc = \"super::a::f\"]\n\
                    pub(crate) fn g(f: std::vec::Vec<u8>) {\n\
                    let A = f.len(); println!(\"{}\", A.f); }\npub(in crate::b) struct S;";
        assert_eq!(imports(&[("lib.rs", "mod a; mod b;"), A, ("b.rs", text)]), [] as [&str; 0]);
    }

    #[test]
    fn a_table_of_contents_is_passed_through() {
        let toc = "mod x;\nmod y;\npub use x::X;\npub use y::Y;";
        let sources = [
            ("lib.rs", "mod room;"),
            ("room/mod.rs", toc),
            ("room/x.rs", "use super::Y; pub struct X;"),
            ("room/y.rs", "pub struct Y; #[cfg(test)] mod tests { use super::*; use crate::room::X; fn f(_: Y) {} }"),
        ];
        assert_eq!(
            imports(&sources),
            [
                "room/mod -> room/x: reexport 3",
                "room/mod -> room/y: reexport 4",
                "room/x -> room/y: code 1",
                "room/y -> room/x: test 1"
            ]
        );
    }

    #[test]
    fn a_re_export_that_its_file_uses_itself_is_an_import() {
        let toc = "mod x;\npub use x::{X, Z};\nthread_local! { static S: X = X; }\npub fn f() {}";
        let sources =
            [("lib.rs", "mod room;"), ("room/mod.rs", toc), ("room/x.rs", "pub struct X; fn g() { super::f() }")];
        assert_eq!(imports(&sources), ["room/mod -> room/x: code 3, reexport 2", "room/x -> room/mod: code 1"]);
    }

    #[test]
    fn what_is_compiled_for_tests_only_counts_as_a_test() {
        let b = "#[cfg(test)]\nuse crate::a::A;\nimpl B {\n#[cfg(test)]\nfn g() { crate::a::f() } }";
        assert_eq!(imports(&[("lib.rs", "mod a; mod b;"), A, ("b.rs", b)]), ["b -> a: test 2"]);
        let whole = [("lib.rs", "mod a; #[cfg(test)] mod b;"), A, ("b.rs", "use crate::a::A;")];
        assert_eq!(imports(&whole), ["b -> a: test 1"]);
    }
}
