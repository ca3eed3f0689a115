//! Which files of a change are others under a new name.

use std::collections::{BTreeMap, HashMap};

/// A file's name and text.
pub type Named = (String, String);

/// Pairs of files above this number are only compared whole.
const MOST_PAIRS: usize = 10_000;

/// The old names of added files, by their new ones: of a removed file with the same text, or else of the
/// one that shares most with it, if that is at least half of both.
pub fn renames(removed: &[Named], added: &[Named]) -> BTreeMap<String, String> {
    let mut renamed = BTreeMap::new();
    let mut free = vec![true; removed.len()];
    // the same file name tells which of several equal ones it was
    for key in [
        |(path, text): &Named| (file_name(path).to_string(), text.clone()),
        |(_, text): &Named| (String::new(), text.clone()),
    ] {
        let mut same: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for (at, file) in removed.iter().enumerate().rev().filter(|(at, _)| free[*at]) {
            same.entry(key(file)).or_default().push(at);
        }
        for file in added {
            if renamed.contains_key(&file.0) {
                continue;
            }
            if let Some(at) = same.get_mut(&key(file)).and_then(Vec::pop) {
                free[at] = false;
                renamed.insert(file.0.clone(), removed[at].0.clone());
            }
        }
    }
    let left = |taken: &dyn Fn(usize) -> bool, files: &[Named]| -> Vec<(usize, HashMap<String, usize>)> {
        let open = files.iter().enumerate().filter(|(at, _)| !taken(*at));
        open.map(|(at, (_, text))| (at, lines(text))).collect()
    };
    let olds = left(&|at| !free[at], removed);
    let news = left(&|at| renamed.contains_key(&added[at].0), added);
    if olds.len() * news.len() > MOST_PAIRS {
        return renamed;
    }
    let mut pairs = Vec::new();
    for (new, its) in &news {
        for (old, theirs) in &olds {
            let shared: usize =
                its.iter().map(|(line, count)| line.len() * count.min(theirs.get(line).unwrap_or(&0))).sum();
            let whole =
                |lines: &HashMap<String, usize>| lines.iter().map(|(l, n)| l.len() * n).sum::<usize>();
            if shared > 0 && 2 * shared >= whole(its).max(whole(theirs)) {
                let other_name = file_name(&removed[*old].0) != file_name(&added[*new].0);
                pairs.push((std::cmp::Reverse(shared), other_name, *old, *new));
            }
        }
    }
    pairs.sort_unstable();
    for (.., old, new) in pairs {
        if free[old] && !renamed.contains_key(&added[new].0) {
            free[old] = false;
            renamed.insert(added[new].0.clone(), removed[old].0.clone());
        }
    }
    renamed
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// How often each line stands in a text, without the blanks around it.
fn lines(text: &str) -> HashMap<String, usize> {
    let mut lines = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *lines.entry(line.to_string()).or_default() += 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(removed: &[(&str, &str)], added: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |files: &[(&str, &str)]| -> Vec<Named> {
            files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
        };
        renames(&owned(removed), &owned(added)).into_iter().collect()
    }

    #[test]
    fn a_file_with_the_same_or_much_the_same_text_is_the_same_file() {
        let pair = |new: &str, old: &str| (new.to_string(), old.to_string());
        assert_eq!(found(&[("a", "x\ny\n")], &[("b", "x\ny\n")]), [pair("b", "a")]);
        assert_eq!(found(&[("a", "x\ny\nz\n")], &[("b", "x\ny\nw\n")]), [pair("b", "a")]);
        assert_eq!(found(&[("a", "x\n")], &[("b", "w\n")]), []);
        let two = found(&[("a", "x\ny\n"), ("b", "x\ny\nz\n")], &[("c", "x\ny\nz\n"), ("d", "x\ny\nq\n")]);
        assert_eq!(two, [pair("c", "b"), pair("d", "a")]);
        let equal = found(&[("a/x", "1\n"), ("a/y", "1\n")], &[("b/y", "1\n"), ("b/z", "1\n")]);
        assert_eq!(equal, [pair("b/y", "a/y"), pair("b/z", "a/x")]);
    }

    #[test]
    fn files_of_nothing_are_no_pair_but_of_the_same_nothing() {
        assert_eq!(found(&[("a", "\n")], &[("b", " ")]), []);
    }
}
