//! Suggestions for misspelled names.

/// The candidate nearest to a name that does not exist, if it is near enough to have been meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(name);
    let most = if wanted.len() < 3 { 0 } else { wanted.len() / 3 };
    let near = candidates.into_iter().filter(|candidate| *candidate != name && !candidate.starts_with('_'));
    let near = near.map(|candidate| (distance(&wanted, &folded(candidate)), candidate));
    near.filter(|(apart, _)| *apart <= most).min().map(|(_, candidate)| candidate)
}

/// A name without what is often written in another way.
fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|&c| c != '_').flat_map(char::to_lowercase).collect()
}

/// How many characters have to be changed, added, removed or swapped with their neighbor.
/// Source: F. Damerau, "A technique for computer detection and correction of spelling errors", 1964.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut least = (rows[i - 1][j] + 1).min(row[j - 1] + 1);
            least = least.min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn small_mistakes_are_seen_through() {
        let names = ["tolist", "steps", "shape", "mean", "_private"];
        let cases = [
            ("to_list", Some("tolist")),
            ("step", Some("steps")),
            ("Shape", Some("shape")),
            ("maen", Some("mean")),
            ("private", None),
            ("rolling", None),
            ("x", None),
            ("sum", None),
            ("mean", None),
        ];
        for (written, meant) in cases {
            assert_eq!(nearest(written, names), meant, "{written}");
        }
    }
}
