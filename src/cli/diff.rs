//! `retrylint diff BASE [HEAD]`

use super::args::{DiffFormat, DiffOptions, FileOptions};
use super::changed::{renames, repository};
use super::run::{Memory, Run};
use super::{CLEAN, FAILED, complain, told};
use crate::report::diff::{self as report, Changes};
use crate::source::Tree;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Shows what a change does to policies, queues and stacks.
pub(super) fn diff(options: &DiffOptions, out: &mut dyn Write) -> io::Result<u8> {
    let Some((changes, troubles)) = told(compare(options)) else { return Ok(FAILED) };
    match options.format {
        DiffFormat::Human => report::human(&changes, out)?,
        DiffFormat::Markdown => report::markdown(&changes, out)?,
        DiffFormat::Json => report::json(&changes, out)?,
    }
    troubles.iter().for_each(complain);
    Ok(if troubles.is_empty() { CLEAN } else { FAILED })
}

/// What differs, and what went wrong on either side; the error is one that leaves nothing to compare.
pub fn compare(options: &DiffOptions) -> Result<(Changes, Vec<String>), String> {
    let files =
        FileOptions { paths: options.paths.clone(), stdin_filename: None, reading: options.reading.clone() };
    if files.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err("standard input has no revision before; name a file".to_string());
    }
    let repository = repository(&files.paths)?;
    let head = options.head.as_deref();
    let (base, forked, head) = match options.base.split_once("..") {
        Some(_) if head.is_some() => {
            return Err("HEAD is named twice; write BASE HEAD, BASE..HEAD or BASE...HEAD".to_string());
        }
        Some((base, head)) => {
            let (forked, head) = head.strip_prefix('.').map_or((false, head), |head| (true, head));
            (base, forked, Some(head).filter(|head| !head.is_empty()))
        }
        None => (options.base.as_str(), false, head),
    };
    if base.is_empty() {
        return Err("name a revision to compare with: BASE, BASE HEAD, BASE..HEAD or BASE...HEAD".to_string());
    }
    let base = if forked { repository.fork(base, head.unwrap_or("HEAD"))? } else { base.to_string() };
    let old = repository.revision(&base)?;
    let tree = match head {
        Some(head) => Tree::Revision(Box::new(repository.revision(head)?)),
        None => Tree::Disk(old.unchanged()?),
    };
    let memory = Memory::default();
    let place = |name: Option<&str>| name.map_or(String::new(), |name| format!("{name}:"));
    let after = Run::over(&files, tree, &memory).map_err(|error| format!("{}{error}", place(head)))?;
    let before = Run::over(&files, Tree::Revision(Box::new(old)), &memory)
        .map_err(|error| format!("{}{error}", place(Some(&base))))?;
    let mut changes = Changes::between(&before.project, &after.project, &renames(&before, &after));
    changes.before = options.base.clone();
    changes.after = head.map(str::to_string);
    if let (Tree::Revision(base), Tree::Disk(_)) = (&before.tree, &after.tree) {
        changes.keep(|file| !base.is_foreign(&after.path(file)));
    }
    // a path may be missing on one of the sides
    let absent: BTreeSet<&String> = before.absent.iter().filter(|path| after.absent.contains(path)).collect();
    let of_before = before.troubles.iter().map(|trouble| format!("{base}: {trouble}"));
    let troubles: Vec<String> = absent.into_iter().chain(&after.troubles).cloned().chain(of_before).collect();
    changes.failures = troubles.len();
    Ok((changes, troubles))
}
