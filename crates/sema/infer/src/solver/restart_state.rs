//! What one attempt at inferring a group finds out and the next one needs.
//!
//! Choices that other types follow from cannot be taken back by the fixpoint, whose types only grow. So
//! they are noted here, and everything is inferred again: implementations that turned out to be of no
//! use, parameters of which a function wants to know the value, and list displays that change after all.

use crate::WantedLiterals;
use crate::desugar::dispatch_errors::RaisingMember;
use catalog::ExtensionQuery;
use diag::Diagnostic;
use entity::{HashMap, HashSet};
use ir::Inst;
use std::collections::BTreeSet;
use std::sync::Arc;
use types::{Handle, Type};

/// A function and types of arguments.
pub(crate) type InstanceKey = (Handle, Vec<Type>);

/// How often a group may be inferred again.
const MAX_ATTEMPTS: usize = 200;

/// A loop that is to be written out.
#[derive(Clone, Copy)]
pub(crate) struct Unrolled {
    /// The call or `getiter` with which it begins.
    pub start: Inst,
    pub iterations: usize,
    /// Whether the items are those of a list that never changes.
    pub is_list: bool,
}

/// Which operand of an instruction is the object that tells what it means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// An operand, by its number.
    Operand(usize),
    /// That of the bound method which is called.
    Receiver,
}

/// An instruction that is written out for each class of an object.
#[derive(Clone)]
pub(crate) struct Dispatch {
    pub inst: Inst,
    pub object: Object,
    pub classes: Arc<[Type]>,
}

/// A class pattern whose subject is an object.
pub(crate) struct ObjectPattern {
    pub inst: Inst,
    pub class: Type,
    /// What its parts are matched with.
    pub attributes: Vec<String>,
}

/// A branch that tests the class of an object.
#[derive(Clone, Copy)]
pub(crate) struct ClassTest {
    pub branch: Inst,
    /// The class, or a union of those that were asked for.
    pub class: Type,
    /// Whether None is one of these.
    pub none: bool,
}

#[derive(Default)]
pub(crate) struct RestartState {
    /// Of a call, why its first implementations are of no use.
    useless: HashMap<ExtensionQuery, Vec<String>>,
    /// Parameters of which a function wants to know the value, in the order of an instance's types.
    literals: HashMap<Handle, BTreeSet<usize>>,
    /// The same of what was asked for.
    wanted: WantedLiterals,
    /// Loops to be written out, with the number of their iterations, by instance (of none: what was asked for).
    unrolled: HashMap<Option<InstanceKey>, Vec<Unrolled>>,
    /// Calls of methods through the class of their first argument, by instance.
    unbound: HashMap<Option<InstanceKey>, Vec<Inst>>,
    /// Branches that test values which may be None, by instance.
    optional_tests: HashMap<Option<InstanceKey>, Vec<Inst>>,
    /// Branches that test the classes of objects, by instance.
    class_tests: HashMap<Option<InstanceKey>, Vec<ClassTest>>,
    /// Instructions that are written out for each class of an object, with the attempt that found them, by instance.
    dispatches: HashMap<Option<InstanceKey>, Vec<(usize, Dispatch)>>,
    /// Of instructions that are written out for each type of a value: those for each.
    members: HashMap<Option<InstanceKey>, Vec<Vec<Inst>>>,
    /// Those of them that raise.
    raising: HashMap<Option<InstanceKey>, Vec<RaisingMember>>,
    /// Instances in which copies for each class will have other numbers than in this attempt.
    renumbered: HashSet<Option<InstanceKey>>,
    /// Calls of `getattr` that read an attribute with this name, by instance.
    getattrs: HashMap<Option<InstanceKey>, Vec<(Inst, Arc<str>)>>,
    /// Instructions that raise a class which runs code when it is called, by instance.
    raised_classes: HashMap<Option<InstanceKey>, Vec<Inst>>,
    /// Class patterns whose subjects are objects, by instance.
    object_patterns: HashMap<Option<InstanceKey>, Vec<ObjectPattern>>,
    /// Displays of dicts and sets whose keys are equal by methods, by instance.
    key_displays: HashMap<Option<InstanceKey>, Vec<Inst>>,
    /// Instructions some of whose operands are iterated over as a class or an extension says, with their numbers, by instance.
    user_iterables: HashMap<Option<InstanceKey>, Vec<(Inst, Vec<usize>)>>,
    /// Displays that a call changes which was found to do so late, by instance.
    changing: HashMap<Option<InstanceKey>, Vec<Inst>>,
    /// What cells on the heap hold, by instance: the types of functions say so before all of it is known.
    heap_cells: HashMap<(Option<InstanceKey>, Inst), Type>,
    /// What failed for displays that never change.
    failure: Option<Box<Diagnostic>>,
    /// Generator expressions that are generators like any other.
    generators: BTreeSet<Handle>,
    restart: bool,
    /// Whether a display was found to be changed since inference began again.
    has_changing: bool,
    attempts: usize,
    /// Which guess is taken of what Python sends to generators, and whether one was.
    guess: usize,
    has_guessed: bool,
}

