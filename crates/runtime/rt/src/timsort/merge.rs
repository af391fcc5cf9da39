//! Merges two adjacent runs: one item at a time, or by galloping while one run wins often.

/// Whoever wins so often in a row is searched for.
const OFTEN: usize = 7;

/// What merges runs of these items.
pub(super) struct Merger<'a, T, F> {
    pub(super) items: &'a mut [T],
    less: F,
    /// How often one side has to win before searches begin: fewer times where they paid.
    patience: usize,
    /// The shorter run while it is merged.
    aside: Vec<T>,
}

/// A merge under way: from the first items up, or from the last ones down. One run was set aside, the other one is here.
struct Way {
    /// How many items are left of the run that was set aside, and where: the next item is the one there, or going down the
    /// one before it.
    aside: usize,
    aside_at: usize,
    /// The same of the run that is here.
    here: usize,
    here_at: usize,
    /// Where the next item goes.
    to: usize,
}

/// Why a merge ends.
#[derive(PartialEq)]
enum End {
    /// One run is used up.
    Used,
    /// One item is left of the run that was set aside, and it comes last.
    Last,
}

impl<'a, T: Copy, F: Fn(T, T) -> bool + Copy> Merger<'a, T, F> {
    /// None if there is no memory for the shorter of two runs.
    pub(super) fn new(items: &'a mut [T], less: F) -> Option<Self> {
        let mut aside = Vec::new();
        aside.try_reserve_exact(items.len() / 2).ok()?;
        Some(Merger { items, less, patience: OFTEN, aside })
    }

    /// Merges the run that begins at `start` and the one that follows it.
    pub(super) fn merge(&mut self, start: usize, len: usize, next: usize) {
        let middle = start + len;
        // Both ends may stand right already.
        let start = start + self.behind(self.items[middle], &self.items[start..middle], 0);
        let len = middle - start;
        if len == 0 {
            return;
        }
        let next = self.in_front(self.items[middle - 1], &self.items[middle..middle + next], next - 1);
        if next == 0 {
            return;
        }
        self.aside.clear();
        if len <= next {
            self.aside.extend_from_slice(&self.items[start..middle]);
            self.go_up(Way { aside: len, aside_at: 0, here: next, here_at: middle, to: start });
        } else {
            self.aside.extend_from_slice(&self.items[middle..middle + next]);
            self.go_down(Way { aside: next, aside_at: next, here: len, here_at: middle, to: middle + next });
        }
    }

    /// The place for a key before its equals.
    fn in_front(&self, key: T, items: &[T], hint: usize) -> usize {
        search(items, hint, |item| (self.less)(item, key))
    }

    /// The place for a key after its equals.
    fn behind(&self, key: T, items: &[T], hint: usize) -> usize {
        search(items, hint, |item| !(self.less)(key, item))
    }

    fn go_up(&mut self, mut way: Way) {
        let end = self.run::<true>(&mut way);
        let Way { aside, aside_at, here, here_at, to } = way;
        if end == End::Last {
            self.items.copy_within(here_at..here_at + here, to);
            self.items[to + here] = self.aside[aside_at];
        } else {
            self.items[to..to + aside].copy_from_slice(&self.aside[aside_at..aside_at + aside]);
        }
    }

    fn go_down(&mut self, mut way: Way) {
        let end = self.run::<false>(&mut way);
        let Way { aside, here, here_at, to, .. } = way;
        if end == End::Last {
            self.items.copy_within(here_at - here..here_at, to - here);
            self.items[to - here - 1] = self.aside[0];
        } else {
            self.items[to - aside..to].copy_from_slice(&self.aside[..aside]);
        }
    }

    fn run<const UP: bool>(&mut self, way: &mut Way) -> End {
        // It is known of the first item that it is here.
        let begun = self.take_here::<UP>(way, 1);
        match begun {
            Ok(()) if way.aside == 1 => return End::Last,
            Ok(()) => {}
            Err(end) => return end,
        }
        loop {
            if let Err(end) = self.one_by_one::<UP>(way).and_then(|()| self.by_searches::<UP>(way)) {
                return end;
            }
        }
    }

