//! Reads the forms of a body in order, as far as asked: `\say @bob TEXT` reads one form and takes the rest as it was typed.

use std::iter::FusedIterator;

use crate::{
    command::{Command, query_opens, read_query},
    condition::read_condition,
    cursor::Cursor,
    error::ParseError,
    escape::{TERMINATOR_ESCAPE, unescape},
    limits::PATTERNS_MAX,
    name::{Name, Sigil, is_name_start, is_word_char, read_group},
    node::BodyNode,
    span::Span,
};

/// The unread part of a body, an iterator over its forms. It ends after an error.
#[derive(Clone, Debug)]
pub struct Content {
    cursor: Cursor,
    start: usize,
    patterns_left: usize,
}

impl Content {
    /// The body over which the cursor stands.
    pub(crate) const fn new(cursor: Cursor) -> Self {
        Self { start: cursor.at(), cursor, patterns_left: PATTERNS_MAX }
    }

    /// Reads the next form, after blanks; where text or nothing follows, it takes nothing and gives `None`.
    pub fn take_form(&mut self) -> Result<Option<BodyNode>, ParseError> {
        let start = self.cursor.at();
        self.cursor.skip_blanks();
        if self.form_opens() {
            return self.read_form().map(Some);
        }
        self.cursor.go_to(start);
        Ok(None)
    }

    /// Everything that was not read yet, escapes resolved, without blanks at its ends.
    pub fn rest(&self) -> String {
        unescape(self.cursor.rest().trim())
    }

    /// The place of the unread part, in bytes of the whole input.
    pub fn span(&self) -> Span {
        self.cursor.ahead()
    }

    fn form_opens(&self) -> bool {
        let second = || self.cursor.peek_second();
        match self.cursor.peek() {
            Some('?') => second() == Some('('),
            Some('$') => query_opens(&self.cursor),
            Some('@' | '#') => {
                second().is_some_and(|c| c == '(' || is_name_start(c))
                    && !self.cursor.previous(self.start).is_some_and(is_word_char)
            }
            _ => false,
        }
    }

    fn read_form(&mut self) -> Result<BodyNode, ParseError> {
        let node = self.try_form();
        if node.is_err() {
            self.cursor.go_to(self.cursor.ahead().end);
        }
        node
    }

    fn try_form(&mut self) -> Result<BodyNode, ParseError> {
        let cursor = &mut self.cursor;
        if cursor.looks_at("?(") {
            return Ok(BodyNode::Condition(read_condition(cursor, &mut self.patterns_left)?));
        }
        let Some(sigil) = cursor.peek().and_then(Sigil::from_char) else {
            return Ok(BodyNode::Query(read_query(cursor, 0)?));
        };
        cursor.bump();
        Ok(match (sigil, cursor.looks_at("(")) {
            (Sigil::Entity, true) => BodyNode::Entities(read_group(cursor, sigil)?),
            (Sigil::Space, true) => BodyNode::Spaces(read_group(cursor, sigil)?),
            (Sigil::Entity, false) => BodyNode::Entity(Name::read(cursor)?),
            (Sigil::Space, false) => BodyNode::Space(Name::read(cursor)?),
        })
    }

    fn read_text(&mut self) -> BodyNode {
        let start = self.cursor.at();
        while !self.cursor.is_at_end() && !self.form_opens() {
            if !self.cursor.eat(TERMINATOR_ESCAPE) && !self.cursor.eat("\\\\") {
                self.cursor.bump();
            }
        }
        BodyNode::Text(unescape(self.cursor.text(self.cursor.since(start))))
    }
}

impl Command {
    /// Reads the forms in the body, one at a time.
    pub fn content(&self) -> Content {
        self.content_from(0)
    }

    /// Reads the forms from byte `offset` of [`raw`](Self::raw) on; none where it lies outside or within a character.
    pub fn content_from(&self, offset: usize) -> Content {
        let fits = self.raw().is_char_boundary(offset);
        let start = if fits { self.body().start + offset } else { self.body().end };
        Content::new(self.cursor_from(start))
    }

    /// Reads all forms in the body.
    pub fn nodes(&self) -> Result<Vec<BodyNode>, ParseError> {
        self.content().collect()
    }
}

impl Iterator for Content {
    type Item = Result<BodyNode, ParseError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_at_end() {
            return None;
        }
        Some(if self.form_opens() { self.read_form() } else { Ok(self.read_text()) })
    }
}

impl FusedIterator for Content {}

