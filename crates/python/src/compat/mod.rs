//! What Numba's extensions take part in: pipelines, rewrites, control-flow graphs, kernels of stencils.

pub mod custom_pipeline;
pub(crate) mod flow_graph;
pub(crate) mod stencil_kernel;
pub(crate) mod user_rewrites;
