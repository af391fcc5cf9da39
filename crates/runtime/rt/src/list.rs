//! Lists: a block with a [`ListHead`], and memory for the items that is reallocated when the list grows.
//!
//! Nothing here knows types: an item is a number of bytes, some words of which are owners.

use crate::refcount::{self, ITEMS, allocate_with, rumba_decref};
use crate::sort::Half;
use crate::timsort::{self, Runs};

/// What a list's block holds.
#[repr(C)]
#[derive(Debug)]
pub struct ListHead {
    /// Number of items.
    pub len: i64,
    /// The items.
    pub items: *mut u8,
    /// How many items there is memory for.
    pub capacity: i64,
    /// Bytes of an item.
    pub item_size: i64,
    /// Which words of an item are owners: bit n for the word at byte 8 n.
    pub owners: u64,
    /// The Python list that this is a copy of while a call runs, or null.
    pub origin: *mut (),
    /// How long the copy was when it was made; [`CHANGED`] once something but appending changed it, so that appending writes
    /// nothing here.
    pub copied: i64,
    /// Whether nothing may be changed any more (`typed.List._make_immutable`).
    pub frozen: i64,
    /// How many items there is memory for before the first one.
    pub front: i64,
    /// Of a `collections.deque` with a `maxlen`: one more than that; else 0.
    pub bound: i64,
}

/// In [`ListHead::copied`]: items were overwritten or taken out.
pub const CHANGED: i64 = -1;

impl ListHead {
    /// The head of the list that an owner word says.
    ///
    /// # Safety
    /// The word is that of a list's block, which somebody holds.
    pub unsafe fn of(owner: u64) -> *mut ListHead {
        (owner as usize + ITEMS as usize) as *mut ListHead
    }

    /// Whether a copy is not any more what it was when it was made.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.copied != self.len
    }

    /// Moves all items by a number of places in their memory.
    unsafe fn move_items(&mut self, by: i64) {
        if by == 0 {
            return;
        }
        // SAFETY: the caller knows that there are as many free places on that side.
        unsafe {
            let to = self.items.offset((by * self.item_size) as isize);
            std::ptr::copy(self.items, to, (self.len * self.item_size) as usize);
            self.items = to;
        }
        self.front += by;
        self.capacity -= by;
    }

    unsafe fn release_items(&mut self, from: i64, count: i64) {
        if self.owners == 0 {
            return;
        }
        for index in from..from + count {
            // SAFETY: there are this many items.
            let item = unsafe { self.items.add((index * self.item_size) as usize) };
            let mut owners = self.owners;
            while owners != 0 {
                // SAFETY: the owners' words lie inside the item.
                rumba_decref(unsafe { item.cast::<u64>().add(owners.trailing_zeros() as usize).read() });
                owners &= owners - 1;
            }
        }
    }
}

unsafe extern "C" fn drop_list(items: *mut u8, _size: usize, _info: *mut ()) {
    // SAFETY: the block holds a head, and nobody holds the block any more.
    unsafe {
        let head = &mut *items.cast::<ListHead>();
        head.release_items(0, head.len);
        head.move_items(-head.front);
        refcount::free(head.items, (head.capacity * head.item_size) as usize);
    }
}

/// An empty list with a given capacity: its owner word, 0 if there is no memory for it.
pub extern "C" fn rumba_list_new(item_size: i64, owners: u64, capacity: i64) -> u64 {
    // SAFETY: the destructor needs nothing but the block.
    let owner = unsafe { allocate_with(size_of::<ListHead>() as u64, drop_list, std::ptr::null_mut()) };
    if owner == 0 {
        return 0;
    }
    // SAFETY: the block is new and large enough.
    unsafe {
        let head = ListHead::of(owner);
        (*head).item_size = item_size;
        (*head).owners = owners;
        if capacity > 0 && !reserve(&mut *head, capacity) {
            rumba_decref(owner);
            return 0;
        }
    }
    owner
}

/// A list of a number of items, whose words are all 0: its owner word, 0 if there is no memory for it. Arrays of objects lie in one.
pub extern "C" fn rumba_list_of_zeros(item_size: i64, owners: u64, count: i64) -> u64 {
    let owner = rumba_list_new(item_size, owners, count);
    if owner != 0 && count > 0 {
        // SAFETY: the list is new, and has memory for the items.
        unsafe {
            let head = ListHead::of(owner);
            std::ptr::write_bytes((*head).items, 0, (count * item_size) as usize);
            (*head).len = count;
        }
    }
    owner
}

