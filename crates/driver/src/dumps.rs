//! Dumps: which stages are printed during compilation, and where.

use crate::stage::Stage;
use std::sync::Arc;

/// A position in the list of passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Point {
    /// Before the pass of this name, or before every pass (`all`).
    Before(String),
    /// After the pass of this name, or after every pass (`all`).
    After(String),
}

/// Which stages are printed.
#[derive(Clone)]
pub struct Dumps {
    /// Stages by name.
    pub stages: Vec<Stage>,
    /// Stages by the passes around them.
    pub points: Vec<Point>,
    /// Whether the verifier runs after every pass.
    pub verify: bool,
    /// Whether LLVM's remarks about loops are collected.
    pub remarks: bool,
    sink: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Dumps {
    /// No dumps; verification in debug builds. Text goes to `sink`.
    pub fn none(sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let verify = cfg!(debug_assertions);
        Dumps { stages: Vec::new(), points: Vec::new(), verify, remarks: false, sink: Arc::new(sink) }
    }

    /// Reads `RUMBA_DUMP_<STAGE>`, the `NUMBA_DUMP_<STAGE>` names, `RUMBA_DEBUG_PRINT_BEFORE` and
    /// `_AFTER` (names of passes, or `all`) and `RUMBA_VERIFY`.
    pub fn from_environment(sink: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let mut dumps = Dumps::none(sink);
        dumps.stages = Stage::ALL
            .iter()
            .copied()
            .filter(|stage| is_set(&format!("DUMP_{}", stage.variable())))
            .collect();
        for (variable, make) in [("BEFORE", Point::Before as fn(String) -> Point), ("AFTER", Point::After)] {
            let names = variable_value(&format!("DEBUG_PRINT_{variable}")).unwrap_or_default();
            for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                dumps.points.push(make(name.to_owned()));
            }
        }
        dumps.verify |= is_set("VERIFY");
        dumps.remarks = is_set("REMARKS");
        dumps
    }

    /// The same with these stages, if some are chosen.
    pub(crate) fn chosen(&self, stages: Option<&[Stage]>) -> Dumps {
        Dumps { stages: stages.unwrap_or(&self.stages).to_vec(), ..self.clone() }
    }

    /// The same without dumps.
    pub(crate) fn silent(&self) -> Dumps {
        Dumps { stages: Vec::new(), points: Vec::new(), ..self.clone() }
    }

    /// Prints a stage under a heading.
    pub(crate) fn print(&self, stage: Stage, function: &str, text: &str) {
        let heading = format!("{}: {function}", stage.title());
        (self.sink)(&format!("{heading:-^80}\n{}\n", text.trim_end()));
    }
}

fn variable_value(name: &str) -> Option<String> {
    ["RUMBA", "NUMBA"].iter().find_map(|prefix| std::env::var(format!("{prefix}_{name}")).ok())
}

fn is_set(name: &str) -> bool {
    variable_value(name).is_some_and(|value| !matches!(value.trim(), "" | "0"))
}
