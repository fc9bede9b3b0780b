import { capText } from '../base/cap-text.ts';
import { isError, thrownText } from '../base/error-source.ts';

/** Returns any value that a tool threw as text for the model and the log, of at most 256 KB. */
export function toolErrorText(error: unknown): string {
  if (error === '') return 'The tool failed without a reason.';
  if (typeof error === 'string') return capText(error);
  if (typeof error !== 'object' || error === null) return `The tool threw ${thrownText(error)}.`;
  try {
    // with the error's name before its message
    const text = isError(error) ? String(error) : JSON.stringify(error);
    if (typeof text === 'string') return capText(text);
  } catch {
    // a getter that throws, a cycle, a BigInt
  }
  return `The tool threw ${thrownText(error)}.`;
}
