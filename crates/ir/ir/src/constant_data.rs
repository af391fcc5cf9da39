//! Constant data of a unit: bytes in its object, addressed by symbol.

/// What such symbols begin with; the bytes follow as hexadecimal digits.
const PREFIX: &str = "rumba_bytes.";

/// The symbol of these bytes. They begin at a multiple of 8, and a null follows them.
pub fn bytes_symbol(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    let digits = bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]);
    PREFIX.chars().chain(digits).collect()
}

/// The bytes that a symbol stands for, if it stands for some; the null after them is there.
pub fn symbol_bytes(symbol: &str) -> Option<Vec<u8>> {
    let digits = symbol.strip_prefix(PREFIX)?.as_bytes();
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    let bytes = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, &digit| byte << 4 | value(digit)));
    Some(bytes.chain([0]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_lead_back_to_their_bytes() {
        for bytes in [&b""[..], b"a", b"\x00\xff text"] {
            let found = symbol_bytes(&bytes_symbol(bytes)).unwrap();
            assert_eq!(found.split_last(), Some((&0, bytes)));
        }
        assert_eq!(symbol_bytes("rumba_print"), None);
    }
}
