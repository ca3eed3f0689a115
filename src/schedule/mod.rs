//! The arithmetic of policies. Pure functions, exact, without overflow.