    /// Takes single items until one side has won often.
    fn one_by_one<const UP: bool>(&mut self, way: &mut Way) -> Result<(), End> {
        let (mut won_here, mut won_aside) = (0, 0);
        while won_here.max(won_aside) < self.patience {
            let here_wins = if UP {
                (self.less)(self.items[way.here_at], self.aside[way.aside_at])
            } else {
                (self.less)(self.aside[way.aside_at - 1], self.items[way.here_at - 1])
            };
            if here_wins {
                self.take_here::<UP>(way, 1)?;
                (won_here, won_aside) = (won_here + 1, 0);
            } else {
                self.take_aside::<UP>(way, 1)?;
                (won_here, won_aside) = (0, won_aside + 1);
            }
        }
        Ok(())
    }

    /// Takes many items at once as long as that pays.
    fn by_searches<const UP: bool>(&mut self, way: &mut Way) -> Result<(), End> {
        self.patience += 1;
        loop {
            self.patience = (self.patience - 1).max(1);
            let (won_here, won_aside);
            if UP {
                won_aside = self.count_aside::<UP>(way);
                self.take_aside::<UP>(way, won_aside)?;
                self.take_here::<UP>(way, 1)?;
                won_here = self.count_here::<UP>(way);
                self.take_here::<UP>(way, won_here)?;
                self.take_aside::<UP>(way, 1)?;
            } else {
                won_here = self.count_here::<UP>(way);
                self.take_here::<UP>(way, won_here)?;
                self.take_aside::<UP>(way, 1)?;
                won_aside = self.count_aside::<UP>(way);
                self.take_aside::<UP>(way, won_aside)?;
                self.take_here::<UP>(way, 1)?;
            }
            if won_here.max(won_aside) < OFTEN {
                // Searches did not pay.
                self.patience += 1;
                return Ok(());
            }
        }
    }

    /// How many items aside come before the next one here.
    fn count_aside<const UP: bool>(&self, way: &Way) -> usize {
        if UP {
            self.behind(self.items[way.here_at], &self.aside[way.aside_at..way.aside_at + way.aside], 0)
        } else {
            let aside = &self.aside[..way.aside];
            way.aside - self.in_front(self.items[way.here_at - 1], aside, way.aside - 1)
        }
    }

    /// How many items here come before the next one aside.
    fn count_here<const UP: bool>(&self, way: &Way) -> usize {
        if UP {
            self.in_front(self.aside[way.aside_at], &self.items[way.here_at..way.here_at + way.here], 0)
        } else {
            let here = &self.items[way.here_at - way.here..way.here_at];
            way.here - self.behind(self.aside[way.aside_at - 1], here, way.here - 1)
        }
    }

    fn take_here<const UP: bool>(&mut self, way: &mut Way, count: usize) -> Result<(), End> {
        if UP {
            self.items.copy_within(way.here_at..way.here_at + count, way.to);
            (way.here_at, way.to) = (way.here_at + count, way.to + count);
        } else {
            (way.here_at, way.to) = (way.here_at - count, way.to - count);
            self.items.copy_within(way.here_at..way.here_at + count, way.to);
        }
        way.here -= count;
        if way.here == 0 { Err(End::Used) } else { Ok(()) }
    }

    fn take_aside<const UP: bool>(&mut self, way: &mut Way, count: usize) -> Result<(), End> {
        if !UP {
            (way.aside_at, way.to) = (way.aside_at - count, way.to - count);
        }
        let taken = &self.aside[way.aside_at..way.aside_at + count];
        self.items[way.to..way.to + count].copy_from_slice(taken);
        if UP {
            (way.aside_at, way.to) = (way.aside_at + count, way.to + count);
        }
        way.aside -= count;
        match way.aside {
            // Comparisons contradict each other.
            0 => Err(End::Used),
            1 => Err(End::Last),
            _ => Ok(()),
        }
    }
}

/// How many items stand before a place, asked first near a hint, then at growing distances, then by halves.
fn search<T: Copy>(items: &[T], hint: usize, is_before: impl Fn(T) -> bool) -> usize {
    let (mut near, mut far) = (0, 1);
    let (mut low, mut high);
    if is_before(items[hint]) {
        let most = items.len() - hint;
        while far < most && is_before(items[hint + far]) {
            (near, far) = (far, 2 * far + 1);
        }
        (low, high) = (hint + near + 1, hint + far.min(most));
    } else {
        let most = hint + 1;
        while far < most && !is_before(items[hint - far]) {
            (near, far) = (far, 2 * far + 1);
        }
        (low, high) = (hint + 1 - far.min(most), hint - near);
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(items[middle]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    high
}
