//! The numbers of a call path, from its innermost layer to its outermost.

use super::{LayerSource, Path, PathLayer, ProjectFile, Stack, StackLayer};
use crate::model::{Backoff, Bound, DeadlineEffect, Duration, Layer, Origin, Pacing, Setting};
use crate::schedule::Repeats;

/// Where a value of a stack comes from that retrylint.toml gives.
const DECLARED: &str = "declared in retrylint.toml";

/// A layer with what the arithmetic needs of it.
struct Member<'p> {
    name: String,
    layer: Layer,
    source: LayerSource,
    attempts: Setting<u64>,
    repeats: Repeats<'p>,
    timeout: Setting<Duration>,
    deadline: Setting<Duration>,
}

/// Works a call path out.
pub(super) fn stack(files: &[ProjectFile], path: Path) -> Stack {
    let waitless = Backoff::none(DECLARED);
    let members: Vec<_> =
        path.layers.into_iter().filter_map(|layer| member(files, layer, &waitless)).collect();
    let whole = path.deadline.map_or(Bound::Unlimited, Bound::At);
    let lengths = lengths(&members);
    let mut slow = Bound::At(1);
    let mut layers = Vec::new();
    let mut above = whole;
    for (member, (attempt, demand, worst_case)) in members.iter().zip(lengths) {
        let first = if layers.is_empty() { whole } else { Bound::Unlimited };
        let starts = fewer(
            member.repeats.started(Duration::ZERO),
            member.repeats.started_before(first, Duration::ZERO),
        );
        slow = product(slow, slow_starts(&member.repeats, attempt, above));
        above = attempt;
        layers.push(StackLayer {
            name: member.name.clone(),
            layer: member.layer,
            source: member.source,
            joint: path.joints.get(layers.len()).cloned().flatten(),
            attempts: member.attempts.clone(),
            timeout: member.timeout.clone(),
            deadline: member.deadline.clone(),
            starts,
            attempt,
            demand,
            worst_case,
        });
    }
    let outermost = layers.first();
    let (demand, longest) =
        outermost.map_or((Bound::Unknown, Bound::Unknown), |layer| (layer.demand, layer.worst_case));
    let deadline = match (path.deadline, members.first()) {
        (Some(deadline), _) => Setting::new(Bound::At(deadline), Origin::Declared(DECLARED.into())),
        (None, Some(member)) => member.deadline.clone(),
        (None, None) => Setting::unlimited("nothing sets one"),
    };
    Stack {
        name: path.name,
        declared: path.declared,
        deadline,
        max_attempts: path.max_attempts,
        fail_fast_calls: layers.iter().map(|layer| layer.starts).fold(Bound::At(1), product),
        slow_fail_calls: slow,
        demand,
        worst_case: cut(longest, whole),
        layers,
    }
}

/// None where the layer is not in the files.
fn member<'p>(files: &'p [ProjectFile], layer: PathLayer, waitless: &'p Backoff) -> Option<Member<'p>> {
    let plain = |attempts, deadline| Repeats {
        attempts,
        backoff: waitless,
        pacing: Pacing::AfterFailure,
        deadline,
        deadline_effect: DeadlineEffect::Cuts,
    };
    Some(match layer {
        PathLayer::Found(source @ LayerSource::Policy { file, policy }) => {
            let policy = files.get(file)?.facts.policies.get(policy)?;
            Member {
                name: policy.name.clone(),
                layer: policy.layer,
                source,
                attempts: policy.attempts.clone(),
                repeats: Repeats::of(policy),
                timeout: policy.attempt_timeout.clone(),
                deadline: policy.deadline.clone(),
            }
        }
        PathLayer::Found(source @ LayerSource::Queue { file, queue }) => {
            let queue = files.get(file)?.facts.queues.get(queue)?;
            Member {
                name: queue.name.clone(),
                layer: Layer::Queue,
                source,
                attempts: queue.receives.clone(),
                repeats: plain(queue.receives.bound, Bound::Unlimited),
                timeout: queue.window.clone(),
                deadline: Setting::unlimited("a queue redelivers without a deadline"),
            }
        }
        PathLayer::Found(LayerSource::Foreign) => return None,
        PathLayer::Foreign { name, attempts, attempt_timeout, deadline } => {
            let declared = |value| Setting::new(value, Origin::Declared(DECLARED.into()));
            let deadline =
                deadline.map_or_else(|| Setting::unlimited("none is declared"), |at| declared(Bound::At(at)));
            Member {
                name,
                layer: Layer::Client,
                source: LayerSource::Foreign,
                attempts: Setting::new(Bound::At(attempts), Origin::Declared(DECLARED.into())),
                repeats: plain(Bound::At(attempts), deadline.bound),
                timeout: attempt_timeout.map_or_else(
                    || Setting::unknown("none is declared", None),
                    |time| declared(Bound::At(time)),
                ),
                deadline,
            }
        }
    })
}

