import { CuelineError, type PromptDefinition } from '@cueline/core';
import { readInput } from '@cueline/core/server';
import { utf8Length } from '../base/utf8-length.ts';
import { HttpError } from '../http/respond.ts';

/** Limits of a client's input. */
export type InputLimits = { inputBytes: number; inputNodes: number; inputDepth: number };

/**
 * Refuses input above the size or depth limits, and any input of a prompt without an input schema. Must be called
 * before anything else walks over the input, because it walks without recursion. Throws an {@link HttpError}.
 */
export function checkInputSize(
  { name, input: schema }: PromptDefinition<unknown>,
  input: unknown,
  limits: InputLimits,
): void {
  if (input === undefined) return;
  if (schema === undefined) {
    throw new HttpError(
      'unsupported_field',
      `The prompt "${name}" takes no input. Leave input out; or give the prompt a schema for it: definePrompt('${name}', …, { input: z.object({ … }) }).`,
    );
  }
  const open: { value: unknown; depth: number }[] = [{ value: input, depth: 1 }];
  let bytes = 0;
  let nodes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    nodes += 1;
    if (typeof value === 'object' && value !== null) {
      if (depth > limits.inputDepth)
        throw tooLargeError('is nested deeper than', limits.inputDepth, 'levels');
      const isList = Array.isArray(value);
      const items = isList ? (value as unknown[]) : Object.values(value);
      bytes += 2 + items.length;
      if (!isList) for (const key of Object.keys(value)) bytes += utf8Length(key) + 3;
      if (nodes + open.length + items.length > limits.inputNodes) {
        throw tooLargeError('has more than', limits.inputNodes, 'values');
      }
      for (const item of items) open.push({ value: item, depth: depth + 1 });
    } else bytes += typeof value === 'string' ? utf8Length(value) + 2 : String(value).length;
    if (bytes > limits.inputBytes) throw tooLargeError('has more than', limits.inputBytes, 'bytes');
  }
}

/**
 * Refuses input that does not fit the prompt's schema, with the path of each issue. The run parses the input again,
 * so the parsed value is not in the log.
 */
export async function checkInput(definition: PromptDefinition<unknown>, input: unknown): Promise<void> {
  if (definition.input === undefined) return;
  try {
    await readInput(definition.name, definition.input, input, true);
  } catch (error) {
    if (!CuelineError.isInstance(error) || error.code !== 'invalid_input') throw error;
    throw new HttpError('invalid_input', error.message);
  }
}

function tooLargeError(what: string, most: number, unit: string): HttpError {
  return new HttpError(
    'too_large',
    `input ${what} ${most} ${unit}, which is the most that this route takes. Send less.`,
  );
}
