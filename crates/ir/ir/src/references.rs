//! Sets of parts that are references.

/// Which parts of a value, or results of a function, are references, by their numbers.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct References {
    /// Bit n of word m for part 64 m + n; the last word is not 0.
    words: Vec<u64>,
}

impl References {
    /// Whether a part is one.
    pub fn contains(&self, part: usize) -> bool {
        self.words.get(part / 64).is_some_and(|word| word >> (part % 64) & 1 == 1)
    }

    /// Whether no part is one.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The same where another part, which is none, precedes all.
    pub fn behind_one(&self) -> References {
        self.iter().map(|part| part + 1).collect()
    }

    /// The parts that are, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..64 * self.words.len()).filter(|&part| self.contains(part))
    }
}

impl FromIterator<usize> for References {
    fn from_iter<I: IntoIterator<Item = usize>>(parts: I) -> References {
        let mut words = Vec::new();
        for part in parts {
            words.resize(words.len().max(part / 64 + 1), 0);
            words[part / 64] |= 1 << (part % 64);
        }
        References { words }
    }
}

impl From<u64> for References {
    /// Of a mask with bit n for part n.
    fn from(mask: u64) -> References {
        (0..64).filter(|part| mask >> part & 1 == 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::References;

    #[test]
    fn parts_beyond_a_word_are_kept() {
        let all: References = [0, 63, 64, 130].into_iter().collect();
        let behind = all.behind_one();
        for part in 0..200 {
            assert_eq!(all.contains(part), [0, 63, 64, 130].contains(&part), "{part}");
            assert_eq!(behind.contains(part), [1, 64, 65, 131].contains(&part), "{part}");
        }
        assert!(References::from(0).is_empty() && References::from(5).contains(2));
    }
}