/// Makes room for a total number of items. Returns whether there was memory for it.
unsafe fn reserve(head: &mut ListHead, capacity: i64) -> bool {
    if capacity <= head.capacity {
        return true;
    }
    let size = capacity.checked_mul(head.item_size).and_then(|size| usize::try_from(size).ok());
    let Some(size) = size else { return false };
    // SAFETY: the items are what was allocated before.
    unsafe {
        head.move_items(-head.front);
        let old = (head.capacity * head.item_size) as usize;
        let items = refcount::reallocate(head.items, old, size);
        if items.is_null() {
            return false;
        }
        head.items = items;
    }
    head.capacity = capacity;
    true
}

/// Makes room for at least this many more items. 0 if there is no memory for it.
pub(crate) unsafe extern "C" fn rumba_list_grow(head: *mut ListHead, more: i64) -> u64 {
    // SAFETY: compiled code holds the list.
    let head = unsafe { &mut *head };
    let Some(needed) = head.len.checked_add(more) else { return 0 };
    // A queue uses the places again that items left at its begin. Half of them stay there, so that a deque that grows at both
    // ends is not moved each time.
    let free = head.front - head.front / 2;
    if free > head.len / 4 && head.capacity + free >= needed {
        // SAFETY: these places are free.
        unsafe { head.move_items(-free) };
        return 1;
    }
    // As vectors do: twice as much, so that appending takes constant time in the mean.
    let ample = needed.max(head.capacity.saturating_mul(2)).max(4);
    // Where memory is short an eighth more: for less, each of the last items that there is room for would move all others.
    let scarce = needed.max(head.capacity + head.capacity / 8);
    // SAFETY: the same.
    let grown = unsafe { reserve(head, ample) || reserve(head, scarce) };
    u64::from(grown)
}

/// Makes room for at least this many more items before the first one. Returns whether there was memory for it.
unsafe fn grow_front(head: &mut ListHead, more: i64) -> bool {
    if more <= head.front {
        return true;
    }
    // SAFETY: the list is as its head says.
    unsafe {
        let free = (head.capacity - head.len) / 2;
        if free > head.len / 4 && head.front + free >= more {
            head.move_items(free);
            return true;
        }
        let ample = more.max(head.len).max(4);
        let len = head.len;
        let enough = |extra: i64| len.checked_add(extra).and_then(|wanted| wanted.checked_add(len / 4));
        for extra in [ample, more] {
            if let Some(wanted) = enough(extra)
                && reserve(head, wanted)
            {
                head.move_items(extra - head.front);
                return true;
            }
        }
    }
    false
}

/// Makes a gap of `count` items before item `at`; its owners are 0. 0 if there is no memory for it.
pub(crate) unsafe extern "C" fn rumba_list_gap(head: *mut ListHead, at: i64, count: i64) -> u64 {
    // SAFETY: compiled code holds the list, `at` is at most its length.
    unsafe {
        let list = &mut *head;
        let Some(needed) = list.len.checked_add(count) else { return 0 };
        if at == 0 && list.len > 0 {
            if !grow_front(list, count) {
                return 0;
            }
            list.items = list.items.sub((count * list.item_size) as usize);
            list.front -= count;
            list.capacity += count;
            list.items.write_bytes(0, (count * list.item_size) as usize);
            list.len = needed;
            list.copied = CHANGED;
            return 1;
        }
        if needed > list.capacity && rumba_list_grow(head, count) == 0 {
            return 0;
        }
        let size = list.item_size as usize;
        let from = list.items.add(at as usize * size);
        std::ptr::copy(from, from.add(count as usize * size), (list.len - at) as usize * size);
        from.write_bytes(0, count as usize * size);
        list.len = needed;
        list.copied = CHANGED;
    }
    1
}

