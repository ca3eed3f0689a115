//! Comments that speak to retrylint: `retrylint: deadline=2s`, `retrylint: ignore[rule] -- reason`.

use super::notation::{self, Amount};
use super::{Annotation, Says, Suppression, secret};
use crate::document::Comment;
use std::collections::HashMap;

/// What each of them starts with.
pub const MARK: &str = "retrylint:";
const ALLOWED: &str = "write `deadline=2s`, `ignore[rule] -- reason` or `ignore-file[rule] -- reason`";

/// The annotations among a file's comments, in their order.
pub fn parse(comments: &[Comment]) -> Vec<Annotation> {
    let spoken = |comment: &Comment| comment.text.strip_prefix(MARK).map(says);
    if !comments.iter().any(|comment| comment.text.starts_with(MARK)) {
        return Vec::new();
    }
    let lines_after = lines_after(comments);
    let annotations = comments.iter().filter_map(|comment| {
        let own = comment.place.line;
        let line = if comment.own_line { lines_after.get(&own).copied().unwrap_or(own) } else { own };
        Some(Annotation { place: comment.place, line, says: spoken(comment)? })
    });
    annotations.collect()
}

/// For the line of each comment that has lines of its own: the first line after it, and after those that
/// follow it without a gap.
fn lines_after(comments: &[Comment]) -> HashMap<u32, u32> {
    let mut own: Vec<_> = comments.iter().filter(|comment| comment.own_line).map(|c| c.place).collect();
    own.sort_unstable_by_key(|place| std::cmp::Reverse((place.line, place.end_line)));
    let mut after = HashMap::new();
    for place in own {
        let next = place.end_line.max(place.line).saturating_add(1);
        let next = after.get(&next).copied().unwrap_or(next);
        after.insert(place.line, next);
    }
    after
}

fn says(text: &str) -> Says {
    let (order, reason) = match text.split_once("--") {
        Some((order, reason)) => (order.trim(), Some(reason.trim()).filter(|reason| !reason.is_empty())),
        None => (text.trim(), None),
    };
    let reason = reason.map(str::to_owned);
    let word_end = order.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(order.len());
    let (word, rest) = order.split_at(word_end);
    let said = match word {
        "ignore" => rules(rest).map(|rules| Says::Ignore(Suppression { rules, reason })),
        "ignore-file" => rules(rest).map(|rules| Says::IgnoreFile(Suppression { rules, reason })),
        "deadline" => deadline(rest),
        "" => Err(Wrong::of("", |_| "it says nothing that is known".into())),
        _ => Err(Wrong::of(word, |word| format!("{word} is not known"))),
    };
    said.unwrap_or_else(|Wrong { message, hidden }| Says::Unclear {
        message: format!("{message}; {ALLOWED}"),
        hidden: hidden || !order.split(MARKS).all(|word| secret::is_plain("", word)),
    })
}

/// What stands between the words of an annotation.
const MARKS: [char; 7] = [' ', '\t', '[', ']', '=', ':', ','];

/// What is wrong with an annotation.
struct Wrong {
    message: String,
    /// What it says is not repeated.
    hidden: bool,
}

impl Wrong {
    /// `says` takes what is written, as it may be repeated.
    fn of(written: &str, says: impl FnOnce(String) -> String) -> Self {
        let hidden = !secret::is_plain("", written);
        Self { message: says(secret::quoted('`', "", written)), hidden }
    }
}

/// `[rule, rule]`, or nothing for all.
fn rules(text: &str) -> Result<Vec<String>, Wrong> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let rules: Vec<_> = list
        .ok_or_else(|| Wrong::of(text, |text| format!("{text} is no list of rules in brackets")))?
        .split(',')
        .map(|rule| rule.trim().to_owned())
        .collect();
    match rules.iter().find(|rule| !rule.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')) {
        Some(rule) => Err(Wrong::of(rule, |rule| format!("{rule} is no rule"))),
        None if rules.iter().any(String::is_empty) => {
            Err(Wrong::of("", |_| "a rule is missing in the brackets".into()))
        }
        None => Ok(rules),
    }
}