impl RestartState {
    pub fn new(wanted: WantedLiterals) -> Self {
        RestartState { wanted, ..RestartState::default() }
    }

    /// The instructions that stand for one in the case of each type of a value.
    pub fn note_members(&mut self, instance: &Option<InstanceKey>, members: Vec<Vec<Inst>>) {
        self.members.insert(instance.clone(), members);
    }

    /// Whether an instruction is one for a member of a union, and those for the others do not all raise.
    pub fn may_raise(&self, instance: &Option<InstanceKey>, inst: Inst) -> bool {
        let raises = |inst: &Inst| self.raising(instance).any(|known| known.inst == *inst);
        let all = self.members.get(instance).into_iter().flatten();
        all.filter(|members| members.contains(&inst))
            .any(|members| !members.iter().all(|other| *other == inst || raises(other)))
    }

    /// An operation for a member of a union raises.
    pub fn note_raising(&mut self, instance: Option<InstanceKey>, member: RaisingMember) {
        self.restart();
        self.raising.entry(instance).or_default().push(member);
    }

    pub fn raising(&self, instance: &Option<InstanceKey>) -> impl Iterator<Item = &RaisingMember> {
        self.raising.get(instance).into_iter().flatten()
    }

    /// Everything is to be inferred again.
    pub fn restart(&mut self) {
        self.restart = self.attempts < MAX_ATTEMPTS;
    }

    pub fn will_restart(&self) -> bool {
        self.restart
    }

    pub fn take_restart(&mut self) -> bool {
        self.renumbered.clear();
        self.attempts += 1;
        self.has_changing = false;
        std::mem::take(&mut self.restart)
    }

    /// Which of the types that may be guessed is taken for what Python sends to a generator.
    pub fn guess(&mut self) -> usize {
        self.has_guessed = true;
        self.guess
    }

    /// Whether another guess may help where an attempt failed.
    pub fn guess_again(&mut self, count: usize) -> bool {
        let again = std::mem::take(&mut self.has_guessed) && self.guess + 1 < count;
        self.guess += usize::from(again);
        again
    }

    /// A display is changed by a call. Loops may have been written out for what it seemed to hold; they, and what was noted of
    /// their copies, are found again if they still are to be.
    pub fn note_changing(&mut self, instance: Option<InstanceKey>, display: Inst) {
        let unrolled = self.unrolled.entry(instance.clone()).or_default();
        if let Some(first) = unrolled.iter().position(|one| one.is_list) {
            unrolled.truncate(first);
            self.unbound.remove(&instance);
            self.optional_tests.remove(&instance);
            self.renumber(&instance);
            self.getattrs.remove(&instance);
            self.raised_classes.remove(&instance);
            self.key_displays.remove(&instance);
            self.user_iterables.remove(&instance);
            self.object_patterns.remove(&instance);
        }
        self.changing.entry(instance).or_default().push(display);
        self.has_changing = true;
        self.restart();
    }

    /// A cell on the heap holds more than the types of functions that escaped say.
    pub fn note_heap_cell(&mut self, instance: Option<InstanceKey>, maker: Inst, content: Type) {
        self.heap_cells.insert((instance, maker), content);
        self.restart();
    }