/// Length of one attempt, demand and worst case of each layer.
fn lengths(members: &[Member<'_>]) -> Vec<(Bound<Duration>, Bound<Duration>, Bound<Duration>)> {
    let mut lengths = Vec::new();
    let mut below = None;
    for member in members.iter().rev() {
        let attempt =
            below.map_or(member.timeout.bound, |worst_case| shorter(member.timeout.bound, worst_case));
        let worst_case = member.repeats.worst_case(attempt);
        lengths.push((attempt, member.repeats.demand(attempt), worst_case));
        below = Some(worst_case);
    }
    lengths.reverse();
    lengths
}

/// The attempts of a layer that start within its deadline and before the attempt of the layer above is
/// over, if each takes its full length. One that never ends is the last.
fn slow_starts(repeats: &Repeats<'_>, attempt: Bound<Duration>, above: Bound<Duration>) -> Bound<u64> {
    match attempt {
        Bound::At(length) => fewer(repeats.started(length), repeats.started_before(above, length)),
        Bound::Unlimited => fewer(repeats.attempts, Bound::At(1)),
        Bound::Unknown => match (repeats.attempts, repeats.deadline, above) {
            (Bound::At(0 | 1), ..) | (_, Bound::Unlimited, Bound::Unlimited) => repeats.attempts,
            _ => Bound::Unknown,
        },
    }
}

/// The shorter of two times that both hold; one that is not known is left out.
fn shorter(one: Bound<Duration>, other: Bound<Duration>) -> Bound<Duration> {
    match (one, other) {
        (Bound::At(a), Bound::At(b)) => Bound::At(a.min(b)),
        (Bound::At(a), _) | (_, Bound::At(a)) => Bound::At(a),
        (Bound::Unlimited, Bound::Unlimited) => Bound::Unlimited,
        _ => Bound::Unknown,
    }
}

fn cut(time: Bound<Duration>, deadline: Bound<Duration>) -> Bound<Duration> {
    match (time, deadline) {
        (Bound::At(time), Bound::At(deadline)) => Bound::At(time.min(deadline)),
        (_, Bound::At(deadline)) => Bound::At(deadline),
        (time, _) => time,
    }
}

/// The fewer of two counts that both hold.
fn fewer(one: Bound<u64>, other: Bound<u64>) -> Bound<u64> {
    match (one, other) {
        (Bound::At(a), Bound::At(b)) => Bound::At(a.min(b)),
        (Bound::Unlimited, count) | (count, Bound::Unlimited) => count,
        _ => Bound::Unknown,
    }
}

fn product(one: Bound<u64>, other: Bound<u64>) -> Bound<u64> {
    match (one, other) {
        (Bound::At(a), Bound::At(b)) => Bound::At(a.saturating_mul(b)),
        (Bound::Unlimited, _) | (_, Bound::Unlimited) => Bound::Unlimited,
        _ => Bound::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DeadlineEffect, Growth, Policy};
    use crate::source::Place;
    use crate::stack::samples::{file, policy, queue};
    use crate::stack::{DeclaredLayer, DeclaredStack, Project, Selector, build};

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn at(pointer: &str) -> DeclaredLayer {
        let policy = Some(pointer.to_string());
        DeclaredLayer::Policy(Selector { file: "a.toml".into(), policy, place: Place::default() })
    }

    fn declared(deadline: Option<u64>, layers: Vec<DeclaredLayer>) -> DeclaredStack {
        let place = Place { line: 7, ..Place::default() };
        DeclaredStack { name: "shop".into(), place, deadline: deadline.map(secs), max_attempts: None, layers }
    }

    fn only(project: &Project) -> &Stack {
        assert!(project.lost_layers.is_empty(), "{:?}", project.lost_layers);
        &project.stacks[0]
    }

    /// Attempts with a wait of so many milliseconds between them, and a timeout of one in seconds.
    fn repeated(
        pointer: &str,
        attempts: u64,
        wait: u64,
        timeout: Option<u64>,
        deadline: Option<u64>,
    ) -> Policy {
        let place = Place::default();
        let some = |time: Option<u64>| {
            time.map_or_else(|| Setting::unlimited("nothing"), |time| Setting::written(secs(time), place))
        };
        Policy {
            attempts: Setting::written(attempts, place),
            backoff: Backoff {
                growth: Growth::Constant,
                initial: Setting::written(Duration::from_millis(wait), place),
                ..Backoff::none("nothing")
            },
            attempt_timeout: some(timeout),
            deadline: some(deadline),
            ..policy("p", pointer)
        }
    }

    #[test]
    fn three_layers_of_three_are_27_calls() {
        let policies = ["/a", "/b", "/c"].map(|pointer| repeated(pointer, 3, 100, Some(2), None)).to_vec();
        let stack = declared(None, vec![at("/a"), at("/b"), at("/c")]);
        let project = build(vec![file("a.toml", policies, vec![])], &[stack]);
        let stack = only(&project);
        assert_eq!(stack.fail_fast_calls, Bound::At(27));
        // innermost: 3 × 2 s + 200 ms; the layers above it wait 2 s for it
        assert_eq!(stack.layers[2].worst_case, Bound::At(Duration::from_millis(6_200)));
        assert_eq!(stack.layers[1].attempt, Bound::At(secs(2)));
        assert_eq!(stack.demand, Bound::At(Duration::from_millis(6_200)));
        // within 2 s one attempt of 2 s starts in each layer below the first
        assert_eq!(stack.slow_fail_calls, Bound::At(3));
        assert_eq!(stack.declared.map(|place| place.line), Some(7));
    }

    #[test]
    fn an_attempt_of_a_layer_without_timeout_is_as_long_as_the_layer_below() {
        let policies = vec![repeated("/a", 2, 0, None, None), repeated("/b", 2, 1_000, Some(3), None)];
        let project =
            build(vec![file("a.toml", policies, vec![])], &[declared(None, vec![at("/a"), at("/b")])]);
        let stack = only(&project);
        assert_eq!(stack.layers[0].attempt, Bound::At(secs(7)));
        assert_eq!(stack.demand, Bound::At(secs(14)));
        assert_eq!(stack.slow_fail_calls, Bound::At(4));
    }

    #[test]
    fn a_deadline_of_the_stack_cuts_the_whole_and_is_its_own() {
        let policies = vec![repeated("/a", 5, 1_000, Some(3), Some(60))];
        let project = build(vec![file("a.toml", policies, vec![])], &[declared(Some(4), vec![at("/a")])]);
        let stack = only(&project);
        assert_eq!(stack.deadline.bound, Bound::At(secs(4)));
        assert_eq!((stack.demand, stack.worst_case), (Bound::At(secs(19)), Bound::At(secs(4))));
        assert_eq!(
            stack.fail_fast_calls,
            Bound::At(4),
            "starts at 0, 1, 2 and 3 s; the one at 4 s is too late"
        );
        assert_eq!(stack.slow_fail_calls, Bound::At(1));
    }

    #[test]
    fn without_a_deadline_of_its_own_a_stack_has_that_of_its_outermost_layer() {
        let policies = vec![repeated("/a", 2, 0, Some(3), Some(5)), repeated("/b", 2, 0, Some(1), Some(60))];
        let project =
            build(vec![file("a.toml", policies, vec![])], &[declared(None, vec![at("/a"), at("/b")])]);
        let stack = only(&project);
        assert_eq!(stack.deadline.bound, Bound::At(secs(5)));
        assert_eq!(stack.worst_case, Bound::At(secs(4)));
    }

    #[test]
    fn unknown_and_unlimited_stay_apart() {
        let mut unknown = repeated("/u", 2, 0, None, None);
        unknown.attempt_timeout = Setting::unknown("an expression", None);
        let mut endless = repeated("/e", 2, 0, Some(1), None);
        endless.attempts.bound = Bound::Unlimited;
        let files = || vec![file("a.toml", vec![unknown.clone(), endless.clone()], vec![])];
        let project =
            build(files(), &[declared(None, vec![at("/u")]), declared(None, vec![at("/u"), at("/e")])]);
        assert_eq!(project.stacks[0].demand, Bound::Unknown);
        assert_eq!(project.stacks[0].fail_fast_calls, Bound::At(2));
        assert_eq!(project.stacks[0].slow_fail_calls, Bound::At(2));
        assert_eq!(project.stacks[1].fail_fast_calls, Bound::Unlimited);
        assert_eq!(project.stacks[1].demand, Bound::Unknown, "an unknown timeout over an endless layer");
    }

    #[test]
    fn a_deadline_that_stops_lets_the_last_attempt_go_on() {
        let mut policy = repeated("/a", 9, 1_000, Some(3), Some(5));
        policy.deadline_effect = DeadlineEffect::Stops;
        let project = build(vec![file("a.toml", vec![policy], vec![])], &[declared(None, vec![at("/a")])]);
        assert_eq!(only(&project).worst_case, Bound::At(secs(8)));
        assert_eq!(only(&project).slow_fail_calls, Bound::At(2));
    }

    #[test]
    fn a_queue_counts_its_receives_and_a_foreign_layer_what_is_declared() {
        let foreign = DeclaredLayer::Foreign {
            name: "mobile app".into(),
            attempts: 3,
            attempt_timeout: Some(secs(10)),
            deadline: None,
        };
        let files =
            vec![file("a.toml", vec![repeated("/w", 2, 0, Some(1), None)], vec![queue("Orders", "/q")])];
        let project = build(files, &[declared(None, vec![foreign, at("/q"), at("/w")])]);
        let stack = only(&project);
        assert_eq!(stack.fail_fast_calls, Bound::At(30), "3 × 5 receives × 2");
        assert_eq!(stack.layers[0].attempts.origin, Origin::Declared(DECLARED.into()));
        assert_eq!(stack.layers[1].layer, Layer::Queue);
        assert_eq!(stack.layers[1].demand, Bound::At(secs(10)), "5 receives of 2 s");
    }

    #[test]
    fn a_stack_with_a_lost_layer_is_not_worked_out() {
        let files = vec![file("a.toml", vec![repeated("/w", 2, 0, Some(1), None)], vec![])];
        let project = build(files, &[declared(None, vec![at("/w"), at("/wrong")])]);
        assert!(project.stacks.is_empty());
        assert_eq!(project.lost_layers[0].candidates, ["a.toml#/w"]);
        assert_eq!(project.lost_layers[0].stack, "shop");
    }
}
