//! The steps of RFC 6901 pointers.

use std::borrow::Cow;

/// A key as a step: `~` is `~0`, `/` is `~1`.
pub(super) fn escape(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1").into() } else { key.into() }
}
