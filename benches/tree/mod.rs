//! Generated trees of config files, with the sizes and the mix of public repositories: a median of 0.8 KB,
//! 99 % under 108 KB, bundles of 4 MB; 4 % of the files hold retry settings, and a few that are large hold
//! the words only, as the names of a schema's properties.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// The median of the sizes, in bytes.
const MEDIAN: f64 = 800.0;
/// The spread of their logarithms: 99 % are under 135 times the median.
const SPREAD: f64 = 2.11;
/// No file is larger than this by much.
const LARGEST: usize = 4_000_000;
/// Files of this size and more are bundles of schemas, but for a few lists.
const BUNDLE: usize = 60_000;
/// Files in a folder.
const FOLDER: usize = 20;

/// Numbers that look random and are the same each time (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number of the normal distribution, by adding twelve even ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next() as f64 / u64::MAX as f64).sum::<f64>() - 6.0
    }

    fn size(&mut self) -> usize {
        ((MEDIAN * (SPREAD * self.normal()).exp()) as usize).clamp(40, LARGEST)
    }
}

/// Writes `files` files below a folder, and tells how many bytes that is.
pub fn write(root: &Path, files: usize) -> io::Result<u64> {
    let mut random = Random::new(files as u64);
    let mut bytes = 0;
    for n in 0..files {
        let folder = root.join(format!("d{}/d{}", n / FOLDER / FOLDER, n / FOLDER % FOLDER));
        if n % FOLDER == 0 {
            fs::create_dir_all(&folder)?;
        }
        let (text, ending) = file(&mut random, n);
        bytes += text.len() as u64;
        fs::write(folder.join(format!("f{n}.{ending}")), text)?;
    }
    Ok(bytes)
}

/// The text of one file, and the ending of its name.
fn file(random: &mut Random, n: usize) -> (String, &'static str) {
    let size = random.size();
    if size >= BUNDLE {
        return match random.below(8) {
            0 => (json_list(n, size), "json"),
            1 => (openapi(n, size), "json"),
            _ => (crds(n, size), "yaml"),
        };
    }
    if n % 25 == 3 {
        return with_retries(n, size);
    }
    match random.below(20) {
        0..=5 => (manifests(n, size), "yaml"),
        6..=8 => (compose(n, size), "yml"),
        9 => (template(n, size), "yaml"),
        10..=16 => (json_list(n, size), "json"),
        17 => (toml(n, size), "toml"),
        18 => (workflow(n, size), "yml"),
        _ => (values(n, size), "yaml"),
    }
}

/// A text of pieces, up to a size.
fn fill(head: &str, size: usize, mut piece: impl FnMut(&mut String, usize)) -> String {
    let mut text = head.to_string();
    for line in 0.. {
        piece(&mut text, line);
        if text.len() >= size {
            break;
        }
    }
    text
}

fn with_retries(n: usize, size: usize) -> (String, &'static str) {
    let (attempts, ms) = (2 + n % 4, 100 + n % 7 * 50);
    match n / 25 % 5 {
        0 => {
            let head = format!(
                "clients:\n  billing:\n    url: http://billing-{n}:8080\n    request_timeout: 2s\n    retry:\n      max_attempts: {attempts}\n      initial_delay: {ms}ms\n      max_delay: 2s\n      jitter: full\n"
            );
            let more = fill("", size.saturating_sub(head.len()), |text, line| service(text, line, n));
            (head + &more, "yaml")
        }
        1 => {
            let head = format!(
                "[client]\ntimeout_ms = 2000\nmax_retries = {attempts}\nretry_delay_ms = {ms}\nretry_jitter = true\n"
            );
            (head + &toml(n, size), "toml")
        }
        2 => {
            let head = format!(
                "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {{name: s{n}}}\nspec:\n  hosts: [s{n}]\n  http:\n    - route: [{{destination: {{host: s{n}}}}}]\n      timeout: 10s\n      retries: {{attempts: {attempts}, perTryTimeout: 1s, retryOn: \"5xx,reset\"}}\n---\n"
            );
            (head + &manifests(n, size), "yaml")
        }
        3 => {
            let head = format!(
                "AWSTemplateFormatVersion: '2010-09-09'\nTransform: AWS::Serverless-2016-10-31\nResources:\n  Queue:\n    Type: AWS::SQS::Queue\n    Properties:\n      VisibilityTimeout: {}\n      RedrivePolicy: {{deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5}}\n  Dead:\n    Type: AWS::SQS::Queue\n  Handler:\n    Type: AWS::Serverless::Function\n    Properties:\n      Timeout: 30\n      Events:\n        Q: {{Type: SQS, Properties: {{Queue: !GetAtt Queue.Arn}}}}\n",
                120 + n % 5 * 60
            );
            let more = fill("", size.saturating_sub(head.len()), |text, line| {
                let _ = write!(
                    text,
                    "  Table{line}:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: t{n}-{line}\n      BillingMode: PAY_PER_REQUEST\n"
                );
            });
            (head + &more, "yaml")
        }
        _ => {
            let states = fill("", size, |text, line| {
                let _ = write!(
                    text,
                    "    \"S{line}\": {{\"Type\": \"Task\", \"Resource\": \"arn:aws:lambda:eu-west-1:123456789012:function:f{n}\", \"TimeoutSeconds\": 20,\n      \"Retry\": [{{\"ErrorEquals\": [\"States.Timeout\"], \"IntervalSeconds\": 1, \"MaxAttempts\": {attempts}, \"BackoffRate\": 2, \"MaxDelaySeconds\": 10, \"JitterStrategy\": \"FULL\"}}],\n      \"Next\": \"S{}\"}},\n",
                    line + 1
                );
            });
            let text = format!(
                "{{\n  \"StartAt\": \"S0\",\n  \"States\": {{\n{states}    \"S{}\": {{\"Type\": \"Succeed\"}}\n  }}\n}}\n",
                states.matches("\"Next\"").count()
            );
            (text, "json")
        }
    }
}

