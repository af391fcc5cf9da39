//! Divides a loop into chunks.
//!
//! Both follow from the iterations, their estimated cost and the thread's chunk size, never from the number of threads.

use crate::thread::chunk_size;
use abi::WORTH_A_LAUNCH;

/// Chunks of a loop whose chunk size nobody has set, at most: enough to balance uneven work, few enough to combine.
const MAX_CHUNKS: i64 = 256;

/// Chunks at most where the chunk size is set.
const MAX_BY_SIZE: i64 = 1 << 16;

/// Nanoseconds of work that a chunk has at least.
const GRAIN: i64 = 2_500;

/// The number of chunks for a number of iterations, each of which takes about `cost` nanoseconds; 0 if that is not known. 1: the work is
/// not worth a launch.
pub fn chunk_count(iterations: i64, cost: i64) -> i64 {
    chunk_count_of_work(iterations, if cost <= 0 { i64::MAX } else { iterations.saturating_mul(cost) })
}

/// The same where all iterations together take about `work` nanoseconds.
pub fn chunk_count_of_work(iterations: i64, work: i64) -> i64 {
    let size = chunk_size();
    if iterations <= 1 {
        return iterations.max(0);
    }
    if size > 0 {
        return iterations.div_euclid(size).max(1).min(MAX_BY_SIZE);
    }
    if work < WORTH_A_LAUNCH { 1 } else { (work / GRAIN).clamp(2, MAX_CHUNKS).min(iterations) }
}

/// The first iteration of a chunk and the one after its last.
pub fn chunk_bounds(iterations: i64, chunks: i64, chunk: i64) -> (i64, i64) {
    let bound = |k: i64| (i128::from(k) * i128::from(iterations) / i128::from(chunks)) as i64;
    (bound(chunk), bound(chunk + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::set_chunk_size;

    #[test]
    fn chunks_cover_every_iteration_once() {
        for (iterations, chunks) in [(1, 1), (7, 3), (256, 256), (1000, 256), (i64::MAX, 255)] {
            let mut next = 0;
            for chunk in 0..chunks {
                let (begin, end) = chunk_bounds(iterations, chunks, chunk);
                assert!(begin == next && end > begin, "{iterations} {chunks} {chunk}");
                next = end;
            }
            assert_eq!(next, iterations);
        }
    }

    #[test]
    fn small_work_is_one_chunk_and_sizes_are_kept() {
        assert_eq!([chunk_count(0, 5), chunk_count(-3, 5), chunk_count(1, 0)], [0, 0, 1]);
        assert_eq!([chunk_count(100, 1), chunk_count(100, 0), chunk_count(100, 1_000_000)], [1, 100, 100]);
        assert_eq!([chunk_count(1 << 40, 1), chunk_count(i64::MAX, i64::MAX)], [MAX_CHUNKS, MAX_CHUNKS]);
        assert_eq!(chunk_count(10_000, 1), 4);
        let before = set_chunk_size(10);
        assert_eq!([chunk_count(100, 1), chunk_count(5, 1), chunk_count(105, 0)], [10, 1, 10]);
        assert_eq!(chunk_count(i64::MAX, 0), MAX_BY_SIZE);
        set_chunk_size(before);
    }
}
