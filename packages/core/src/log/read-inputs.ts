import type { MessageProgress } from './message.ts';

/** Brings up to date what shows arguments that have gone on: all of it, or that of one id. */
export function readInputs({ stale, inputs }: MessageProgress, toolCallId?: string): void {
  for (const shown of stale) {
    if (toolCallId !== undefined && shown.toolCallId !== toolCallId) continue;
    stale.delete(shown);
    const text = 'inputText' in shown ? shown.inputText : shown.rawInput;
    const value = shown.inputEncoding === 'text' ? text : inputs.get(shown.toolCallId)?.value();
    if (!('inputText' in shown)) shown.input = value;
    else if (value === undefined) delete shown.partialInput;
    else shown.partialInput = value;
  }
}