    /// What a cell on the heap holds, if that was found out late.
    pub fn heap_cell(&self, instance: Option<InstanceKey>, maker: Inst) -> Option<Type> {
        self.heap_cells.get(&(instance, maker)).copied()
    }

    /// Generator expressions are generators. Whether that is news.
    pub fn note_generators(&mut self, expressions: &[Handle]) -> bool {
        let known = self.generators.len();
        self.generators.extend(expressions);
        let is_news = self.generators.len() > known;
        if is_news {
            self.restart();
        }
        is_news
    }

    /// Whether a generator expression is a generator like any other.
    pub fn is_generator(&self, expression: Handle) -> bool {
        self.generators.contains(&expression)
    }

    /// What failed before something was taken for what is more general: if that does not help, it is what is reported.
    pub fn note_failure(&mut self, failure: Box<Diagnostic>) {
        self.failure.get_or_insert(failure);
    }

    pub fn take_failure(&mut self) -> Option<Box<Diagnostic>> {
        self.failure.take()
    }

    /// Whether a display was found to be changed by a call.
    pub fn changes(&self, instance: &Option<InstanceKey>, display: Inst) -> bool {
        self.changing.get(instance).is_some_and(|known| known.contains(&display))
    }

    /// Why the first implementations for a call are of no use.
    pub fn useless(&self, query: &ExtensionQuery) -> &[String] {
        self.useless.get(query).map(Vec::as_slice).unwrap_or_default()
    }

    /// The next implementation for a call is of no use either.
    pub fn note_useless(&mut self, query: ExtensionQuery, why: String) {
        self.useless.entry(query).or_default().push(why);
    }

    /// A function wants to know the value of a parameter. Whether that is news.
    pub fn want_literal(&mut self, function: Handle, parameter: usize) -> bool {
        self.literals.entry(function).or_default().insert(parameter)
    }

    /// Whether a function wants to know the value of a parameter.
    pub fn wants_literal(&self, function: Handle, parameter: usize) -> bool {
        self.literals.get(&function).is_some_and(|known| known.contains(&parameter))
    }

    /// Whether a function wants to know the value of any parameter.
    pub fn wants_any_literal(&self, function: Handle) -> bool {
        self.literals.contains_key(&function)
    }

    /// The loop over the result of a call is to be written out, after those noted before. One over a list is found again if the
    /// list still holds what its type says when displays that change are known.
    pub fn note_unrolled(&mut self, instance: Option<InstanceKey>, unrolled: Unrolled) {
        if unrolled.is_list && self.has_changing && self.will_restart() {
            return;
        }
        self.renumber(&instance);
        self.unrolled.entry(instance).or_default().push(unrolled);
        self.restart();
    }

    /// Branches test values that may be None.
    pub fn note_optional_tests(&mut self, instance: Option<InstanceKey>, branches: Vec<Inst>) {
        self.optional_tests.entry(instance).or_default().extend(branches);
        self.restart();
    }

