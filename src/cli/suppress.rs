//! Which comments silence which findings.

use crate::finding::Finding;
use crate::model::{Annotation, Says, Suppression};
use crate::stack::{Project, ProjectFile};
use std::collections::HashMap;

/// A comment, by the numbers of its file and of itself.
pub type CommentAt = (usize, usize);

/// The comments of all files that hold some.
pub struct Suppressions<'p> {
    files: HashMap<&'p str, FileComments<'p>>,
}

struct FileComments<'p> {
    number: usize,
    /// Comments about a line.
    about_line: HashMap<u32, Vec<(usize, &'p Suppression)>>,
    about_file: Vec<(usize, &'p Suppression)>,
    /// Where the policies and queues with a pointer stand.
    lines: HashMap<&'p str, Vec<u32>>,
}

impl<'p> Suppressions<'p> {
    pub fn new(project: &'p Project) -> Self {
        let files = project.files.iter().enumerate();
        let files = files.filter(|(_, file)| !file.facts.annotations.is_empty());
        Self {
            files: files
                .map(|(number, file)| (file.path.as_str(), FileComments::new(number, file)))
                .collect(),
        }
    }

    /// The comments that silence a finding: a comment silences the findings that are about its line, that
    /// stand there or show a number from there, and those about the policy or queue that stands there.
    pub fn silencing(&self, finding: &Finding) -> Vec<CommentAt> {
        self.files.get(finding.file.as_str()).map_or(Vec::new(), |file| file.silencing(finding))
    }
}

impl<'p> FileComments<'p> {
    fn new(number: usize, file: &'p ProjectFile) -> Self {
        let mut this =
            Self { number, about_line: HashMap::new(), about_file: Vec::new(), lines: HashMap::new() };
        for (n, Annotation { line, says, .. }) in file.facts.annotations.iter().enumerate() {
            match says {
                Says::Ignore(what) => this.about_line.entry(*line).or_default().push((n, what)),
                Says::IgnoreFile(what) => this.about_file.push((n, what)),
                _ => {}
            }
        }
        let policies = file.facts.policies.iter().map(|policy| (&policy.pointer, policy.place.line));
        let queues = file.facts.queues.iter().map(|queue| (&queue.pointer, queue.place.line));
        for (pointer, line) in policies.chain(queues) {
            this.lines.entry(pointer).or_default().push(line);
        }
        this
    }

    fn silencing(&self, finding: &Finding) -> Vec<CommentAt> {
        let around = with_outer(&finding.pointer).filter_map(|pointer| self.lines.get(pointer)).flatten();
        let shown = finding.related.iter().filter(|label| label.file == finding.file);
        let shown = shown.map(|label| label.place.line);
        let mut lines: Vec<u32> = around.copied().chain(shown).chain([finding.place.line]).collect();
        lines.sort_unstable();
        lines.dedup();
        let about = lines.iter().filter_map(|line| self.about_line.get(line)).flatten();
        let names =
            |what: &Suppression| what.rules.is_empty() || what.rules.iter().any(|rule| rule == finding.rule);
        let comments = about.chain(&self.about_file).filter(|(_, what)| names(what));
        comments.map(|(n, _)| (self.number, *n)).collect()
    }
}

/// A pointer and those of what it is within.
fn with_outer(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.match_indices('/').map(|(end, _)| &pointer[..end]).chain([pointer])
}
