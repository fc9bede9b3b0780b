import type { FlexibleSchema } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import { parseWith, toValidator, type ToolSchema } from './schema.ts';
import { isForeignSuspension, isSuspension } from './suspend.ts';
import { lastOutput } from './tool-callbacks.ts';
import type { ToolFunction } from './tool-types.ts';

/** Returns the schema of a tool's result. @throws CuelineError `invalid_definition` */
export function readOutputSchema(name: string, schema: ToolSchema): FlexibleSchema {
  if (typeof schema === 'function' || (typeof schema === 'object' && schema !== null)) {
    return toValidator(name, schema);
  }
  throw new CuelineError(
    'invalid_definition',
    `The outputSchema of tool ${name} is ${quoteValue(schema)}. Use a schema such as z.object({ … }), or leave it out.`,
  );
}

/**
 * Returns a tool's function with its result parsed by the schema. A result that does not fit is the tool's error. Of
 * several outputs, the last is the result. A suspended call has no result yet.
 */
export function withOutputSchema(
  name: string,
  fn: ToolFunction,
  schema: FlexibleSchema,
  streams: boolean,
): ToolFunction {
  const read = async (output: unknown): Promise<unknown> => {
    if (isSuspension(output) && !isForeignSuspension(output)) return output;
    try {
      return await parseWith(schema, output);
    } catch (error) {
      const why = thrownText(error);
      throw new CuelineError(
        'parse_failed',
        `Tool ${name} returned something that does not fit its outputSchema: ${why}`,
        { cause: error, source: 'tool' },
      );
    }
  };
  if (!streams)
    return async (args, context) => read(await lastOutput(fn(args, context), context.abortSignal));
  return async function* (args, context): AsyncGenerator<unknown, void, undefined> {
    // only the last output is parsed, and it is known to be the last once no other follows
    const held: unknown[] = [];
    for await (const output of fn(args, context) as AsyncIterable<unknown>) {
      yield* held.splice(0);
      held.push(output);
    }
    yield await read(held[0]);
  };
}
