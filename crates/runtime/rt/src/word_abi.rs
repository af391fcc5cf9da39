//! Runtime functions as functions on 64-bit words, so that the reference interpreter calls the
//! very code that compiled functions call.

/// A value of one word.
pub(crate) trait Word: Copy {
    /// The value with these bits.
    fn from_word(word: u64) -> Self;
    /// Its bits.
    fn into_word(self) -> u64;
}

impl Word for u64 {
    fn from_word(word: u64) -> Self {
        word
    }
    fn into_word(self) -> u64 {
        self
    }
}

impl Word for i64 {
    fn from_word(word: u64) -> Self {
        word.cast_signed()
    }
    fn into_word(self) -> u64 {
        self.cast_unsigned()
    }
}

impl Word for f64 {
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }
    fn into_word(self) -> u64 {
        self.to_bits()
    }
}

impl<A: abi::Machine, B: abi::Machine> abi::Returned for Pair<A, B> {
    const NATIVES: &'static [abi::Native] = &[A::NATIVE, B::NATIVE];
}

/// Two results: a struct that the calling convention returns in registers.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair<A, B>(pub A, pub B);

/// Results of a runtime function: one word or two.
pub(crate) trait Results {
    /// The words; the second is 0 if there is one alone.
    fn words(self) -> [u64; 2];
}

impl<T: Word> Results for T {
    fn words(self) -> [u64; 2] {
        [self.into_word(), 0]
    }
}

impl<A: Word, B: Word> Results for Pair<A, B> {
    fn words(self) -> [u64; 2] {
        [self.0.into_word(), self.1.into_word()]
    }
}

/// A runtime function on words. Missing arguments count as 0.
pub type WordFn = fn(&[u64]) -> [u64; 2];

/// A function of words: its row, its address, and the same function on words.
pub(crate) type Row = (abi::Runtime, fn() -> abi::Linked, WordFn);

/// Functions of words, by the names of their rows.
macro_rules! runtime_functions {
    ($($row:ident = $path:path: ($($arg:ident: $ty:ty),*) -> $result:ty;)*) => {
        pub(crate) const TABLE: &[$crate::word_abi::Row] = &[$((
            abi::Runtime::$row,
            || abi::linked!(abi::Runtime::$row => $path, $($ty)*),
            |words| {
                #[allow(unused_mut, unused_variables)]
                let mut words = words.iter().copied().chain(std::iter::repeat(0));
                $(let $arg = <$ty as $crate::word_abi::Word>::from_word(words.next().unwrap_or(0));)*
                $crate::word_abi::Results::words($path($($arg),*))
            },
        )),*];
    };
}
pub(crate) use runtime_functions;