/// Takes out `count` items from item `at` on, whose owners somebody else has taken.
pub(crate) unsafe extern "C" fn rumba_list_close(head: *mut ListHead, at: i64, count: i64) {
    // SAFETY: compiled code holds the list, which has these items.
    unsafe {
        let list = &mut *head;
        let size = list.item_size as usize;
        list.copied = CHANGED;
        if at == 0 {
            list.items = list.items.add(count as usize * size);
            list.front += count;
            list.capacity -= count;
            list.len -= count;
            return;
        }
        let from = list.items.add(at as usize * size);
        let behind = (list.len - at - count) as usize;
        std::ptr::copy(from.add(count as usize * size), from, behind * size);
        list.len -= count;
    }
}

/// Takes out and gives up all items.
pub(crate) unsafe extern "C" fn rumba_list_clear(head: *mut ListHead) {
    // SAFETY: compiled code holds the list.
    unsafe {
        let list = &mut *head;
        let count = std::mem::take(&mut list.len);
        list.copied = CHANGED;
        list.release_items(0, count);
    }
}

/// Added to a kind of numbers where runs are found as in Python 3.13.
pub const EQUAL_RUNS: u64 = 10_000;

fn runs_of(kind: u64) -> Runs {
    if kind >= EQUAL_RUNS { Runs::Equal } else { Runs::Strict }
}

/// Sorts numbers of a kind: width in bits, plus 1000 for unsigned, plus 2000 for floats, plus [`EQUAL_RUNS`]. 0 if there is no
/// memory for it.
pub(crate) unsafe extern "C" fn rumba_list_sort(head: *mut ListHead, kind: u64) -> u64 {
    // SAFETY: compiled code holds the list, whose items are of this kind.
    unsafe {
        (*head).copied = CHANGED;
        let (items, count) = ((*head).items, (*head).len as usize);
        match kind % EQUAL_RUNS {
            _ if count < 2 => {}
            8 => slice::<i8>(items, count).sort_unstable(),
            16 => slice::<i16>(items, count).sort_unstable(),
            32 => slice::<i32>(items, count).sort_unstable(),
            64 => slice::<i64>(items, count).sort_unstable(),
            1001 | 1008 => slice::<u8>(items, count).sort_unstable(),
            1016 => slice::<u16>(items, count).sort_unstable(),
            1032 => slice::<u32>(items, count).sort_unstable(),
            1064 => slice::<u64>(items, count).sort_unstable(),
            2016 => return u64::from(sort_floats(slice::<Half>(items, count), |item| item, runs_of(kind))),
            2032 => return u64::from(sort_floats(slice::<f32>(items, count), |item| item, runs_of(kind))),
            _ => return u64::from(sort_floats(slice::<f64>(items, count), |item| item, runs_of(kind))),
        }
    }
    1
}

/// Puts the places of numbers of a kind, which stand in a list in any order, into the order of the numbers. 0 if there is no
/// memory for it.
pub(crate) unsafe extern "C" fn rumba_list_arrange(
    keys: *mut ListHead,
    order: *mut ListHead,
    kind: u64,
) -> u64 {
    // SAFETY: compiled code holds both lists; one has numbers of this kind, the other one the place of each.
    let (items, order) = unsafe { ((*keys).items, slice::<i64>((*order).items, (*order).len as usize)) };
    let done = match kind % EQUAL_RUNS {
        _ if order.len() < 2 => true,
        8 => arrange::<i8>(items, order),
        16 => arrange::<i16>(items, order),
        32 => arrange::<i32>(items, order),
        64 => arrange::<i64>(items, order),
        1001 | 1008 => arrange::<u8>(items, order),
        1016 => arrange::<u16>(items, order),
        1032 => arrange::<u32>(items, order),
        1064 => arrange::<u64>(items, order),
        2016 => arrange_floats::<Half>(items, order, runs_of(kind)),
        2032 => arrange_floats::<f32>(items, order, runs_of(kind)),
        _ => arrange_floats::<f64>(items, order, runs_of(kind)),
    };
    u64::from(done)
}

/// Numbers, each with its place; none if there is no memory for them.
fn with_places<T: Copy>(items: *mut u8, order: &[i64]) -> Option<Vec<(T, i64)>> {
    let mut pairs = Vec::new();
    pairs.try_reserve_exact(order.len()).ok()?;
    // SAFETY: the caller guarantees an item at each of these indices.
    pairs.extend(order.iter().map(|&from| (unsafe { *items.cast::<T>().add(from as usize) }, from)));
    Some(pairs)
}

