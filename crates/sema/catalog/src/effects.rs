//! What functions do to their arguments, as facts that passes can query. They are stated next to a function's rules, in
//! the index of the library, or with an `overload`, in one notation, in which a parameter is given by name and
//! position:
//!
//! ```text
//! heapq.heappush(heap, item)     appends=heap@0:item@1
//! random.shuffle(x)              mutates=x@0
//! sorted(iterable, key)          returns=list:iterable@0 calls=key@1 exhausts=iterable@0
//! zip(*iterables)                returns=items:*iterables@0
//! len(x)                         reads
//! ```
//!
//! Absent: effects of compiled functions, whose bodies inference sees.

use types::{SetKind, Type, TypeData, TypeTable};

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its position, after all others if it is keyword-only; for a method, the value is at 0.
    pub position: usize,
    /// Its name.
    pub name: String,
    /// Whether it stands for all arguments from there on.
    rest: bool,
    /// Whether it stands for all arguments that are given by name.
    any_name: bool,
}

impl Parameter {
    /// Whether this is `**names`.
    pub fn is_any_name(&self) -> bool {
        self.any_name
    }

    /// Whether an argument, given by position or name, is for this parameter.
    pub fn takes(&self, position: usize, name: Option<&str>) -> bool {
        match name {
            Some(name) => self.any_name || name == self.name,
            None => position == self.position || self.rest && position > self.position,
        }
    }
}

/// What is inserted into a container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Put {
    /// An item.
    Item(Parameter),
    /// The items of an iterable.
    Items(Parameter),
    /// A key and a value.
    Pair(Parameter, Parameter),
    /// The items of a dict, or pairs.
    Pairs(Parameter),
}

/// The list, dict or set that a result is or contains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Returned {
    /// An argument.
    Argument(Parameter),
    /// An item of an argument.
    Item(Parameter),
    /// All items of an argument, in another container or an iterator.
    Items(Parameter),
    /// A list of all items of an argument.
    Listed(Parameter),
    /// One of several arguments, or an item of the only one.
    Any(Parameter),
}

/// An iterator that is consumed before any other effect is observable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exhausted {
    /// The parameter.
    pub parameter: Parameter,
    /// The truth value of an item that ends it early.
    pub until: Option<bool>,
    /// Whether the function is better off with a tuple of the items.
    pub takes_tuple: bool,
}

/// The empty container that a call without arguments creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// A list; `rumba.typed.List` if true.
    List(bool),
    /// A set.
    Set(SetKind),
    /// A `collections.deque`.
    Deque,
    /// A dict.
    Dict,
    /// A `collections.Counter`.
    Counter,
    /// A `collections.OrderedDict`.
    OrderedDict,
}

impl Made {
    /// The type of such a container with unknown element types.
    pub fn ty(self, types: &TypeTable) -> Type {
        let item = Type::UNDEFINED;
        types.intern(match self {
            Made::List(typed) => TypeData::List { item, typed },
            Made::Set(kind) => TypeData::Set { item, kind },
            Made::Deque => return types.deque(item),
            Made::Dict => return types.dict(item, item),
            Made::Counter => return types.counter(item, Type::INT64),
            Made::OrderedDict => return types.ordered_dict(item, item),
        })
    }
}

/// A function with special rules in inference: the result of a call depends on more than the types of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// It calls a function for the items of iterables: `map`.
    Map,
    /// It calls a function for each item of an iterable, and keeps some: `filter`.
    Filter,
    /// Its keyword arguments are options, and all others are printed: `print`.
    Print,
    /// It copies a list into an array, which a comprehension can fill directly.
    Array,
    /// It requests the value of an argument.
    Literally,
    /// A loop over its result is unrolled.
    LiteralUnroll,
    /// It tells the type of its argument.
    RevealType,
    /// It reads an attribute: `getattr`.
    Getattr,
    /// It makes a dict that makes the values of missing keys: `defaultdict`.
    DefaultDict,
    /// It sends a value to a generator.
    Send,
    /// It raises an exception in a generator.
    Throw,
}

/// Whether a function distinguishes a member of an `IntEnum` from its value.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Shows {
    /// It gets the value.
    #[default]
    Never,
    /// As an element of a tuple, which shows its elements as `repr` does.
    InTuples,
    /// It gets the member.
    Always,
}

