//! A setting: its value and where that comes from.

use crate::source::Place;
use std::borrow::Cow;

/// A value that may also be known not to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound<T> {
    /// This much.
    At(T),
    /// No limit: endless attempts, no timeout, a queue without dead-lettering.
    Unlimited,
    /// There may be one, but the files do not say which.
    Unknown,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Written here.
    Written(Place),
    /// Nothing is written; this is what the system takes ("Istio's default").
    Default(Cow<'static, str>),
    /// Written elsewhere in the file, for more than this policy (Globals, a base config).
    Inherited(Place),
    /// Declared by the user in retrylint.toml or in a comment, for what the files do not say.
    Declared(Cow<'static, str>),
    /// Taken by a convention or a guess, which the text names ("a bare number under 1000 is seconds").
    Assumed(Cow<'static, str>, Option<Place>),
    /// What the file says for the case that nobody says otherwise at the deployment: "the default of the parameter
    /// WorkerTimeout".
    Fallback(Cow<'static, str>, Place),
    /// Not known, and why ("the parameter WorkerTimeout has no default").
    Unknown(Cow<'static, str>, Option<Place>),
}

/// A value with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value; where the file has several, [`Bound::Unknown`] unless they all agree.
    pub bound: Bound<T>,
    /// Where it comes from.
    pub origin: Origin,
    /// The values under conditions that the file leaves open (`Fn::If`); empty where there are none.
    pub branches: Vec<Branch<T>>,
}

/// A value that holds under conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch<T> {
    /// The conditions' names, and whether each is met.
    pub when: Vec<(String, bool)>,
    /// The value then.
    pub bound: Bound<T>,
    /// Where it comes from then.
    pub origin: Origin,
}

impl<T> Setting<T> {
    /// A setting without branches.
    pub fn new(bound: Bound<T>, origin: Origin) -> Self {
        Self { bound, origin, branches: Vec::new() }
    }

    /// Written at a place.
    pub fn written(value: T, place: Place) -> Self {
        Self::new(Bound::At(value), Origin::Written(place))
    }

    /// What a system takes where nothing is written; `whose` as in "Istio's default".
    pub fn default(value: T, whose: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Bound::At(value), Origin::Default(whose.into()))
    }

    /// Nothing is written, and then there is no limit.
    pub fn unlimited(whose: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Bound::Unlimited, Origin::Default(whose.into()))
    }

    /// Not known, and why.
    pub fn unknown(why: impl Into<Cow<'static, str>>, place: Option<Place>) -> Self {
        Self::new(Bound::Unknown, Origin::Unknown(why.into(), place))
    }

    /// The same origin with another value.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> Setting<U> {
        let branches = self.branches.into_iter().map(|branch| Branch {
            when: branch.when,
            bound: branch.bound.map(&change),
            origin: branch.origin,
        });
        Setting { branches: branches.collect(), bound: self.bound.map(&change), origin: self.origin }
    }
}

impl<T: Copy> Setting<T> {
    /// The value, where there is one and it is known.
    pub fn at(&self) -> Option<T> {
        self.bound.at()
    }

    /// Known to have no limit.
    pub fn is_unlimited(&self) -> bool {
        matches!(self.bound, Bound::Unlimited)
    }

    /// Not known.
    pub fn is_unknown(&self) -> bool {
        matches!(self.bound, Bound::Unknown)
    }

    /// Written in this file, for this policy or a wider part.
    pub fn is_written(&self) -> bool {
        matches!(self.origin, Origin::Written(_) | Origin::Inherited(_))
    }

    /// The value and origin when the conditions of `assignment` are as it says; a condition that it
    /// does not name may be either way, and then the first branch that fits counts.
    pub fn under(&self, assignment: &[(String, bool)]) -> (Bound<T>, &Origin) {
        let fits = |branch: &&Branch<T>| {
            branch
                .when
                .iter()
                .all(|(name, met)| assignment.iter().all(|(other, value)| other != name || value == met))
        };
        self.branches
            .iter()
            .find(fits)
            .map_or((self.bound, &self.origin), |branch| (branch.bound, &branch.origin))
    }
}

impl<T> Bound<T> {
    /// The same bound with another value.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> Bound<U> {
        match self {
            Self::At(value) => Bound::At(change(value)),
            Self::Unlimited => Bound::Unlimited,
            Self::Unknown => Bound::Unknown,
        }
    }
}

impl<T: Copy> Bound<T> {
    /// The value, where there is one and it is known.
    pub fn at(self) -> Option<T> {
        match self {
            Self::At(value) => Some(value),
            Self::Unlimited | Self::Unknown => None,
        }
    }
}

impl Origin {
    /// The word that the JSON output has for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Written(_) => "written",
            Self::Default(_) => "default",
            Self::Inherited(_) => "inherited",
            Self::Declared(_) | Self::Assumed(..) | Self::Fallback(..) => "assumed",
            Self::Unknown(..) => "unknown",
        }
    }

    /// The place in the policy's own file, where there is one.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Written(place) | Self::Inherited(place) | Self::Fallback(_, place) => Some(*place),
            Self::Assumed(_, place) | Self::Unknown(_, place) => *place,
            Self::Default(_) | Self::Declared(_) => None,
        }
    }

    /// May not be what holds.
    pub fn is_assumed(&self) -> bool {
        matches!(self, Self::Assumed(..) | Self::Fallback(..))
    }

    /// Rests on a convention or a guess.
    pub fn is_guess(&self) -> bool {
        matches!(self, Self::Assumed(..))
    }

    /// What the system ships, with nothing written.
    pub fn is_default(&self) -> bool {
        matches!(self, Self::Default(_))
    }
}
