//! A file's new text.

use super::discover::absolute;
use super::why;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

/// Puts a text in the place of another, at once: whoever reads the file sees one of the two. The mode is
/// kept. Nothing is written where the file is read-only, has changed since it was read, or is reached by a
/// symbolic link: its own, or one that leads out of the current folder. The error says which.
pub fn replace(path: &Path, before: &str, after: &str) -> Result<(), String> {
    let told = |error: io::Error| why(&error);
    let metadata = fs::symlink_metadata(path).map_err(told)?;
    if !metadata.is_file() {
        return Err("it is a link, which is not written through; name the file that it leads to".into());
    }
    let here = std::env::current_dir().and_then(fs::canonicalize).map_err(told)?;
    let below = absolute(path).starts_with(std::env::current_dir().map_err(told)?);
    if below && !fs::canonicalize(path).map_err(told)?.starts_with(here) {
        return Err(
            "a link on the way leads out of the current folder, and is not written through; run it there"
                .into(),
        );
    }
    if metadata.permissions().readonly() {
        return Err("it is read-only; make it writable first".into());
    }
    if fs::read(path).map_err(told)? != before.as_bytes() {
        return Err("it has changed since it was read; run it again".into());
    }
    put(path, after.as_bytes(), Some(metadata.permissions())).map_err(told)
}

/// Writes a text beside a file and puts it in the file's place, whole or not at all; what is no regular file is
/// written as it is.
pub fn put(path: &Path, text: &[u8], mode: Option<Permissions>) -> io::Result<()> {
    // a pipe or a terminal has no place of its own to be put into
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return fs::write(path, text);
    }
    // what is reached by a link stays where the link leads
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.retrylint-{}", std::process::id()));
    let mode = mode.or_else(|| Some(fs::metadata(path).ok()?.permissions()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = file
        .write_all(text)
        .and_then(|()| mode.map_or(Ok(()), |mode| file.set_permissions(mode)))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, path));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_replaced_stays_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.json");
        put(&path, b"one", None).unwrap();
        put(&path, b"two", None).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        let taken = folder.path().join("folder");
        fs::create_dir(&taken).unwrap();
        assert!(put(&taken, b"three", None).is_err());
        let mut left: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["b.json", "folder"]);
    }
}
