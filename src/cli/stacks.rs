//! `retrylint stacks`

use super::args::{StacksFormat, StacksOptions};
use super::check::tell_troubles;
use super::run::Run;
use super::{FAILED, complain, told};
use crate::report::stacks;
use crate::stack;
use std::io::{self, Write};

/// Shows the call paths, or what may be some.
pub(super) fn stacks(options: &StacksOptions, out: &mut dyn Write) -> io::Result<u8> {
    let Some(run) = told(Run::new(&options.files)) else { return Ok(FAILED) };
    let project = &run.project;
    if options.candidates {
        let found = stack::candidates(project);
        let shown = |file: &str| run.config.relative(file);
        match options.format {
            StacksFormat::Human if found.is_empty() && run.failures() > 0 => {}
            StacksFormat::Human => stacks::candidates(project, &found, &shown, out)?,
            StacksFormat::Json => stacks::candidates_json(project, &found, &shown, out)?,
            StacksFormat::Dot | StacksFormat::Mermaid => {
                complain("--candidates are shown by --format human and --format json only");
                return Ok(FAILED);
            }
        }
    } else {
        match options.format {
            // that there is none is only known where everything could be read
            StacksFormat::Human if project.stacks.is_empty() && run.failures() > 0 => {}
            StacksFormat::Human => stacks::human(project, out)?,
            StacksFormat::Json => stacks::json(project, out)?,
            StacksFormat::Dot => stacks::dot(project, out)?,
            StacksFormat::Mermaid => stacks::mermaid(project, out)?,
        }
    }
    Ok(tell_troubles(&run, options.files.reading.verbose))
}
