//! A secret that stands anywhere in a file is in no output of any command.

mod common;

use common::{Workspace, retrylint};
use std::process::Command;

/// What stands for a secret; the second looks like a token.
const SECRETS: [&str; 2] = ["s3cr3t!pw", "q7Xz0pL2mN8vB4kRt5Yw"];

/// A service with findings around a line, which may be any.
fn service(line: &str) -> (&'static str, String) {
    let text = format!(
        "[client]\n{line}\ntimeout_ms = 900\n[client.retry]\nmax_attempts = 5\ndelay_ms = 100\ndeadline_ms = 3000\n"
    );
    ("svc.toml", text)
}

fn setting(line: &str) -> (&'static str, String) {
    (
        "svc.toml",
        format!("[client]\ntimeout_ms = 900\n[client.retry]\n{line}\ndelay_ms = 100\ndeadline_ms = 3000\n"),
    )
}

fn route(lines: &str) -> (&'static str, String) {
    let text = format!(
        "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {{ name: pay }}\nspec:\n  hosts: [pay]\n  http:\n    - timeout: 5s\n      retries:\n        attempts: 3\n        {lines}\n      route: [{{ destination: {{ host: pay }} }}]\n"
    );
    ("pay.yaml", text)
}

fn calls(lines: &str) -> (&'static str, String) {
    let text = format!(
        "{{\"methodConfig\": [{{\"name\": [{{\"service\": \"a.B\"}}], \"timeout\": \"1s\", \"retryPolicy\": {{\"maxAttempts\": 4, {lines}, \"maxBackoff\": \"10s\", \"backoffMultiplier\": 2}}}}]}}"
    );
    ("grpc.json", text)
}

fn state(lines: &str) -> (&'static str, String) {
    let text = format!(
        "{{\"StartAt\": \"A\", \"States\": {{\"A\": {{\"Type\": \"Task\", \"Resource\": \"arn:aws:states:::lambda:invoke\", \"TimeoutSeconds\": 9, \"End\": true, \"Retry\": [{{{lines}, \"MaxAttempts\": 9}}]}}}}}}"
    );
    ("machine.asl.json", text)
}

fn template(line: &str) -> (&'static str, String) {
    let text = format!(
        "Parameters:\n  P: {{ Type: String, Default: \"X\" }}\nResources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      {line}\n      RedrivePolicy: {{ maxReceiveCount: 3, deadLetterTargetArn: x }}\n"
    );
    ("template.yaml", text)
}

fn workflow(line: &str) -> (&'static str, String) {
    let text = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{ name: w }}\nspec:\n  entrypoint: a\n  templates:\n    - name: a\n      container: {{ image: x }}\n      retryStrategy:\n        {line}\n"
    );
    ("workflow.yaml", text)
}

fn job(line: &str) -> (&'static str, String) {
    let text = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{ name: j }}\nspec:\n  {line}\n  template: {{ spec: {{ containers: [] }} }}\n"
    );
    ("job.yaml", text)
}

fn sink(line: &str) -> (&'static str, String) {
    (
        "vector.toml",
        format!("[sinks.out]\ntype = \"http\"\nuri = \"http://x\"\n[sinks.out.request]\n{line}\n"),
    )
}

fn spring(line: &str) -> (&'static str, String) {
    let text = format!(
        "resilience4j:\n  retry:\n    instances:\n      pay:\n        max-attempts: 3\n        {line}\n"
    );
    ("application.yml", text)
}

