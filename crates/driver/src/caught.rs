//! Caught exceptions in the reference interpreter: the records are in blocks of its memory.
//!
//! Absent: attributes but for `args`, contexts and causes, which no compiled code looks at, and bases of users' classes, which Python knows.

use abi::{ExceptionClass, Runtime};
use diag::{Diagnostic, Result};
use interp::{State, Word};
use ir::Native;

/// Words of a block: the status, then what lay in the payload.
const WORDS: u64 = 1 + rt::PAYLOAD_WORDS as u64;

/// What a function of the host that is about caught exceptions gives; nothing for any other. `payload` is where arguments lie.
pub(crate) fn call(
    symbol: &str,
    args: &[Word],
    payload: Option<u64>,
    state: &mut State,
) -> Result<Option<Vec<Word>>> {
    let given = |at: usize| args.get(at).map_or(0, |word| word.bits());
    let results = match Runtime::from_symbol(symbol) {
        Some(Runtime::Catch | Runtime::Made) => {
            vec![Word::I64(catch(given(1), payload, state)?.cast_signed())]
        }
        Some(Runtime::StatusIs) => {
            let status = Word::I64(given(1).cast_signed());
            vec![Word::I1(is_of(status, given(2) as u32, state)?)]
        }
        Some(Runtime::Forget) => Vec::new(),
        Some(Runtime::CaughtExactly) => vec![Word::I1(is_exactly(given(0), given(1) as u32, state)?)],
        Some(Runtime::CaughtSame) if given(2) == 0 => vec![Word::I1(given(0) == given(1))],
        Some(Runtime::CaughtGet) => {
            get(given(0), given(2), given(4), state)?;
            vec![Word::I64(0)]
        }
        Some(Runtime::CaughtIs) => vec![Word::I1(is_a(given(0), given(1) as u32, state)?)],
        Some(Runtime::CaughtStatus) => vec![status(given(0), payload, state)?],
        Some(Runtime::CaughtWords) => vec![Word::I1(words([given(0), given(1), given(2), given(3)], state)?)],
        Some(Runtime::StopToError) => vec![Word::I64(given(1).cast_signed())],
        Some(Runtime::CaughtContext | Runtime::CaughtCause | Runtime::Through) => Vec::new(),
        _ => return Ok(None),
    };
    Ok(Some(results))
}

fn fault(what: String) -> Box<Diagnostic> {
    Diagnostic::internal("the interpreter", what)
}

fn place(owner: u64) -> u64 {
    owner + abi::ITEMS as u64
}

fn catch(status: u64, payload: Option<u64>, state: &mut State) -> Result<u64> {
    let owner = state.alloc(8 * WORDS, true).map_err(fault)?.bits();
    state.memory.store(place(owner), Word::I64(status.cast_signed())).map_err(fault)?;
    let has_payload = state.site_of(Word::I64(status.cast_signed())).is_some_and(|site| site.payload);
    for at in (0..WORDS - 1).filter(|_| has_payload) {
        // Words after the last argument were never written.
        let Some(Ok(word)) = payload.map(|payload| state.memory.load(Native::I64, payload + 8 * at)) else {
            break;
        };
        state.memory.store(place(owner) + 8 + 8 * at, word).map_err(fault)?;
    }
    Ok(owner)
}

fn is_a(owner: u64, wanted: u32, state: &mut State) -> Result<bool> {
    let status = state.memory.load(Native::I64, place(owner)).map_err(fault)?;
    is_of(status, wanted, state)
}

fn is_of(status: Word, wanted: u32, state: &mut State) -> Result<bool> {
    let site = state.site_of(status).ok_or_else(|| fault("a status that nobody raised".into()))?;
    let wanted = ExceptionClass::from_index(wanted);
    match (site.user_class, wanted) {
        (None, Some(wanted)) => Ok(site.class.is_a(wanted)),
        (None, None) => Ok(false),
        (Some(_), _) => Err(fault("the bases of a class of the user are not known here".into())),
    }
}

/// Whether it is of the very class of a number.
fn is_exactly(owner: u64, wanted: u32, state: &mut State) -> Result<bool> {
    let status = state.memory.load(Native::I64, place(owner)).map_err(fault)?;
    let site = state.site_of(status).ok_or_else(|| fault("a status that nobody raised".into()))?;
    Ok(match site.user_class {
        Some(class) => class | types::USER_EXCEPTION == wanted,
        None => site.class as u32 == wanted,
    })
}

/// The words that an exception was made of, if they lie as expected.
fn words([owner, class, layout, out]: [u64; 4], state: &mut State) -> Result<bool> {
    let status = state.memory.load(Native::I64, place(owner)).map_err(fault)?;
    let site = state.site_of(status).ok_or_else(|| fault("a status that nobody raised".into()))?;
    let known = site.message.as_ref().filter(|_| site.payload && site.user_class.is_none());
    let fits = known.is_some_and(|known| abi::layout_hash(known.as_bytes()) == layout);
    if !fits || !is_of(status, class as u32, state)? {
        return Ok(false);
    }
    for at in 0..WORDS - 1 {
        let word = state.memory.load(Native::I64, place(owner) + 8 + 8 * at).map_err(fault)?;
        state.memory.store(out + 8 * at, word).map_err(fault)?;
    }
    Ok(true)
}

/// The attribute `args` where the arguments lie in the payload as they do in machine values.
fn get(owner: u64, text: u64, out: u64, state: &mut State) -> Result<()> {
    let status = state.memory.load(Native::I64, place(owner)).map_err(fault)?;
    let site = state.site_of(status).ok_or_else(|| fault("a status that nobody raised".into()))?;
    let (has_payload, known) = (site.payload, site.message.clone());
    let mut is_named = |wanted: &[u8]| -> Result<bool> {
        for (at, &byte) in (0..).zip(wanted) {
            let found = state.memory.load(Native::I8, text + at).map_err(fault)?;
            if found.bits() as u8 != byte {
                return Ok(false);
            }
        }
        Ok(true)
    };
    if is_named(b"value\n")? && !has_payload {
        return state.memory.store(out, Word::I64(0)).map_err(fault);
    }
    if !is_named(b"args\n")? {
        return Err(fault("attributes of exceptions are not known here".into()));
    }
    let layout = known.filter(|_| has_payload).unwrap_or_default();
    if layout.is_empty() || !layout.chars().all(|letter| "iufb()".contains(letter)) {
        return Err(fault("arguments of exceptions other than numbers are not known here".into()));
    }
    let words = layout.chars().filter(|&letter| letter.is_ascii_alphabetic()).count() as u64;
    for at in 0..words {
        let word = state.memory.load(Native::I64, place(owner) + 8 + 8 * at).map_err(fault)?;
        state.memory.store(out + 8 * at, word).map_err(fault)?;
    }
    Ok(())
}

fn status(owner: u64, payload: Option<u64>, state: &mut State) -> Result<Word> {
    let status = state.memory.load(Native::I64, place(owner)).map_err(fault)?;
    if let Some(payload) = payload.filter(|_| state.site_of(status).is_some_and(|site| site.payload)) {
        for at in 0..WORDS - 1 {
            let word = state.memory.load(Native::I64, place(owner) + 8 + 8 * at).map_err(fault)?;
            state.memory.store(payload + 8 * at, word).map_err(fault)?;
        }
    }
    Ok(status)
}
