//! The axis order of NumPy's iterator: by strides.

/// Sorts the dimensions of some operands and turns those round that all go backwards.
///
/// The words: the length of each dimension, then each operand's strides, then the address of each operand's first item.
/// The largest stride comes first. Where operands disagree, or say nothing, the order stays.
pub(crate) extern "C" fn rumba_sort_axes(words: *mut i64, ndim: u64, operands: u64) {
    let (ndim, operands) = (ndim as usize, operands as usize);
    // SAFETY: compiled code passes this many words.
    let words = unsafe { std::slice::from_raw_parts_mut(words, ndim + ndim * operands + operands) };
    let (lengths, rest) = words.split_at_mut(ndim);
    let (strides, data) = rest.split_at_mut(ndim * operands);
    sort(lengths, strides, operands);
    for axis in 0..ndim {
        let along = |operand: usize| operand * ndim + axis;
        let mut all = (0..operands).map(|operand| strides[along(operand)]);
        if all.clone().any(|stride| stride < 0) && all.all(|stride| stride <= 0) {
            for operand in 0..operands {
                let stride = &mut strides[along(operand)];
                data[operand] += *stride * (lengths[axis] - 1);
                *stride = -*stride;
            }
        }
    }
}

/// An insertion sort from the last dimension to the first: where nothing is known it keeps the order of rows.
fn sort(lengths: &mut [i64], strides: &mut [i64], operands: usize) {
    let ndim = lengths.len();
    for start in (0..ndim.saturating_sub(1)).rev() {
        let mut index = start;
        for other in start + 1..ndim {
            match goes_behind(strides, operands, ndim, start, other) {
                Some(true) => index = other,
                Some(false) => break,
                None => {}
            }
        }
        lengths[start..=index].rotate_left(1);
        for operand in 0..operands {
            strides[operand * ndim + start..=operand * ndim + index].rotate_left(1);
        }
    }
}

/// Whether a dimension has smaller strides than another one, where the operands say so.
fn goes_behind(strides: &[i64], operands: usize, ndim: usize, one: usize, other: usize) -> Option<bool> {
    let mut found = None;
    for operand in 0..operands {
        let [own, others] = [one, other].map(|axis| strides[operand * ndim + axis].unsigned_abs());
        if own != 0 && others != 0 {
            // The order of rows wins where operands contradict each other.
            found = Some(found.unwrap_or(true) && others > own);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::rumba_sort_axes;

    #[track_caller]
    fn check<const N: usize>(mut words: [i64; N], ndim: u64, operands: u64, sorted: [i64; N]) {
        rumba_sort_axes(words.as_mut_ptr(), ndim, operands);
        assert_eq!(words, sorted);
    }

    #[test]
    fn dimensions_go_as_memory_lies() {
        check([2, 3, 24, 8, 100], 2, 1, [2, 3, 24, 8, 100]);
        check([3, 2, 8, 24, 100], 2, 1, [2, 3, 24, 8, 100]);
        check([2, 3, 4, 8, 16, 48, 0], 3, 1, [4, 3, 2, 48, 16, 8, 0]);
        check([3, 2, 8, 24, 24, 8, 0, 0], 2, 2, [3, 2, 8, 24, 24, 8, 0, 0]);
        check([3, -8, 100], 1, 1, [3, 8, 84]);
        check([3, -8, 8, 100, 200], 1, 2, [3, -8, 8, 100, 200]);
    }
}