fn arrange<T: Copy + Ord>(items: *mut u8, order: &mut [i64]) -> bool {
    let Some(mut pairs) = with_places::<T>(items, order) else { return false };
    pairs.sort_by_key(|&(key, _)| key);
    order.iter_mut().zip(pairs).for_each(|(from, (_, sorted))| *from = sorted);
    true
}

fn arrange_floats<T: Copy + PartialOrd>(items: *mut u8, order: &mut [i64], runs: Runs) -> bool {
    let Some(mut pairs) = with_places::<T>(items, order) else { return false };
    if !sort_floats(&mut pairs, |(key, _)| key, runs) {
        return false;
    }
    order.iter_mut().zip(pairs).for_each(|(from, (_, sorted))| *from = sorted);
    true
}

unsafe fn slice<'a, T>(items: *mut u8, count: usize) -> &'a mut [T] {
    // SAFETY: the caller knows the items.
    unsafe { std::slice::from_raw_parts_mut(items.cast(), count) }
}

/// Zeros of both signs are equal and keep their order. With NaN, comparisons contradict each other: the order is that of
/// Python's algorithm. Whether there was memory for it.
fn sort_floats<T: Copy, K: PartialOrd>(items: &mut [T], key: impl Fn(T) -> K + Copy, runs: Runs) -> bool {
    if items.iter().any(|&item| key(item).partial_cmp(&key(item)).is_none()) {
        return timsort::sort(items, |a, b| key(a) < key(b), runs);
    }
    items.sort_by(|&a, &b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_released_with_the_list() {
        let inner = rumba_list_new(8, 0, 10);
        let outer = rumba_list_new(16, 0b10, 0);
        crate::refcount::rumba_incref(inner);
        // SAFETY: the lists are new.
        unsafe {
            let head = ListHead::of(outer);
            assert_eq!(rumba_list_gap(head, 0, 3), 1);
            (*head).items.cast::<u64>().add(3).write(inner);
            rumba_list_close(head, 0, 1);
            assert_eq!((*head).len, 2);
        }
        assert_eq!(crate::holders(inner), 2);
        rumba_decref(outer);
        assert_eq!(crate::holders(inner), 1);
        rumba_decref(inner);
    }

    #[test]
    fn items_come_and_go_at_both_ends() {
        let list = rumba_list_new(8, 0, 0);
        let mut wanted = std::collections::VecDeque::new();
        let mut state = 7u64;
        // SAFETY: the list is new, and nothing else knows it.
        unsafe {
            let head = ListHead::of(list);
            for number in 0..20_000u64 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let grows = (state >> 40) % 16 < 6 + u64::from(number < 10_000) * 4;
                match (grows, (state >> 33).is_multiple_of(2)) {
                    (true, true) => {
                        assert_eq!(rumba_list_gap(head, 0, 1), 1);
                        (*head).items.cast::<u64>().write(number);
                        wanted.push_front(number);
                    }
                    (true, false) => {
                        assert_eq!(rumba_list_gap(head, (*head).len, 1), 1);
                        (*head).items.cast::<u64>().add((*head).len as usize - 1).write(number);
                        wanted.push_back(number);
                    }
                    (false, _) if wanted.is_empty() => {}
                    (false, true) => {
                        rumba_list_close(head, 0, 1);
                        wanted.pop_front();
                    }
                    (false, false) => {
                        rumba_list_close(head, (*head).len - 1, 1);
                        wanted.pop_back();
                    }
                }
                assert_eq!((*head).len as usize, wanted.len());
                assert!((*head).len <= (*head).capacity && (*head).front >= 0);
            }
            assert_eq!(slice::<u64>((*head).items, (*head).len as usize), wanted.make_contiguous());
            assert!((*head).front + (*head).capacity <= 16_000);
        }
        rumba_decref(list);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert_eq!(rumba_list_new(8, 0, i64::MAX), 0);
        let list = rumba_list_new(8, 0, 0);
        // SAFETY: the list is new.
        unsafe { assert_eq!(rumba_list_gap(ListHead::of(list), 0, i64::MAX - 5), 0) };
        rumba_decref(list);
    }
}
