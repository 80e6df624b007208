//! How long functions and lines are.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, ItemImpl, ItemTrait, Signature, TraitItemFn, Type};

/// A function and how long it is.
#[derive(Debug, PartialEq)]
pub struct Function {
    /// With its type, if it has one: `World::step`.
    pub name: String,
    /// The line of its `fn`.
    pub line: usize,
    /// From the line of its `fn` to that of its last brace.
    pub lines: usize,
}

/// The functions of a file that have a body, tests and functions within functions included.
pub fn functions(file: &syn::File) -> Vec<Function> {
    let mut reader = Reader { owner: None, found: Vec::new() };
    reader.visit_file(file);
    reader.found
}

/// The numbers of the lines that have more than `limit` characters.
pub fn long_lines(text: &str, limit: usize) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| line.len() > limit && line.chars().count() > limit).map(|(k, _)| k + 1).collect()
}

struct Reader {
    /// The type or trait whose functions are being read.
    owner: Option<String>,
    found: Vec<Function>,
}

impl Reader {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let name = match &self.owner {
            Some(owner) => format!("{owner}::{}", signature.ident),
            None => signature.ident.to_string(),
        };
        let line = signature.span().start().line;
        self.found.push(Function { name, line, lines: body.span().end().line + 1 - line });
    }

    fn owned(&mut self, owner: Option<String>, read: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.owner, owner);
        read(self);
        self.owner = outside;
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.owned(None, |reader| {
            reader.add(&item.sig, &item.block);
            visit::visit_item_fn(reader, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let owner = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
            _ => None,
        };
        self.owned(owner, |reader| visit::visit_item_impl(reader, item));
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.owned(Some(item.ident.to_string()), |reader| visit::visit_item_trait(reader, item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_as_long_as_from_fn_to_its_last_brace() {
        let text = "/// Comment.\n#[inline]\npub fn one() {}\n\n\
                    impl<T> a::B<T> {\n    fn two(\n        &self,\n    ) {\n        \
                    fn three() {\n        }\n    }\n}\n\ntrait C {\n    fn four();\n    fn five() {\n    }\n}\n";
        let found = functions(&syn::parse_file(text).unwrap());
        let found: Vec<(&str, usize, usize)> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines)).collect();
        assert_eq!(found, [("one", 3, 1), ("B::two", 6, 6), ("three", 9, 2), ("C::five", 16, 2)]);
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(long_lines("abc\nabcd\näöü\näöüß\n", 3), [2, 4]);
    }
}