#[cfg(test)]
mod tests {
    use crate::{command::parse, error::ParseErrorKind, node::BodyNode};

    fn nodes(body: &str) -> Vec<String> {
        let nodes = parse(&format!("\\x {body} ---")).unwrap()[0].nodes();
        let nodes = nodes.unwrap_or_else(|error| panic!("{body}: {error}"));
        nodes.iter().map(shape).collect()
    }

    fn shape(node: &BodyNode) -> String {
        let kind = match node {
            BodyNode::Text(text) => return format!("text {text}"),
            BodyNode::Entity(_) => "entity",
            BodyNode::Space(_) => "space",
            BodyNode::Entities(_) => "entities",
            BodyNode::Spaces(_) => "spaces",
            BodyNode::Condition(_) => "condition",
            BodyNode::Query(_) => "query",
        };
        format!("{kind} {node}")
    }

    #[test]
    fn forms_are_told_from_text() {
        let cases: [(&str, &[&str]); 19] = [
            ("", &[]),
            ("hello there", &["text hello there"]),
            ("@bob hi", &["entity @bob", "text  hi"]),
            ("hi @Bob.", &["text hi ", "entity @Bob", "text ."]),
            ("@a.b...", &["entity @a.b", "text ..."]),
            ("#dev @(a, b-2 ,c)", &["space #dev", "text  ", "entities @(a, b-2, c)"]),
            ("#(x,y)", &["spaces #(x, y)"]),
            ("@(@a, b)", &["entities @(a, b)"]),
            ("mail bob@example.org now", &["text mail bob@example.org now"]),
            ("issue#5 C# @ # ? $ @- ?x $x", &["text issue#5 C# @ # ? $ @- ?x $x"]),
            ("@@bob", &["text @", "entity @bob"]),
            ("(@bob)", &["text (", "entity @bob", "text )"]),
            ("@me,#x", &["entity @me", "text ,", "space #x"]),
            ("a \\--- b \\\\ c \\d", &["text a --- b \\ c \\d"]),
            ("?(tick > 5) go", &["condition ?(tick > 5)", "text  go"]),
            ("why?(tick>5)", &["text why", "condition ?(tick > 5)"]),
            ("$( \\a--- \\b c--- )", &["query $(\\a --- \\b c ---)"]),
            ("n: $(\\n @x---)", &["text n: ", "query $(\\n @x ---)"]),
            ("$5 $(x)", &["text $5 $(x)"]),
        ];
        for (body, expected) in cases {
            assert_eq!(nodes(body), expected, "{body}");
        }
    }

    #[test]
    fn forms_that_are_none_are_errors_with_their_position() {
        use ParseErrorKind::{BadName, UnclosedParenthesis, Unexpected};
        let long = format!("@{}", "a".repeat(65));
        let cases = [
            ("@()", BadName, 6),
            ("@(a", UnclosedParenthesis, 5),
            ("é @(a,", UnclosedParenthesis, 7),
            ("@(a b)", Unexpected, 8),
            ("@(a,)", BadName, 8),
            ("#(-)", BadName, 6),
            (&*long, BadName, 5),
            ("x ?(", UnclosedParenthesis, 6),
        ];
        for (body, kind, position) in cases {
            let error = parse(&format!("\\x {body} ---")).unwrap()[0].nodes().unwrap_err();
            assert_eq!((error.kind, error.position), (kind, position), "{body}: {error}");
        }
    }

    #[test]
    fn the_rest_is_kept_as_typed() {
        let command = &parse("\\say @bob  #dev mail x@y, \\--- @carl ?( ---").unwrap()[0];
        let mut content = command.content();
        assert_eq!(shape(&content.take_form().unwrap().unwrap()), "entity @bob");
        assert_eq!(shape(&content.take_form().unwrap().unwrap()), "space #dev");
        assert_eq!(content.take_form().unwrap(), None);
        assert_eq!(content.rest(), "mail x@y, --- @carl ?(");
        let command = &parse("\\stdout query: ?(tick > 4) last 5 ---").unwrap()[0];
        let mut content = command.content_from("query:".len());
        assert_eq!(shape(&content.take_form().unwrap().unwrap()), "condition ?(tick > 4)");
        assert_eq!(content.rest(), "last 5");
        assert_eq!(command.content_from(99).rest(), "");
    }

    #[test]
    fn nothing_is_read_after_an_error() {
        let mut content = parse("\\x @(, @a ---").unwrap()[0].content();
        assert!(content.next().unwrap().is_err());
        assert!(content.next().is_none());
    }
}
