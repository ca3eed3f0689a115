//! scratch
use retrylint::{document, model, schedule, source, stack};
fn main() {
    let mut files = Vec::new();
    for path in std::env::args().skip(4).filter(|a| !a.starts_with("--")) {
        let text = source::SourceText::new(std::fs::read_to_string(&path).unwrap());
        let format = if path.ends_with("toml") { document::Format::Toml } else if path.ends_with("json") { document::Format::Json } else { document::Format::Yaml };
        let parsed = document::parse(&text, format);
        for f in &parsed.faults { eprintln!("{f:?}"); }
        let mut facts = model::Facts::default();
        retrylint::dialect::read(&parsed, &path, &mut facts);
        for p in &facts.policies { for f in &p.faults { eprintln!("{}: {} -- {}", f.place.line, f.what, f.effect); } }
        for p in &facts.queues { for f in &p.faults { eprintln!("{}: {} -- {}", f.place.line, f.what, f.effect); } }
        let schedules = facts.policies.iter().map(schedule::schedule).collect();
        files.push(stack::ProjectFile { path, facts, schedules });
    }
    let project = stack::Project { files, ..Default::default() };
    retrylint::report::inspect::json(&project, &mut std::io::stdout()).unwrap();
}
