//! `retrylint inspect`

use super::args::{InspectFormat, InspectOptions};
use super::check::tell_troubles;
use super::run::Run;
use super::{FAILED, told};
use crate::report;
use std::io::{self, Write};

/// Shows everything that was found.
pub(super) fn inspect(options: &InspectOptions, out: &mut dyn Write) -> io::Result<u8> {
    let Some(run) = told(Run::new(&options.files)) else { return Ok(FAILED) };
    match options.format {
        InspectFormat::Json => report::inspect::json(&run.project, out)?,
        InspectFormat::Yaml => report::inspect::yaml(&run.project, out)?,
        InspectFormat::Human => report::inspect::human(&run.project, out)?,
    }
    Ok(tell_troubles(&run, options.files.reading.verbose))
}
