//! The table that is printed as it grows, and kept for the report.

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It keeps its limit.
    Passed,
    /// It does not.
    Failed,
    /// It has no limit: a figure to look at, which counts as nothing.
    Figure,
}

impl Verdict {
    /// As the report has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Failed => "**failed**",
            Verdict::Figure => "figure",
        }
    }
}

/// What was published, what we have, what it must not exceed.
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
    /// What ours is held to; nothing for a figure.
    pub limit: String,
    /// Whether it keeps that.
    pub verdict: Verdict,
}

/// A part of the report that is not a figure: equations, sentences, drawings.
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

    /// Adds a row with a limit.
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
            verdict: if passed { Verdict::Passed } else { Verdict::Failed },
        };
        assert!(
            !row.limit.is_empty(),
            "{}: a row without a limit is a figure",
            row.what
        );
        self.add(row);
    }

    /// Adds a figure, which is held to nothing and counts as nothing.
    pub fn figure(
        &mut self,
        source: &str,
        what: impl Into<String>,
        published: impl ToString,
        ours: impl ToString,
    ) {
        self.add(Row {
            group: self.group.clone(),
            source: source.to_owned(),
            what: what.into(),
            published: published.to_string(),
            ours: ours.to_string(),
            limit: String::new(),
            verdict: Verdict::Figure,
        });
    }

    fn add(&mut self, row: Row) {
        let mark = match row.verdict {
            Verdict::Passed => "ok",
            Verdict::Failed => "!!",
            Verdict::Figure => "--",
        };
        println!(
            "{mark} {:<22} {:<58} {:>14} {:>22}  {}",
            row.source, row.what, row.published, row.ours, row.limit
        );
        self.rows.push(row);
    }

    /// A group that could not be measured at all.
    pub fn broken(&mut self, name: &str, error: &str) {
        let what = format!("could not be measured: {error}");
        self.row(name, what, "", "", "a measurement", false);
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
    pub fn drawing(&mut self, file: &str, caption: &str, plot: &fmu_results::plot::Plot) {
        self.notes.push(Note {
            group: self.group.clone(),
            text: caption.to_owned(),
            drawing: Some((file.to_owned(), plot.to_svg())),
        });
    }

    /// How many rows have passed.
    pub fn passed(&self) -> usize {
        self.count(Verdict::Passed)
    }

    /// How many have not.
    pub fn failed(&self) -> usize {
        self.count(Verdict::Failed)
    }

    /// How many have no limit.
    pub fn figures(&self) -> usize {
        self.count(Verdict::Figure)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }
}
