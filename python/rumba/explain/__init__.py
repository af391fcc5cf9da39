"""Pictures of what became of functions: `control_flow` draws graphs."""