/// Facts about a function apart from its rules. By default nothing is known: it may mutate and store each of its
/// arguments.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FunctionInfo {
    is_stated: bool,
    /// Parameters that it changes, or whose items it changes, other than by what `puts` says.
    mutates: Vec<Parameter>,
    /// What it inserts into which parameter.
    pub puts: Vec<(Parameter, Put)>,
    /// Which lists, dicts and sets of its arguments the result is or contains. Memory shared by arrays is not included.
    pub returns: Vec<Returned>,
    /// Functions among its arguments that it calls, now or when its result is iterated over.
    calls: Vec<Parameter>,
    /// The iterator that it consumes.
    pub exhausts: Option<Exhausted>,
    /// The empty container that it creates without arguments.
    pub makes: Option<Made>,
    /// Whether it distinguishes enum members from their values.
    pub shows: Shows,
    /// Whether it returns one of two arguments, independent of their order, as `max` does.
    pub chooses: bool,
    /// Whether it accepts a dict with known keys.
    pub takes_known_keys: bool,
    /// Whether its implementation depends on all constants among its arguments, also on those in tuples: each combination has an
    /// instance of its own.
    pub keeps_constants: bool,
    /// Whether it is inlined into every caller, and so has no instance.
    pub is_inlined: bool,
    /// Which of the functions with special rules in inference it is.
    pub special: Option<Special>,
}

impl FunctionInfo {
    /// The facts of a function that only reads its arguments and returns a new value.
    pub fn reading() -> Self {
        FunctionInfo { is_stated: true, ..FunctionInfo::default() }
    }

    /// Parses the notation of this module; none if the text is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let mut info = FunctionInfo::default();
        for fact in text.split_whitespace() {
            info.add(fact)?;
        }
        Some(info)
    }

    fn add(&mut self, fact: &str) -> Option<()> {
        let (word, values) = fact.split_once('=').unwrap_or((fact, ""));
        // What it shows says nothing of its effects.
        self.is_stated |= !matches!(
            word,
            "shows" | "shows_in_tuples" | "makes" | "takes_known_keys" | "special" | "chooses"
        );
        match word {
            "reads" => {}
            "shows" => self.shows = Shows::Always,
            "shows_in_tuples" => self.shows = Shows::InTuples,
            "chooses" => self.chooses = true,
            "takes_known_keys" => self.takes_known_keys = true,
            "keeps_constants" => self.keeps_constants = true,
            "is_inlined" => self.is_inlined = true,
            "makes" => self.makes = Some(made(values)?),
            "special" => self.special = Some(special(values)?),
            _ => {
                for value in values.split(',') {
                    self.add_value(word, value)?;
                }
            }
        }
        Some(())
    }

    fn add_value(&mut self, word: &str, value: &str) -> Option<()> {
        let parts: Vec<&str> = value.split(':').collect();
        match (word, &parts[..]) {
            ("mutates", [one]) => self.mutates.push(parameter(one)?),
            ("calls", [one]) => self.calls.push(parameter(one)?),
            ("appends", [to, item]) => self.puts.push((parameter(to)?, Put::Item(parameter(item)?))),
            ("extends", [to, items]) => self.puts.push((parameter(to)?, Put::Items(parameter(items)?))),
            ("sets", [to, key, value]) => {
                self.puts.push((parameter(to)?, Put::Pair(parameter(key)?, parameter(value)?)));
            }
            ("updates", [to, pairs]) => self.puts.push((parameter(to)?, Put::Pairs(parameter(pairs)?))),
            ("returns", [one]) => self.returns.push(Returned::Argument(parameter(one)?)),
            ("returns", ["item", of]) => self.returns.push(Returned::Item(parameter(of)?)),
            ("returns", ["items", of]) => self.returns.push(Returned::Items(parameter(of)?)),
            ("returns", ["list", of]) => self.returns.push(Returned::Listed(parameter(of)?)),
            ("returns", ["any", of]) => self.returns.push(Returned::Any(parameter(of)?)),
            ("exhausts", [one, how @ ..]) => {
                let parameter = parameter(one)?;
                let (until, takes_tuple) = match how {
                    [] => (None, false),
                    ["tuple"] => (None, true),
                    ["True"] => (Some(true), false),
                    ["False"] => (Some(false), false),
                    _ => return None,
                };
                self.exhausts = Some(Exhausted { parameter, until, takes_tuple });
            }
            _ => return None,
        }
        Some(())
    }

    /// States this, too.
    pub fn state(&mut self, more: FunctionInfo) {
        self.is_stated |= more.is_stated;
        self.mutates.extend(more.mutates);
        self.puts.extend(more.puts);
        self.returns.extend(more.returns);
        self.calls.extend(more.calls);
        self.exhausts = self.exhausts.take().or(more.exhausts);
        self.makes = self.makes.or(more.makes);
        self.takes_known_keys |= more.takes_known_keys;
        self.keeps_constants |= more.keeps_constants;
        self.is_inlined |= more.is_inlined;
        self.chooses |= more.chooses;
        self.special = self.special.or(more.special);
        if self.shows == Shows::Never {
            self.shows = more.shows;
        }
    }

    /// States that the function only reads its arguments and returns a new value.
    pub fn reads(&mut self) -> &mut Self {
        self.is_stated = true;
        self
    }

    /// The facts of a call that either of two implementations may handle.
    pub fn or(mut self, other: FunctionInfo) -> Self {
        let is_stated = self.is_stated && other.is_stated;
        let exhausts = self.exhausts.take().filter(|own| Some(own) == other.exhausts.as_ref());
        self.state(other);
        FunctionInfo { is_stated, exhausts, ..self }
    }

    /// Whether anything is stated.
    pub fn is_stated(&self) -> bool {
        self.is_stated
    }

    /// Whether it may mutate the argument of a parameter.
    pub fn mutates(&self, position: usize, name: Option<&str>) -> bool {
        let is = |one: &Parameter| one.takes(position, name);
        !self.is_stated || self.mutates.iter().any(is) || self.puts.iter().any(|(to, _)| is(to))
    }

    /// Whether it may remove or overwrite items of a container argument.
    pub fn may_remove(&self) -> bool {
        !self.is_stated || !self.mutates.is_empty() || self.puts.iter().any(|(_, put)| is_replacing(put))
    }

    /// Whether an argument may be called.
    pub fn calls(&self, position: usize, name: Option<&str>) -> bool {
        !self.is_stated || self.calls.iter().any(|one| one.takes(position, name))
    }
}