fn service(text: &mut String, line: usize, n: usize) {
    let _ = writeln!(
        text,
        "service_{line}:\n  image: registry.example/app:{n}\n  ports: [{line}, 80]\n  labels:\n    tier: web # as in all of them"
    );
}

fn manifests(n: usize, size: usize) -> String {
    fill("", size, |text, line| {
        let _ = write!(
            text,
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{n}-{line}\n  labels: {{app: web, tier: front}}\nspec:\n  replicas: {}\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n        - name: web\n          image: \"registry.example/web:{n}\"\n          ports:\n            - containerPort: 8080\n          resources:\n            limits: {{cpu: 500m, memory: 256Mi}}\n---\n",
            line % 5 + 1
        );
    })
}

fn compose(n: usize, size: usize) -> String {
    fill("services:\n", size, |text, line| {
        let _ = write!(
            text,
            "  app{line}:\n    image: app:{n}\n    environment:\n      - PORT={line}\n      - LOG_LEVEL=info\n    depends_on: [db]\n"
        );
    })
}

fn template(n: usize, size: usize) -> String {
    fill("{{- if .Values.enabled }}\n", size.saturating_sub(10), |text, line| {
        let _ = write!(
            text,
            "- name: c{n}-{line}\n  value: {{{{ .Values.c{line} | quote }}}}\n  {{{{- with .Values.more }}}}\n  more: x\n  {{{{- end }}}}\n"
        );
    }) + "{{- end }}\n"
}

fn json_list(n: usize, size: usize) -> String {
    let items = fill("", size, |text, line| {
        let _ = writeln!(
            text,
            "    {{\"id\": {line}, \"name\": \"package-{n}-{line}\", \"version\": \"1.{line}.0\", \"resolved\": \"https://registry.example/p/-/p-1.tgz\", \"dependencies\": {{\"a\": \"^1.0.0\"}}}},"
        );
    });
    format!("{{\n  \"lockfile\": 3,\n  \"packages\": [\n{items}    null\n  ]\n}}\n")
}

fn openapi(n: usize, size: usize) -> String {
    let items = fill("", size, |text, line| {
        let _ = writeln!(
            text,
            "    \"Job{line}\": {{\"type\": \"object\", \"properties\": {{\"retries\": {{\"type\": \"integer\", \"description\": \"How often a failed job {n} is tried again.\"}}, \"backoff\": {{\"type\": \"string\"}}, \"name\": {{\"type\": \"string\"}}}}}},"
        );
    });
    format!(
        "{{\n  \"openapi\": \"3.0.0\",\n  \"info\": {{\"title\": \"t\", \"version\": \"1\"}},\n  \"paths\": {{}},\n  \"components\": {{\"schemas\": {{\n{items}    \"Last\": {{\"type\": \"object\"}}\n  }}}}\n}}\n"
    )
}

fn crds(n: usize, size: usize) -> String {
    let properties = fill("", (size / 8).max(2_000), |text, line| {
        let _ = write!(
            text,
            "                setting{line}:\n                  description: |-\n                    Limits how long the controller waits, and how many retries\n                    with a back-off are made, before an attempt is given up.\n                  type: object\n                  properties:\n                    retryLimit:\n                      format: int32\n                      minimum: 0\n                      type: integer\n                    timeout:\n                      type: string\n                  required:\n                    - retryLimit\n"
        );
    });
    fill("", size, |text, line| {
        let _ = write!(
            text,
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things{line}.x{n}.example\nspec:\n  group: x{n}.example\n  names: {{kind: Thing{line}, plural: things{line}}}\n  scope: Namespaced\n  versions:\n    - name: v1\n      served: true\n      storage: true\n      schema:\n        openAPIV3Schema:\n          type: object\n          properties:\n            spec:\n              type: object\n              properties:\n{properties}---\n"
        );
    })
}

fn toml(n: usize, size: usize) -> String {
    fill("", size, |text, line| {
        let _ = write!(
            text,
            "[package_{line}]\nname = \"p{n}\"\nversion = \"0.{line}.1\"\nfeatures = [\"std\", \"derive\"]\n\n"
        );
    })
}

fn workflow(n: usize, size: usize) -> String {
    fill(
        "name: ci\non: [push, pull_request]\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n",
        size,
        |text, line| {
            let _ = write!(
                text,
                "      - name: step {line} of {n}\n        run: |\n          make build\n          make test\n"
            );
        },
    )
}

fn values(n: usize, size: usize) -> String {
    fill("replicaCount: 2\n", size, |text, line| service(text, line, n))
}
