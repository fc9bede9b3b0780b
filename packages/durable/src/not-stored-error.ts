/** The error of a store that cannot create a run, because another run has its id. */
export function notStoredError(runId: string): Error {
  return new Error(
    `Run ${runId} could not be stored: another run already has this id, or the run with this key was deleted a moment ago. Start it again with a new id.`,
  );
}
