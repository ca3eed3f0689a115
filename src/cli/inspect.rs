//! `retrylint inspect`

use super::args::{InspectFormat, InspectOptions};
use super::check::tell_troubles;
use super::run::Run;
use super::{FAILED, complain};
use crate::report;
use std::io::{self, Write};

/// Shows everything that was found.
pub(super) fn inspect(options: &InspectOptions, out: &mut dyn Write) -> io::Result<u8> {
    let run = match Run::new(&options.files) {
        Ok(run) => run,
        Err(error) => {
            complain(error);
            return Ok(FAILED);
        }
    };
    match options.format {
        InspectFormat::Json => report::inspect::json(&run.project, out)?,
        InspectFormat::Yaml => report::inspect::yaml(&run.project, out)?,
        InspectFormat::Human => report::inspect::human(&run.project, out)?,
    }
    Ok(tell_troubles(&run, options.files.reading.verbose))
}
