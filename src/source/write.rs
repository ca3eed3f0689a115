//! A file's new text.

use super::discover::absolute;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Puts a text in the place of another, at once: whoever reads the file sees one of the two. The mode is
/// kept. Nothing is written where the file is read-only, has changed since it was read, or is reached by a
/// symbolic link: its own, or one that leads out of the current folder. The error says which.
pub fn replace(path: &Path, before: &str, after: &str) -> Result<(), String> {
    let told = |error: io::Error| error.to_string();
    let metadata = fs::symlink_metadata(path).map_err(told)?;
    if !metadata.is_file() {
        return Err("it is no regular file but a link, and is not written through".into());
    }
    let here = std::env::current_dir().and_then(fs::canonicalize).map_err(told)?;
    let below = absolute(path).starts_with(std::env::current_dir().map_err(told)?);
    if below && !fs::canonicalize(path).map_err(told)?.starts_with(here) {
        return Err("a link on the way leads out of the current folder, and is not written through".into());
    }
    if metadata.permissions().readonly() {
        return Err("it is read-only".into());
    }
    if fs::read(path).map_err(told)? != before.as_bytes() {
        return Err("it has changed since it was read".into());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.retrylint-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside).map_err(told)?;
    let written = file
        .write_all(after.as_bytes())
        .and_then(|()| file.set_permissions(metadata.permissions()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        error.to_string()
    })
}
