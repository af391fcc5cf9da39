//! The description of a module: texts and numbers in one block of bytes, written by the build and read by the import.

/// A module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Description {
    /// Its dotted name.
    pub name: String,
    /// Types that its machine code knows by a number, with their names.
    pub types: Vec<(u32, String)>,
    /// What its machine code calls, in the order of the table of addresses.
    pub links: Vec<String>,
    /// Arrays that are a part of it.
    pub arrays: Vec<Array>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// Its ufuncs.
    pub ufuncs: Vec<UFunc>,
}

/// An array that a function read as a global when it was built.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Array {
    /// The name of its dtype.
    pub dtype: String,
    /// Its shape.
    pub shape: Vec<i64>,
    /// Its strides in bytes.
    pub strides: Vec<i64>,
    /// Its size in the module in bytes, and the offset of the first item in these.
    pub size: u32,
    /// The same of the first item.
    pub first: u32,
}

/// A ufunc of NumPy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UFunc {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: String,
    /// How many operands are read.
    pub inputs: u32,
    /// How many are results.
    pub outputs: u32,
    /// What a reduction begins with, by NumPy's number.
    pub identity: i32,
    /// The layout of rows; empty for a function of items.
    pub layout: String,
    /// Operands that are read and written.
    pub changed: Vec<u32>,
    /// NumPy's numbers of the types of all operands, loop by loop.
    pub kinds: Vec<u8>,
    /// How many loops there are.
    pub loops: u32,
}

/// A function of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: String,
    /// Names of its parameters.
    pub params: Vec<String>,
    /// Parameters that take no keyword.
    pub positional_only: u32,
    /// Parameters that can be given by position, the former included.
    pub positional: u32,
    /// Numbers of the parameters that may be left out.
    pub optional: Vec<u32>,
    /// A tuple of what stands for these, as `marshal` writes it.
    pub defaults: Vec<u8>,
    /// What it is compiled for, at least once.
    pub overloads: Vec<Overload>,
}

/// Machine code of a function for types of arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Overload {
    /// Names of the types of the parameters.
    pub params: Vec<String>,
    /// Name of the type of the result.
    pub result: String,
    /// Whether it runs without the GIL.
    pub release_gil: bool,
}

impl Description {
    /// The bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        text(&mut out, &self.name);
        all(&mut out, &self.types, |out, (index, name)| {
            number(out, *index);
            text(out, name);
        });
        all(&mut out, &self.links, |out, link| text(out, link));
        all(&mut out, &self.arrays, |out, array| {
            text(out, &array.dtype);
            all(out, &array.shape, |out, &length| word(out, length));
            all(out, &array.strides, |out, &stride| word(out, stride));
            number(out, array.size);
            number(out, array.first);
        });
        all(&mut out, &self.ufuncs, |out, ufunc| {
            text(out, &ufunc.name);
            text(out, &ufunc.doc);
            number(out, ufunc.inputs);
            number(out, ufunc.outputs);
            number(out, ufunc.identity.cast_unsigned());
            text(out, &ufunc.layout);
            all(out, &ufunc.changed, |out, &at| number(out, at));
            bytes(out, &ufunc.kinds);
            number(out, ufunc.loops);
        });
        all(&mut out, &self.functions, |out, function| {
            text(out, &function.name);
            text(out, &function.doc);
            all(out, &function.params, |out, name| text(out, name));
            number(out, function.positional_only);
            number(out, function.positional);
            all(out, &function.optional, |out, &index| number(out, index));
            bytes(out, &function.defaults);
            all(out, &function.overloads, |out, overload| {
                all(out, &overload.params, |out, name| text(out, name));
                text(out, &overload.result);
                number(out, u32::from(overload.release_gil));
            });
        });
        out
    }

    /// What the bytes say; nothing if they are no description.
    pub fn read(from: &[u8]) -> Option<Description> {
        let mut reader = Reader(from);
        let read = Description {
            name: reader.text()?,
            types: reader.all(|reader| Some((reader.number()?, reader.text()?)))?,
            links: reader.all(Reader::text)?,
            arrays: reader.all(|reader| {
                Some(Array {
                    dtype: reader.text()?,
                    shape: reader.all(Reader::word)?,
                    strides: reader.all(Reader::word)?,
                    size: reader.number()?,
                    first: reader.number()?,
                })
            })?,
            ufuncs: reader.all(|reader| {
                Some(UFunc {
                    name: reader.text()?,
                    doc: reader.text()?,
                    inputs: reader.number()?,
                    outputs: reader.number()?,
                    identity: reader.number()?.cast_signed(),
                    layout: reader.text()?,
                    changed: reader.all(Reader::number)?,
                    kinds: reader.bytes()?.to_vec(),
                    loops: reader.number()?,
                })
            })?,
            functions: reader.all(|reader| {
                Some(Function {
                    name: reader.text()?,
                    doc: reader.text()?,
                    params: reader.all(Reader::text)?,
                    positional_only: reader.number()?,
                    positional: reader.number()?,
                    optional: reader.all(Reader::number)?,
                    defaults: reader.bytes()?.to_vec(),
                    overloads: reader.all(|reader| {
                        Some(Overload {
                            params: reader.all(Reader::text)?,
                            result: reader.text()?,
                            release_gil: reader.number()? != 0,
                        })
                    })?,
                })
            })?,
        };
        reader.0.is_empty().then_some(read)
    }
}

fn number(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn word(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    number(out, value.len() as u32);
    out.extend_from_slice(value);
}

fn text(out: &mut Vec<u8>, value: &str) {
    bytes(out, value.as_bytes());
}

fn all<T>(out: &mut Vec<u8>, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    number(out, items.len() as u32);
    items.iter().for_each(|item| write(out, item));
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn word(&mut self) -> Option<i64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(i64::from_le_bytes(*word))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn all<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let overload = Overload { params: vec!["int64".into()], result: "none".into(), release_gil: true };
        let function = Function {
            name: "f".into(),
            doc: "é".into(),
            params: vec!["x".into(), "y".into()],
            positional: 2,
            optional: vec![1],
            defaults: vec![1, 2, 3],
            overloads: vec![overload],
            ..Function::default()
        };
        let links = vec!["rumba_incref".into()];
        let types = vec![(40, "int64".into())];
        let array = Array { dtype: "int8".into(), shape: vec![2], strides: vec![-1], size: 2, first: 1 };
        let ufunc =
            UFunc { name: "u".into(), identity: -1, changed: vec![2], kinds: vec![7], ..UFunc::default() };
        let (arrays, ufuncs) = (vec![array], vec![ufunc]);
        let module =
            Description { name: "a.b".into(), types, links, arrays, functions: vec![function], ufuncs };
        let written = module.write();
        assert_eq!(Description::read(&written), Some(module));
        assert!((0..written.len()).all(|end| Description::read(&written[..end]).is_none()));
    }
}
