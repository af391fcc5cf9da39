#!/usr/bin/env python3
"""Prints the opcode table of this interpreter as Rust: crates/ir/bytecode/src/tables/v3XX.rs.

Run under each CPython: `python3.12 tools/gen_opcodes.py > crates/ir/bytecode/src/tables/v312.rs`.
Numbers, names and cache sizes come from the `opcode` module; what each name means for the
decoder stands below. A name without an entry here stops the generator.
"""

import dis
import opcode
import sys

VERSION = sys.version_info[:2]

# Names that never stand in `co_code` at the start of an instruction.
ABSENT = {"CACHE", "RESERVED", "INTERPRETER_EXIT", "EXIT_INIT_CHECK", "ENTER_EXECUTOR"}

FORMS = {
    "Nop": "NOP RESUME PRECALL COPY_FREE_VARS END_SEND END_FOR",
    # No payload.
    "Fixed": """POP_TOP PUSH_NULL LOAD_LOCALS LOAD_BUILD_CLASS LOAD_ASSERTION_ERROR SETUP_ANNOTATIONS
        BINARY_SUBSCR STORE_SUBSCR DELETE_SUBSCR BINARY_SLICE STORE_SLICE TO_BOOL LIST_TO_TUPLE
        FORMAT_SIMPLE FORMAT_WITH_SPEC MAKE_FUNCTION GET_ITER PUSH_EXC_INFO POP_EXCEPT
        CHECK_EXC_MATCH CHECK_EG_MATCH BEFORE_WITH BEFORE_ASYNC_WITH WITH_EXCEPT_START
        RETURN_GENERATOR GET_YIELD_FROM_ITER GET_AITER GET_ANEXT END_ASYNC_FOR CLEANUP_THROW
        GET_LEN MATCH_MAPPING MATCH_SEQUENCE MATCH_KEYS""",
    # The argument is a slot, a name, a constant, a number of elements of the stack.
    "Local": """LOAD_FAST STORE_FAST DELETE_FAST LOAD_FAST_AND_CLEAR MAKE_CELL LOAD_CLOSURE
        LOAD_DEREF STORE_DEREF DELETE_DEREF LOAD_FROM_DICT_OR_DEREF""",
    "Name": """STORE_NAME DELETE_NAME LOAD_NAME STORE_GLOBAL DELETE_GLOBAL LOAD_FROM_DICT_OR_GLOBALS
        LOAD_ATTR LOAD_METHOD STORE_ATTR DELETE_ATTR IMPORT_NAME IMPORT_FROM""",
    "Const": "LOAD_CONST",
    "Count": """COPY SWAP BUILD_TUPLE BUILD_LIST BUILD_SET BUILD_MAP BUILD_CONST_KEY_MAP BUILD_STRING
        BUILD_SLICE LIST_APPEND SET_ADD MAP_ADD LIST_EXTEND SET_UPDATE DICT_UPDATE DICT_MERGE
        UNPACK_SEQUENCE""",
    # Any other number.
    "Number": "MATCH_CLASS GET_AWAITABLE",
    "Forward": """POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
        JUMP_IF_TRUE_OR_POP JUMP_IF_FALSE_OR_POP""",
    # A function of `normalize.rs` with the opcode's name.
    "Special": """LOAD_FAST_LOAD_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST LOAD_CLASSDEREF
        LOAD_GLOBAL LOAD_SUPER_ATTR BINARY_OP IS_OP CONTAINS_OP UNPACK_EX FORMAT_VALUE
        CONVERT_VALUE KW_NAMES CALL CALL_KW CALL_FUNCTION_EX SET_FUNCTION_ATTRIBUTE
        CALL_INTRINSIC_1 CALL_INTRINSIC_2 RETURN_CONST RAISE_VARARGS RERAISE
        PRINT_EXPR IMPORT_STAR""",
}

