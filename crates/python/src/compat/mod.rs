//! Support for Numba's extension interfaces: pipelines, rewrites, control-flow graphs, stencil kernels.

pub mod custom_pipeline;
pub(crate) mod explicit_text;
pub(crate) mod flow_graph;
pub(crate) mod stage_passes;
pub(crate) mod stencil_kernel;
pub(crate) mod user_rewrites;
