//! `str` and `String`. What does not change from round to round is hidden from the optimiser, as it is in compiled Python.

use crate::string;
use std::hint::black_box;

/// A kernel that adds up a number over so many rounds.
macro_rules! rounds {
    ($name:ident, |$s:ident, $t:ident, $u:ident| $value:expr) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            s: *const u8,
            s_length: i64,
            t: *const u8,
            t_length: i64,
            u: *const u8,
            u_length: i64,
            n: i64,
        ) -> f64 {
            // SAFETY: as promised.
            let ($s, $t, $u) = unsafe { (string(s, s_length), string(t, t_length), string(u, u_length)) };
            let mut total = 0i64;
            for _ in 0..n {
                let ($s, $t, $u) = (black_box($s), black_box($t), black_box($u));
                let _ = ($s, $t, $u);
                total += $value as i64;
            }
            total as f64
        }
    };
}

rounds!(equal, |s, t, _u| s == t);
rounds!(less, |s, t, _u| s < t);
rounds!(find, |s, t, _u| s.find(t).map_or(-1, |at| at as i64));
rounds!(count, |s, t, _u| s.matches(t).count());
rounds!(replace, |s, t, u| s.replace(t, u).chars().count());
rounds!(concatenate, |s, t, _u| (s.to_owned() + t).chars().count());
rounds!(split, |s, t, _u| s.split(t).map(str::to_owned).collect::<Vec<String>>().len());
rounds!(split_spaces, |s, _t, _u| s.split_whitespace().map(str::to_owned).collect::<Vec<String>>().len());
rounds!(upper, |s, _t, _u| s.to_uppercase().chars().count());
rounds!(characters, |s, _t, _u| s.chars().filter(|&c| c == 'a').count());
rounds!(slices, |s, _t, _u| (0..s.len() as i64 - 3).map(|j| s[j as usize..j as usize + 3].len() as i64).sum::<i64>());

#[unsafe(no_mangle)]
pub unsafe extern "C" fn join(
    s: *const u8,
    s_length: i64,
    t: *const u8,
    t_length: i64,
    _u: *const u8,
    _u_length: i64,
    n: i64,
) -> f64 {
    // SAFETY: as promised.
    let (s, t) = unsafe { (string(s, s_length), string(t, t_length)) };
    let parts: Vec<&str> = s.split(',').collect();
    let mut total = 0;
    for _ in 0..n {
        total += black_box(&parts).join(t).chars().count();
    }
    total as f64
}
