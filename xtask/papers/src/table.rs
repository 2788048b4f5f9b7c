//! The table that is printed as it grows, and kept for the report.

/// A figure: what was published, what we have, what it must not exceed.
pub struct Row {
    /// The group that it belongs to.
    pub group: String,
    /// Paper and place in it.
    pub source: String,
    /// What is measured.
    pub what: String,
    /// What was published, if anything.
    pub published: String,
    /// What we have.
    pub ours: String,
    /// What ours is held to.
    pub limit: String,
    /// Whether it is.
    pub passed: bool,
}

/// A part of the report that is no figure: equations, sentences, drawings.
pub struct Note {
    /// The group that it belongs to.
    pub group: String,
    /// Markdown.
    pub text: String,
    /// A drawing, by the name of its file.
    pub drawing: Option<(String, String)>,
}

/// All rows.
#[derive(Default)]
pub struct Table {
    group: String,
    /// In the order in which they came.
    pub rows: Vec<Row>,
    /// What stands between them.
    pub notes: Vec<Note>,
}

impl Table {
    /// Begins a group of rows.
    pub fn group(&mut self, name: &str) {
        self.group = name.to_owned();
        println!("\n== {name}");
        println!(
            "   {:<22} {:<58} {:>14} {:>22}  limit",
            "source", "what", "published", "ours"
        );
    }

    /// Adds a figure.
    pub fn row(
        &mut self,
        source: &str,
        what: impl Into<String>,
        published: impl ToString,
        ours: impl ToString,
        limit: impl ToString,
        passed: bool,
    ) {
        let row = Row {
            group: self.group.clone(),
            source: source.to_owned(),
            what: what.into(),
            published: published.to_string(),
            ours: ours.to_string(),
            limit: limit.to_string(),
            passed,
        };
        let verdict = if passed { "ok" } else { "!!" };
        println!(
            "{verdict} {:<22} {:<58} {:>14} {:>22}  {}",
            row.source, row.what, row.published, row.ours, row.limit
        );
        self.rows.push(row);
    }

    /// A group that could not be measured at all.
    pub fn broken(&mut self, name: &str, error: &str) {
        self.row(name, format!("could not be measured: {error}"), "", "", "", false);
    }

    /// Adds a text to the report.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(Note {
            group: self.group.clone(),
            text: text.into(),
            drawing: None,
        });
    }

    /// Adds a sentence of the master to the report, and shows it.
    pub fn sentence(&mut self, of: &str, sentence: &str) {
        println!("   {of}: {sentence}");
        self.note(format!("{of}:\n\n> {sentence}"));
    }

    /// Adds a drawing to the report.
    pub fn drawing(&mut self, file: &str, caption: &str, plot: &importer::plot::Plot) {
        self.notes.push(Note {
            group: self.group.clone(),
            text: caption.to_owned(),
            drawing: Some((file.to_owned(), plot.to_svg())),
        });
    }

    /// How many rows have passed.
    pub fn passed(&self) -> usize {
        self.rows.iter().filter(|row| row.passed).count()
    }

    /// How many have not.
    pub fn failed(&self) -> usize {
        self.rows.len() - self.passed()
    }
}
