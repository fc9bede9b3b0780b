/** The header in which a route names the run of its answer. */
export const RUN_HEADER = 'x-cueline-run';
