//! How alike two words are.

/// The known word that is nearest to a wrong one, if one is near.
pub fn nearest<'w>(wrong: &str, known: &[&'w str]) -> Option<&'w str> {
    let near = known.iter().map(|word| (distance(wrong, word), *word)).min();
    near.filter(|(distance, word)| *distance * 2 <= word.len().max(2)).map(|(_, word)| word)
}

/// The only known word that starts as a wrong one does.
pub fn kindred<'w>(wrong: &str, known: &[&'w str]) -> Option<&'w str> {
    const LEAST: usize = 5;
    let start = wrong.get(..LEAST)?;
    let mut alike = known.iter().filter(|word| word.starts_with(start));
    alike.next().copied().filter(|_| alike.next().is_none())
}

/// Letters to put in, take out or change, and neighbours to swap (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let letters = |text: &str| text.chars().take(LONGEST).collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}
