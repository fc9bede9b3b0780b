/**
 * A key that a call keeps wherever it is made again. `base` is the run's id, or for an agent the key of the call that it
 * answers; the step belongs to it, since some models number their calls anew in every step.
 */
export function callKey(base: string, step: number, toolCallId: string): string {
  return `${base}/${step}/${toolCallId}`;
}
