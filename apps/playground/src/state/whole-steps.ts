import type { RunEvent } from '@cueline/core';

/**
 * The number of the step at which the run of a log can go on: the one after its last whole step that called tools; 0
 * if there is none. A call that was under way is made again.
 */
export function stepToContinueAt(log: readonly RunEvent[]): number {
  const open = new Set<string>();
  let hasCalled = false;
  let next = 0;
  for (const event of log) {
    if (event.agent !== undefined) continue;
    if (event.type === 'step-start') {
      open.clear();
      hasCalled = false;
    } else if (event.type === 'tool-input-end' && event.providerExecuted !== true) {
      hasCalled = true;
      if (event.invalid === undefined) open.add(event.toolCallId);
    } else if (event.type === 'tool-end' || event.type === 'tool-error') {
      open.delete(event.toolCallId);
    } else if (event.type === 'step-end' && hasCalled && open.size === 0 && event.finishReason !== 'error') {
      next = event.step + 1;
    }
  }
  return next;
}
