//! scratch
use retrylint::{document, model, schedule, source};
fn go(name: &str, bytes: &[u8]) {
    let Ok(text) = String::from_utf8(bytes.to_vec()) else { return };
    let len = text.len() as u32;
    let text = source::SourceText::new(text);
    let format = if name.ends_with("toml") { document::Format::Toml } else if name.ends_with("json") { document::Format::Json } else { document::Format::Yaml };
    let parsed = document::parse(&text, format);
    let mut facts = model::Facts::default();
    retrylint::dialect::read(&parsed, name, &mut facts);
    for p in &facts.policies { let _ = schedule::schedule(p); assert!(p.place.end <= len); for f in &p.faults { assert!(f.place.end <= len) } }
}
fn main() {
    let mut seed = 0x5eedu64;
    let mut roll = |n: usize| { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; (seed % n as u64) as usize };
    let mut n = 0u64;
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let t = std::time::Instant::now();
        if bytes.len() < 30000 {
        for end in 0..bytes.len() { go(&path, &bytes[..end]); n += 1; }
        for _ in 0..300 {
            let mut b = bytes.clone();
            for _ in 0..=roll(4) {
                let at = roll(b.len());
                b[at] = match roll(3) { 0 => roll(128) as u8, 1 => b"{}[]:,-#&*!|>'\"%@`\n\t 0"[roll(22)], _ => b[roll(b.len())] };
            }
            go(&path, &b); n += 1;
        } }
        go(&path, &bytes);
        if t.elapsed().as_secs() > 5 { eprintln!("{path} {:?}", t.elapsed()); }
    }
    eprintln!("{n} runs");
}
