//! Where files are read from.

use super::discover::{Discovered, Found, Search, absolute, discover};
use super::git::{Blob, Revision};
use super::prefilter::Prefilter;
use super::read::{self, Content};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The disk, or a git revision.
#[derive(Debug)]
pub enum Tree {
    /// The disk, with the files that are as a revision has them.
    Disk(BTreeMap<PathBuf, Blob>),
    /// A revision.
    Revision(Box<Revision>),
}

impl Default for Tree {
    fn default() -> Self {
        Self::Disk(BTreeMap::new())
    }
}

impl Tree {
    /// The files at and below the paths that were asked for.
    pub fn discover(&self, search: &Search<'_>) -> Discovered {
        match self {
            Self::Disk(_) => discover(search),
            Self::Revision(revision) => revision.discover(search),
        }
    }

    /// Whether there is such a file.
    pub fn is_file(&self, path: &Path) -> bool {
        match self {
            Self::Disk(_) => path.is_file(),
            Self::Revision(revision) => revision.is_file(path),
        }
    }

    /// The git object that holds what the file does; None where that is not known.
    pub fn blob(&self, path: &Path) -> Option<&Blob> {
        match self {
            Self::Disk(unchanged) if unchanged.is_empty() => None,
            Self::Disk(unchanged) => unchanged.get(&absolute(path)),
            Self::Revision(revision) => revision.blob(path),
        }
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk(_) => std::fs::read(path),
            Self::Revision(revision) => revision.bytes(path),
        }
    }

    /// The text of a file.
    pub fn text(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.bytes(path)?).map_err(|_| io::Error::other("it is no UTF-8"))
    }

    /// Reads files of at most `limit` bytes that hold one of the words of their filter, and makes something of
    /// each; in no order.
    pub fn each<'f, T: Send>(
        &self,
        files: &[&Found],
        limit: u64,
        filter: &(dyn Fn(&Found) -> &'f Prefilter + Sync),
        make: impl Fn(&Found, io::Result<Content>) -> T + Sync,
    ) -> Vec<T> {
        match self {
            Self::Disk(_) => {
                let one = |found: &&Found| make(found, read::file(&found.path, limit, filter(found)));
                files.par_iter().map(one).collect()
            }
            Self::Revision(revision) => revision.each(files, limit, filter, make),
        }
    }
}
