//! Names of the bytecode's operators and intrinsics in the IR.
//!
//! Absent: what they do to the stack (`translate`).

use bytecode::{BinaryOp, CompareOp, Intrinsic1, Intrinsic2, UnaryOp};

pub(crate) fn binary_op(op: BinaryOp) -> ir::BinaryOp {
    match op {
        BinaryOp::Add => ir::BinaryOp::Add,
        BinaryOp::And => ir::BinaryOp::And,
        BinaryOp::FloorDivide => ir::BinaryOp::FloorDiv,
        BinaryOp::LeftShift => ir::BinaryOp::Shl,
        BinaryOp::MatrixMultiply => ir::BinaryOp::MatMul,
        BinaryOp::Multiply => ir::BinaryOp::Mul,
        BinaryOp::Remainder => ir::BinaryOp::Mod,
        BinaryOp::Or => ir::BinaryOp::Or,
        BinaryOp::Power => ir::BinaryOp::Pow,
        BinaryOp::RightShift => ir::BinaryOp::Shr,
        BinaryOp::Subtract => ir::BinaryOp::Sub,
        BinaryOp::TrueDivide => ir::BinaryOp::TrueDiv,
        BinaryOp::Xor => ir::BinaryOp::Xor,
    }
}

pub(crate) fn unary_op(op: UnaryOp) -> ir::UnaryOp {
    match op {
        UnaryOp::Positive => ir::UnaryOp::Pos,
        UnaryOp::Negative => ir::UnaryOp::Neg,
        UnaryOp::Not => ir::UnaryOp::Not,
        UnaryOp::Invert => ir::UnaryOp::Invert,
    }
}

pub(crate) fn compare_op(op: CompareOp) -> ir::CompareOp {
    match op {
        CompareOp::Less => ir::CompareOp::Lt,
        CompareOp::LessEqual => ir::CompareOp::Le,
        CompareOp::Equal => ir::CompareOp::Eq,
        CompareOp::NotEqual => ir::CompareOp::Ne,
        CompareOp::Greater => ir::CompareOp::Gt,
        CompareOp::GreaterEqual => ir::CompareOp::Ge,
    }
}

pub(crate) fn intrinsic_1(intrinsic: Intrinsic1) -> &'static str {
    match intrinsic {
        Intrinsic1::Print => "print_expression",
        Intrinsic1::ImportStar => "import_star",
        Intrinsic1::StopIterationError => "stop_iteration_error",
        Intrinsic1::AsyncGenWrap => "async_generator_wrap",
        Intrinsic1::TypeVar => "type_variable",
        Intrinsic1::ParamSpec => "parameter_specification",
        Intrinsic1::TypeVarTuple => "type_variable_tuple",
        Intrinsic1::SubscriptGeneric => "subscript_generic",
        Intrinsic1::TypeAlias => "type_alias",
    }
}

pub(crate) fn intrinsic_2(intrinsic: Intrinsic2) -> &'static str {
    match intrinsic {
        Intrinsic2::PrepReraiseStar => "prepare_reraise_star",
        Intrinsic2::TypeVarWithBound => "type_variable_with_bound",
        Intrinsic2::TypeVarWithConstraints => "type_variable_with_constraints",
        Intrinsic2::SetFunctionTypeParams => "function_type_parameters",
        Intrinsic2::SetTypeParamDefault => "type_parameter_default",
    }
}
