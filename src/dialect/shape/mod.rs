//! Shapes that several systems share.
