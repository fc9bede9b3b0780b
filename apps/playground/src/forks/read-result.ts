import type { ToolCallState } from '@cueline/core';

/** How a result is written: as JSON, as plain text, or as the error of a call that fails. */
export type ResultKind = 'json' | 'text' | 'error';

/** What a call has returned, as text that can be edited. */
export function writeResult({ state, output, errorText = '' }: ToolCallState): {
  kind: ResultKind;
  text: string;
} {
  if (state === 'output-error') return { kind: 'error', text: errorText };
  if (typeof output === 'string') return { kind: 'text', text: output };
  return { kind: 'json', text: JSON.stringify(output ?? null, undefined, 2) };
}

/** The result as it was written, or what is wrong with the text. */
export function readResult(
  kind: ResultKind,
  text: string,
): { output: unknown } | { error: string } | { fault: string } {
  if (kind === 'text') return { output: text };
  if (kind === 'error') {
    return text.trim() === ''
      ? { fault: 'An error needs a sentence that the model reads. Write one, such as: The service is down.' }
      : { error: text };
  }
  try {
    return { output: JSON.parse(text) as unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { fault: `This is not JSON: ${why}. Write a value such as {"ok": true}, or choose Text.` };
  }
}