    /// The branches that were found to test values which may be None.
    pub fn optional_tests(&self, instance: &Option<InstanceKey>) -> &[Inst] {
        self.optional_tests.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// Branches test the classes of objects.
    pub fn note_class_tests(&mut self, instance: Option<InstanceKey>, tests: Vec<ClassTest>) {
        self.restart();
        if !self.renumbered.contains(&instance) {
            self.class_tests.entry(instance).or_default().extend(tests);
        }
    }

    /// The branches that were found to test the classes of objects.
    pub fn class_tests(&self, instance: &Option<InstanceKey>) -> &[ClassTest] {
        self.class_tests.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// An instruction is to be written out for each class of an object, or for more classes than were known.
    pub fn note_dispatch(&mut self, instance: Option<InstanceKey>, dispatch: Dispatch) {
        self.restart();
        if self.renumbered.contains(&instance) {
            return;
        }
        let known = self.dispatches.entry(instance.clone()).or_default();
        let at = known.iter().position(|(_, one)| one.inst == dispatch.inst && one.object == dispatch.object);
        match at {
            Some(at) if known[at].0 == self.attempts => known[at].1 = dispatch,
            // Those behind it may be of copies that were made for each class.
            Some(at) => {
                known.truncate(at);
                known.push((self.attempts, dispatch));
                self.renumbered.insert(instance);
            }
            None => known.push((self.attempts, dispatch)),
        }
    }

    /// Something is rewritten before objects are told apart by their classes, so that the copies that this makes will have other numbers:
    /// all is found again.
    fn renumber(&mut self, instance: &Option<InstanceKey>) {
        self.dispatches.remove(instance);
        self.raising.remove(instance);
        self.class_tests.remove(instance);
        self.renumbered.insert(instance.clone());
    }

    /// The instructions of an instance that are to be written out for each class, in this order.
    pub fn dispatches(&self, instance: &Option<InstanceKey>) -> impl Iterator<Item = &Dispatch> {
        self.dispatches.get(instance).into_iter().flatten().map(|(_, dispatch)| dispatch)
    }

    /// A call is one of a method through the class of its first argument.
    pub fn note_unbound(&mut self, instance: Option<InstanceKey>, call: Inst) {
        self.renumber(&instance);
        self.unbound.entry(instance).or_default().push(call);
        self.restart();
    }

    /// Such calls of an instance.
    pub fn unbound(&self, instance: &Option<InstanceKey>) -> &[Inst] {
        self.unbound.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// A call of `getattr` reads an attribute.
    pub fn note_getattr(&mut self, instance: Option<InstanceKey>, call: Inst, name: Arc<str>) {
        self.renumber(&instance);
        self.getattrs.entry(instance).or_default().push((call, name));
        self.restart();
    }

    /// Such calls of an instance, with the names.
    pub fn getattrs(&self, instance: &Option<InstanceKey>) -> &[(Inst, Arc<str>)] {
        self.getattrs.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// A class is raised that runs code when it is called.
    pub fn note_raised_class(&mut self, instance: Option<InstanceKey>, raise: Inst) {
        self.renumber(&instance);
        self.raised_classes.entry(instance).or_default().push(raise);
        self.restart();
    }

    /// The instructions of an instance that raise such classes.
    pub fn raised_classes(&self, instance: &Option<InstanceKey>) -> &[Inst] {
        self.raised_classes.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// The subject of a class pattern is an object.
    pub fn note_object_pattern(&mut self, instance: Option<InstanceKey>, pattern: ObjectPattern) {
        self.renumber(&instance);
        self.object_patterns.entry(instance).or_default().push(pattern);
        self.restart();
    }

    /// Such patterns of an instance.
    pub fn object_patterns(&self, instance: &Option<InstanceKey>) -> &[ObjectPattern] {
        self.object_patterns.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// The keys of a display are equal by methods.
    pub fn note_key_display(&mut self, instance: Option<InstanceKey>, display: Inst) {
        self.renumber(&instance);
        self.key_displays.entry(instance).or_default().push(display);
        self.restart();
    }

    /// Such displays of an instance.
    pub fn key_displays(&self, instance: &Option<InstanceKey>) -> &[Inst] {
        self.key_displays.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// Operands of an instruction are iterated over as a class or an extension says.
    pub fn note_user_iterables(&mut self, instance: Option<InstanceKey>, user: Inst, operands: Vec<usize>) {
        self.renumber(&instance);
        self.user_iterables.entry(instance).or_default().push((user, operands));
        self.restart();
    }

    /// Such instructions of an instance.
    pub fn user_iterables(&self, instance: &Option<InstanceKey>) -> &[(Inst, Vec<usize>)] {
        self.user_iterables.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// The loops of an instance that are to be written out, in this order.
    pub fn unrolled(&self, instance: &Option<InstanceKey>) -> &[Unrolled] {
        self.unrolled.get(instance).map(Vec::as_slice).unwrap_or_default()
    }

    /// What was asked for must be asked for with the value of this parameter.
    pub fn want_literal_of_root(&mut self, parameter: usize) {
        self.wanted.borrow_mut().insert(parameter);
    }
}