# Whatever is not simply the opcode's name in camel case.
EXACT = {
    "EXTENDED_ARG": "Extend",
    "LOAD_FAST_CHECK": "Local(Op::LoadFast)",
    "UNARY_POSITIVE": "Fixed(Op::Unary(UnaryOp::Positive))",
    "UNARY_NEGATIVE": "Fixed(Op::Unary(UnaryOp::Negative))",
    "UNARY_NOT": "Fixed(Op::Unary(UnaryOp::Not))",
    "UNARY_INVERT": "Fixed(Op::Unary(UnaryOp::Invert))",
    "RETURN_VALUE": "Fixed(Op::Return)",
    "YIELD_VALUE": "Fixed(Op::Yield)",
    "ASYNC_GEN_WRAP": "Fixed(Op::CallIntrinsic1(Intrinsic1::AsyncGenWrap))",
    "PREP_RERAISE_STAR": "Fixed(Op::CallIntrinsic2(Intrinsic2::PrepReraiseStar))",
    "JUMP_FORWARD": "Forward(Op::Jump)",
    "JUMP_BACKWARD": "Backward(Op::Jump)",
    "JUMP_BACKWARD_NO_INTERRUPT": "Backward(Op::Jump)",
    "FOR_ITER": "Forward(normalize::for_iter)",
    "SEND": "Forward(normalize::send)",
}

# The same name, another meaning.
BY_VERSION = {
    (3, 11): {
        "COMPARE_OP": "Special(normalize::compare_op)",
        "MAKE_FUNCTION": "Special(normalize::make_function_with_flags)",
    },
    (3, 12): {
        "COMPARE_OP": "Special(normalize::compare_op_shifted_4)",
        "LOAD_ATTR": "Special(normalize::load_attr_or_method)",
        "MAKE_FUNCTION": "Special(normalize::make_function_with_flags)",
    },
    (3, 13): {
        "COMPARE_OP": "Special(normalize::compare_op_shifted_5)",
        "LOAD_ATTR": "Special(normalize::load_attr_or_method)",
        "LOAD_FAST": "Special(normalize::load_fast_or_closure)",
        "END_FOR": "Special(normalize::end_for_with_pop)",
    },
}


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def form(name):
    if name in BY_VERSION[VERSION]:
        return BY_VERSION[VERSION][name]
    if name in EXACT:
        return EXACT[name]
    for direction, word in (("FORWARD", "Forward"), ("BACKWARD", "Backward")):
        if name.startswith(f"POP_JUMP_{direction}_"):  # 3.11 has one for each direction.
            return f"{word}(Op::{camel(name.replace(direction + '_', ''))})"
    for kind, names in FORMS.items():
        if name in names.split():
            if kind == "Nop":
                return "Fixed(Op::Nop)"
            return f"Special(normalize::{name.lower()})" if kind == "Special" else f"{kind}(Op::{camel(name)})"
    raise SystemExit(f"{name} has no meaning for the decoder yet")


def main():
    caches = opcode._inline_cache_entries
    cache_size = (lambda name, number: caches.get(name, 0)) if isinstance(caches, dict) else (
        lambda name, number: caches[number])
    has_arg = dis.hasarg.__contains__ if hasattr(dis, "hasarg") else lambda number: number >= dis.HAVE_ARGUMENT
    rows = []
    for name, number in sorted(opcode.opmap.items(), key=lambda item: item[1]):
        if number < 256 and name not in ABSENT and not name.startswith("INSTRUMENTED_"):
            rows.append(f'    row({number}, "{name}", {cache_size(name, number)}, '
                        f'{str(has_arg(number)).lower()}, {form(name)}),')
    uses = [name for name in ("Intrinsic1", "Intrinsic2", "Op", "UnaryOp") if any(f"({name}::" in row for row in rows)]
    print(f"//! The opcodes of CPython {VERSION[0]}.{VERSION[1]}: number, name, cache units, whether it has an\n"
          "//! argument, meaning. Generated by tools/gen_opcodes.py; absent here is what never stands in\n"
          "//! `co_code`. Do not edit.\n\n"
          "use super::{Form::*, Row, row};\n"
          f"use crate::{{{', '.join(uses)}, normalize}};\n\n"
          "#[rustfmt::skip]\n"
          "pub(super) const ROWS: &[Row] = &[")
    print("\n".join(rows))
    print("];")


if __name__ == "__main__":
    main()