/// `=2s`
fn deadline(text: &str) -> Result<Says, Wrong> {
    let value = text.trim_start().strip_prefix('=').map(str::trim).unwrap_or_default();
    if value.is_empty() {
        return Err(Wrong::of("", |_| "the deadline has no value".into()));
    }
    let wrong = match notation::any(value) {
        Ok(Amount::Time(deadline)) => return Ok(Says::Deadline(deadline)),
        Ok(Amount::NoLimit) => "is none".to_string(),
        Ok(Amount::Bare(_)) => "has no unit".to_string(),
        // what is wrong may be told with a part of it
        Err(error) if secret::is_plain("", value) => error.to_string(),
        Err(_) => "is no duration".to_string(),
    };
    Err(Wrong::of(value, |shown| format!("the deadline {shown} {wrong}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Duration;
    use crate::source::Place;

    fn comment(line: u32, own_line: bool, text: &str) -> Comment {
        let place = Place { line, end_line: line, ..Place::default() };
        Comment { place, text: text.into(), own_line }
    }

    fn said(text: &str) -> Says {
        parse(&[comment(1, false, text)]).remove(0).says
    }

    fn suppression(rules: &[&str], reason: Option<&str>) -> Suppression {
        Suppression {
            rules: rules.iter().map(|rule| rule.to_string()).collect(),
            reason: reason.map(str::to_owned),
        }
    }

    #[test]
    fn deadlines_and_suppressions_are_read() {
        assert_eq!(said("retrylint: deadline=2s"), Says::Deadline(Duration::from_secs(2)));
        assert_eq!(
            said("retrylint:deadline = 1m30s -- the caller's"),
            Says::Deadline(Duration::from_secs(90))
        );
        let reason = Some("one client only");
        assert_eq!(
            said("retrylint: ignore[missing-jitter, missing-backoff] -- one client only"),
            Says::Ignore(suppression(&["missing-jitter", "missing-backoff"], reason))
        );
        assert_eq!(said("retrylint: ignore"), Says::Ignore(suppression(&[], None)));
        assert_eq!(
            said("retrylint: ignore-file -- generated"),
            Says::IgnoreFile(suppression(&[], Some("generated")))
        );
        assert_eq!(
            said("retrylint: ignore-file[unsafe-retry] --"),
            Says::IgnoreFile(suppression(&["unsafe-retry"], None))
        );
    }

    #[test]
    fn anything_else_is_unclear_and_told_so() {
        for (text, wrong) in [
            ("retrylint:", "it says nothing that is known"),
            ("retrylint: ignroe[missing-jitter]", "`ignroe` is not known"),
            ("retrylint: ignore missing-jitter", "`missing-jitter` is no list of rules in brackets"),
            ("retrylint: ignore[]", "a rule is missing in the brackets"),
            ("retrylint: ignore[Missing Jitter]", "a text of 14 characters is no rule"),
            ("retrylint: deadline", "the deadline has no value"),
            ("retrylint: deadline: 2s", "the deadline has no value"),
            ("retrylint: deadline=2", "the deadline `2` has no unit"),
            ("retrylint: deadline=never", "the deadline `never` is none"),
            ("retrylint: deadline=1M", "the deadline `1M` is a month at best; a minute is a small `m`"),
        ] {
            let unclear = |hidden| Says::Unclear { message: format!("{wrong}; {ALLOWED}"), hidden };
            assert_eq!(said(text), unclear(wrong.starts_with("a text")), "{text}");
        }
    }

    #[test]
    fn what_may_be_a_secret_is_not_repeated() {
        for (text, wrong) in [
            ("retrylint: deadline=hunter2!", "the deadline a text of 8 characters is no duration"),
            ("retrylint: deadline=5 hunter!", "the deadline a text of 9 characters is no duration"),
            ("retrylint: ignore[a!b]", "a text of 3 characters is no rule"),
            ("retrylint: ignore a!b", "a text of 3 characters is no list of rules in brackets"),
            ("retrylint: deadline: a!b", "the deadline has no value"),
        ] {
            let unclear = Says::Unclear { message: format!("{wrong}; {ALLOWED}"), hidden: true };
            assert_eq!(said(text), unclear, "{text}");
        }
    }

    #[test]
    fn other_comments_are_passed_over() {
        assert!(
            parse(&[comment(1, true, "see retrylint: ignore"), comment(2, true, "retrylint")]).is_empty()
        );
    }

    #[test]
    fn comments_in_a_row_are_about_the_line_after_them() {
        let lines = |comments: &[Comment]| parse(comments).iter().map(|a| a.line).collect::<Vec<_>>();
        let comments = [
            comment(3, true, "retrylint: ignore"),
            comment(4, true, "why: see below"),
            comment(5, true, "retrylint: deadline=2s"),
            comment(7, false, "retrylint: ignore"),
            comment(8, true, "retrylint: ignore"),
        ];
        assert_eq!(lines(&comments), [6, 6, 7, 9]);
    }
}