/// Files in which `X` is to stand for a secret.
fn forms() -> Vec<(&'static str, String)> {
    vec![
        service("password = \"X\""),
        service("db = { user = \"u\", pass = \"X\" }"),
        service("api_keys = [\"X\",\n \"X\"]"),
        service("url = \"postgres://app:X@db/x\""),
        service("dsn = \"app:X@tcp(db:3306)/x\""),
        service("addr = \"app:X@tcp(db:3306)/x\""),
        service("cmd = \"mysql -h db -pX\""),
        service("cmd = \"mysql -p X -h db\""),
        service("cmd = \"mongo -u u -p X\""),
        service("cmd = \"redis-cli -a X ping\""),
        service("cmd = [\"run\", \"--password\", \"X\"]"),
        service("cmd = \"run --password X\""),
        service("cmd = \"run --password=X\""),
        service("cmd = \"curl -u user:X http://x\""),
        service("cmd = \"curl --user user:X http://x\""),
        service("cmd = \"PGPASSWORD=X psql\""),
        service("h = \"Authorization: Bearer X\""),
        service("u = \"http://x/y?sig=X&z=1\""),
        service("# password X"),
        service("# the old password is X and of no use"),
        service("# pw: X"),
        service("#token=X"),
        service("a = 1 # secret X"),
        service("password = X"),
        service("password = \"X"),
        service("password = \"a\"\npassword = \"X\""),
        service("# retrylint: deadline=X!"),
        service("# retrylint: deadline: X!"),
        service("# retrylint: ignore[X!]"),
        service("# retrylint: ignore X!"),
        service("# retrylint: X!"),
        setting("max_attempts = \"X!\""),
        setting("max_attempts = [\"X!\"]"),
        setting("jitter = \"X!\""),
        setting("multiplier = \"X!\""),
        setting("initial_delay = \"5 X!\""),
        route("retryOn: \"X!\""),
        route("retryOn: \"5xx,X!\""),
        route("perTryTimeout: \"X!\""),
        route("perTryTimeout: [\"X!\"]"),
        route("perTryTimeout: |\n          X!\n          more"),
        route("backoff: \"X!\""),
        route("perTryTimeout: 2s\n        password: 'X"),
        route("perTryTimeout: 2s # token X"),
        calls("\"retryableStatusCodes\": [\"X!\"], \"initialBackoff\": \"1s\""),
        calls("\"retryableStatusCodes\": [\"UNAVAILABLE\"], \"initialBackoff\": \"X!\""),
        calls("\"retryableStatusCodes\": \"X!\", \"initialBackoff\": \"1s\""),
        state("\"ErrorEquals\": [\"States.ALL\"], \"IntervalSeconds\": \"X!\""),
        state("\"ErrorEquals\": [\"States.ALL\"], \"JitterStrategy\": \"X!\""),
        template("VisibilityTimeout: \"X!\""),
        template("VisibilityTimeout: !Ref P"),
        workflow("limit: \"X!\""),
        workflow("retryPolicy: \"X!\""),
        workflow("backoff: { duration: \"X!\" }"),
        job("backoffLimit: \"X!\""),
        sink("retry_attempts = \"X!\""),
        sink("timeout_secs = \"X!\""),
        spring("wait-duration: \"X!\""),
        spring("wait-duration: \"${PAUSE:X!}\""),
        service("url = \"http://x/${DB_PASSWORD:X}\""),
        spring("enable-exponential-backoff: \"X!\""),
    ]
}

/// What stands in a retrylint.toml, with `X` for a secret.
const SETTINGS: &[&str] = &[
    "fail-on = \"X!\"",
    "fail-on = { X = 1 }",
    "include = [\"[X!\"]",
    "baseline = [\"X!\"]",
    "[limits]\noutage = \"X!\"",
    "[limits]\noutage = \"5 X!\"",
    "[limits]\nattempt-product = \"X!\"",
    "[rules]\nmissing-jitter = \"X!\"",
    "[rules]\n\"X!\" = \"off\"",
    "[[deadline]]\npolicy = \"svc.toml\"\ndeadline = \"X!\"",
    "[[stack]]\nname = \"X!\"\nlayers = []",
    "[[stack]]\nname = \"a\"\nlayers = [{ name = \"b\", attempts = \"X!\" }]",
    "[[dialect]]\nname = \"X!\"\nfiles = []\npolicies = \"/a\"",
    "[[dialect]]\nname = \"a\"\nfiles = [\"[X!\"]\npolicies = \"/a\"",
    "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"X!\"",
    "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"/a\"\ncap = { value = \"5 X!\" }",
    "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"/a\"\ncap = { key = \"c\", unit = \"X!\" }",
    "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"/a\"\ncap = \"X!..\"",
    "[[dialect]]\nname = \"a\"\nfiles = [\"a\"]\npolicies = \"/a\"\nlayer = \"X!\"",
    "baseline = \"X!",
];

