import type { MessageProgress, ToolPart } from './state-draft.ts';
import type { ToolCallState } from './state.ts';

/** Notes that `shown` is behind its arguments. */
export function markStale({ stale }: MessageProgress, shown: ToolPart | ToolCallState): void {
  const { toolCallId } = shown;
  const behind = stale.get(toolCallId) ?? [];
  if (!behind.includes(shown)) stale.set(toolCallId, [...behind, shown]);
}

/** Updates all tool parts and calls that are behind their arguments, or those of one id. */
export function refreshInputs(progress: MessageProgress, toolCallId?: string): void {
  const { stale, inputs } = progress;
  if (toolCallId === undefined) {
    for (const id of stale.keys()) refreshInputs(progress, id);
    return;
  }
  for (const shown of stale.get(toolCallId) ?? []) {
    const isCall = 'inputText' in shown;
    const text = isCall ? shown.inputText : shown.rawInput;
    const value = shown.inputEncoding === 'text' ? text : inputs.get(toolCallId)?.value();
    if (!isCall) shown.input = value;
    else if (value === undefined) delete shown.partialInput;
    else shown.partialInput = value;
  }
  stale.delete(toolCallId);
}
