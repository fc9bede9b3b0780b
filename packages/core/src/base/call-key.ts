/**
 * Returns a key that stays the same when a call is made again. `base` is the run's id, or for an agent the key of the
 * call that it answers. The step is part of the key, because some models number their calls anew in every step.
 */
export function callKey(base: string, step: number, toolCallId: string): string {
  return `${base}/${step}/${toolCallId}`;
}
