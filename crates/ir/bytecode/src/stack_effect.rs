//! What each [`Op`] does to the stack and to control, as facts: enough to verify depths
//! without knowing what an instruction means.
//!
//! Absent: the simulation itself (the `frontend` room).

use crate::Op;

/// Elements taken from the top of the stack and put back in their place. An instruction that
/// only looks at elements takes and puts back all down to the deepest one, so `pops` is also
/// the depth that must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackEffect {
    /// Elements that must be there and go.
    pub pops: u32,
    /// Elements that come.
    pub pushes: u32,
}

/// Short form of [`StackEffect`] for the table below.
const fn fx(pops: u32, pushes: u32) -> StackEffect {
    StackEffect { pops, pushes }
}

impl StackEffect {
    /// The depth after it, or `None` if the stack is too low.
    pub fn apply(self, depth: u32) -> Option<u32> {
        depth.checked_sub(self.pops)?.checked_add(self.pushes)
    }
}

impl Op {
    /// The effect on the way to the next instruction (for an end: what it takes).
    pub fn effect(self) -> StackEffect {
        use Op::*;
        match self {
            Nop | Jump(_) | SetupAnnotations => fx(0, 0),
            DeleteFast(_) | MakeCell(_) | DeleteDeref(_) => fx(0, 0),
            DeleteGlobal(_) | DeleteName(_) => fx(0, 0),
            PushNull | LoadConst(_) | LoadFast(_) | LoadFastAndClear(_) => fx(0, 1),
            LoadClosure(_) | LoadDeref(_) | LoadLocals | LoadGlobal(_) | LoadName(_) => fx(0, 1),
            LoadBuildClass | LoadAssertionError | ReturnGenerator => fx(0, 1),
            PopTop | PopExcept | Return | Reraise { lasti: 0 } => fx(1, 0),
            StoreFast(_) | StoreDeref(_) | StoreGlobal(_) | StoreName(_) => fx(1, 0),
            DeleteAttr(_) | PopJumpIfTrue(_) | PopJumpIfFalse(_) => fx(1, 0),
            PopJumpIfNone(_) | PopJumpIfNotNone(_) => fx(1, 0),
            JumpIfTrueOrPop(_) | JumpIfFalseOrPop(_) => fx(1, 0),
            LoadFromDictOrDeref(_) | LoadFromDictOrGlobals(_) | LoadAttr(_) => fx(1, 1),
            Unary(_) | ToBool | ListToTuple | ConvertValue(_) | FormatSimple => fx(1, 1),
            MakeFunction | CallIntrinsic1(_) | GetIter => fx(1, 1),
            Yield | GetYieldFromIter | GetAwaitable(_) | GetAiter => fx(1, 1),
            LoadMethod(_) | ImportFrom(_) | ForIter { .. } | PushExcInfo => fx(1, 2),
            BeforeWith | BeforeAsyncWith | GetAnext => fx(1, 2),
            GetLen | MatchMapping | MatchSequence => fx(1, 2),
            StoreAttr(_) | DeleteSubscr | EndAsyncFor => fx(2, 0),
            BinarySubscr | Binary(_) | InplaceBinary(_) | Compare(_) => fx(2, 1),
            Is { .. } | Contains { .. } | FormatWithSpec | SetFunctionAttribute(_) => fx(2, 1),
            CallIntrinsic2(_) | ImportName(_) => fx(2, 1),
            CheckExcMatch | CheckEgMatch | Send { .. } => fx(2, 2),
            MatchKeys => fx(2, 3),
            StoreSubscr => fx(3, 0),
            BinarySlice | MatchClass(_) | CleanupThrow => fx(3, 1),
            StoreSlice => fx(4, 0),
            WithExceptStart => fx(4, 5),
            LoadSuperAttr { method, .. } => fx(3, 1 + u32::from(method)),
            CallFunctionEx { keywords } => fx(3 + u32::from(keywords), 1),
            Reraise { lasti } => fx(lasti.saturating_add(1), lasti),
            Raise(n) => fx(n, 0),
            _ => self.counted_effect(),
        }
    }

    /// [`Op::effect`] of the instructions with a count.
    fn counted_effect(self) -> StackEffect {
        use Op::*;
        match self {
            Copy(n) => fx(n, n.saturating_add(1)),
            Swap(n) => fx(n, n),
            BuildTuple(n) | BuildList(n) | BuildSet(n) | BuildString(n) | BuildSlice(n) => fx(n, 1),
            BuildMap(n) => fx(n.saturating_mul(2), 1),
            BuildConstKeyMap(n) => fx(n.saturating_add(1), 1),
            ListAppend(n) | SetAdd(n) | ListExtend(n) | SetUpdate(n) | DictUpdate(n) | DictMerge(n) => {
                fx(n.saturating_add(1), n)
            }
            MapAdd(n) => fx(n.saturating_add(2), n),
            UnpackSequence(n) => fx(1, n),
            UnpackEx { before, after } => fx(1, before.saturating_add(after).saturating_add(1)),
            Call { argc, .. } => fx(argc.saturating_add(2), 1),
            _ => unreachable!("every instruction without a count is in `effect`"),
        }
    }

    /// The effect on the way to [`Op::target`], if there is one.
    pub fn jump_effect(self) -> Option<StackEffect> {
        match self {
            Op::Jump(_) => Some(fx(0, 0)),
            Op::PopJumpIfTrue(_)
            | Op::PopJumpIfFalse(_)
            | Op::PopJumpIfNone(_)
            | Op::PopJumpIfNotNone(_)
            | Op::ForIter { .. } => Some(fx(1, 0)),
            Op::JumpIfTrueOrPop(_) | Op::JumpIfFalseOrPop(_) => Some(fx(1, 1)),
            Op::Send { .. } => Some(fx(2, 1)),
            _ => None,
        }
    }

    /// Byte offset of the instruction it may jump to.
    pub fn target(self) -> Option<u32> {
        match self {
            Op::Jump(target)
            | Op::PopJumpIfTrue(target)
            | Op::PopJumpIfFalse(target)
            | Op::PopJumpIfNone(target)
            | Op::PopJumpIfNotNone(target)
            | Op::JumpIfTrueOrPop(target)
            | Op::JumpIfFalseOrPop(target)
            | Op::ForIter { exit: target }
            | Op::Send { exit: target } => Some(target),
            _ => None,
        }
    }

    /// Whether the next instruction may follow. Together with [`Op::target`] this is what ends
    /// a basic block.
    pub fn falls_through(self) -> bool {
        !matches!(self, Op::Jump(_) | Op::Return | Op::Raise(_) | Op::Reraise { .. })
    }
}