const COMMANDS: &[&str] = &[
    "check --all",
    "check --format json",
    "check --format sarif --show-suppressed",
    "check --format github",
    "check --format gitlab",
    "check --format junit",
    "check --format markdown",
    "check --pedantic --all --verbose",
    "check --diff --all",
    "inspect",
    "inspect --format json",
    "inspect --format yaml",
    "stacks",
    "stacks --format json",
    "stacks --format dot",
    "stacks --format mermaid",
    "stacks --candidates",
    "diff HEAD",
    "diff HEAD --format json",
    "diff HEAD --format markdown",
    "check --all --changed",
    "check --write-baseline known.json",
    "check --baseline known.json",
    "check --fix --format json",
];

fn git(workspace: &Workspace, arguments: &[&str]) {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let done = Command::new("git").current_dir(workspace.path()).args(settings).args(arguments).output();
    assert!(done.expect("git").status.success(), "{arguments:?}");
}

/// Everything that a command says.
fn said(workspace: &Workspace, command: &str) -> String {
    let done = retrylint().current_dir(workspace.path()).args(command.split(' ')).output().expect("a run");
    [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
}

#[test]
fn no_command_shows_a_secret_in_any_format() {
    for secret in SECRETS {
        let workspace = Workspace::new();
        let each =
            || forms().into_iter().enumerate().map(|(n, (name, form))| (format!("form{n}/{name}"), form));
        for (name, form) in each() {
            workspace.write(&name, form.replace('X', "none").replace("attempts = 5", "attempts = 4"));
        }
        git(&workspace, &["init", "-q"]);
        git(&workspace, &["add", "."]);
        git(&workspace, &["commit", "-qm", "a"]);
        each().for_each(|(name, form)| workspace.write(&name, form.replace('X', secret)));
        for command in COMMANDS {
            let out = said(&workspace, command);
            assert!(
                out.contains("form1/") || command.starts_with("stacks") || out.contains("known"),
                "{command}: {out}"
            );
            let shown: Vec<_> = out.lines().filter(|line| line.contains(secret)).collect();
            assert!(shown.is_empty(), "{command}:\n{}", shown.join("\n"));
        }
        let baseline = std::fs::read_to_string(workspace.path().join("known.json")).expect("a baseline");
        assert!(!baseline.contains(secret), "{baseline}");
    }
}

#[test]
fn wrong_settings_are_told_without_what_may_be_a_secret() {
    for secret in SECRETS {
        for text in SETTINGS {
            let workspace = Workspace::new();
            workspace.write("retrylint.toml", text.replace('X', secret));
            let out = said(&workspace, "check");
            assert!(out.starts_with("retrylint: retrylint.toml:"), "{text}: {out}");
            assert!(!out.contains(secret), "{text}: {out}");
        }
    }
}

#[test]
fn a_policy_whose_name_is_masked_is_still_named_by_its_real_name() {
    let workspace = Workspace::new();
    let name = ["gh", "p_abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    workspace.write("svc.toml", format!("[{name}.retry]\nmax_attempts = 3\ninitial_backoff = \"1s\"\n"));
    let out = said(&workspace, "inspect --format json");
    assert!(out.contains("\"name\": \"****") && !out.contains(&format!("\"{name}")), "{out}");
    let out = said(&workspace, &format!("schedule svc.toml#{name}"));
    assert!(out.contains("3 attempts") && !out.contains(&name), "{out}");
}

#[test]
fn no_command_shows_a_token_that_is_a_key() {
    let workspace = Workspace::new();
    let token = ["gh", "p_abcdefghijklmnopqrstuvwxyz0123456789"].concat();
    workspace.write("a/svc.toml", "");
    git(&workspace, &["init", "-q"]);
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-qm", "a"]);
    let text = format!("[{token}.retry]\nmax_attempts = 9\ninitial_backoff = \"1s\"\ndeadline = \"2s\"\n");
    workspace.write("a/svc.toml", text);
    for command in COMMANDS.iter().filter(|command| !command.contains("baseline")) {
        let out = said(&workspace, command);
        assert!(!out.is_empty(), "{command}");
        let shown: Vec<_> = out.lines().filter(|line| line.contains(&token)).collect();
        assert!(shown.is_empty(), "{command}:\n{}", shown.join("\n"));
    }
}