/// What is put under a key may replace what was there.
fn is_replacing(put: &Put) -> bool {
    matches!(put, Put::Pair(..) | Put::Pairs(_))
}

/// `name@position`, `*name@position`, `**name@-`; `name@-` if it is given by name alone.
fn parameter(text: &str) -> Option<Parameter> {
    let (name, position) = text.split_once('@')?;
    let plain = name.trim_start_matches('*');
    let position = if position == "-" { usize::MAX } else { position.parse().ok()? };
    let (rest, any_name) = (name.starts_with('*') && !name.starts_with("**"), name.starts_with("**"));
    Some(Parameter { position, name: plain.to_owned(), rest, any_name })
}

fn made(text: &str) -> Option<Made> {
    Some(match text {
        "list" => Made::List(false),
        "typed_list" => Made::List(true),
        "set" => Made::Set(SetKind::Plain),
        "typed_set" => Made::Set(SetKind::Typed),
        "frozenset" => Made::Set(SetKind::Frozen),
        "deque" => Made::Deque,
        "dict" => Made::Dict,
        "counter" => Made::Counter,
        "ordered_dict" => Made::OrderedDict,
        _ => return None,
    })
}

fn special(text: &str) -> Option<Special> {
    Some(match text {
        "map" => Special::Map,
        "filter" => Special::Filter,
        "print" => Special::Print,
        "array" => Special::Array,
        "literally" => Special::Literally,
        "literal_unroll" => Special::LiteralUnroll,
        "reveal_type" => Special::RevealType,
        "getattr" => Special::Getattr,
        "default_dict" => Special::DefaultDict,
        "send" => Special::Send,
        "throw" => Special::Throw,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(text: &str) -> FunctionInfo {
        FunctionInfo::parse(text).unwrap_or_else(|| panic!("{text} cannot be read"))
    }

    #[test]
    fn what_is_not_stated_may_be() {
        let unknown = info("");
        assert!(unknown.mutates(0, None) && unknown.calls(3, Some("key")) && unknown.may_remove());
        assert_eq!(unknown, FunctionInfo::default());
        let reads = info("reads");
        assert!(!reads.mutates(0, None) && !reads.calls(0, None) && !reads.may_remove());
        assert_eq!(reads, FunctionInfo::reading());
        assert!(!info("shows makes=list special=map").is_stated());
    }

    #[test]
    fn parameters_are_positions_and_names() {
        let push = info("appends=heap@0:item@1 returns=item:heap@0");
        assert!(push.mutates(0, None) && push.mutates(7, Some("heap")) && !push.mutates(1, None));
        assert!(!push.may_remove() && info("sets=d@0:k@1:v@2").may_remove());
        let zip = info("calls=*functions@1");
        assert!(zip.calls(1, None) && zip.calls(5, None) && !zip.calls(0, None));
    }

    #[test]
    fn of_two_implementations_each_may_be_called() {
        let both = info("mutates=a@0 exhausts=b@1").or(info("mutates=b@1 exhausts=b@1"));
        assert!(both.mutates(0, None) && both.mutates(1, None) && both.exhausts.is_some());
        assert!(info("reads").or(info("")).mutates(0, None));
        assert!(info("exhausts=b@1:True").or(info("exhausts=b@1:False")).exhausts.is_none());
    }

    #[test]
    fn nothing_else_can_be_read() {
        for text in [
            "mutate=a@0",
            "mutates=a",
            "mutates",
            "appends=a@0",
            "returns=part:a@0",
            "exhausts=a@0:x",
            "makes=x",
            "special=x",
        ] {
            assert_eq!(FunctionInfo::parse(text), None, "{text}");
        }
    }
}
