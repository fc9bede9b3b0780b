/** The error of a store that cannot create a run, because another run has its id. */
export function notStoredError(runId: string): Error {
  return new Error(
    `Run ${runId} could not be stored: a run with another key has its id, or the run that had its key was deleted just now. Start it again, with a new id.`,
  );
}
