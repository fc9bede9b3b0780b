import type { ToolCallbacks, ToolContext, ToolFunction } from './tool-types.ts';

type Plain = (args: unknown, context: ToolContext) => unknown;

/** Returns a tool's function with its callbacks around each call. A streaming function stays one. */
export function withCallbacks(fn: Plain, callbacks: ToolCallbacks): ToolFunction {
  if (Object.values(callbacks).every((callback) => callback === undefined)) return fn;
  return isStreaming(fn) ? streaming(fn, callbacks) : plain(fn, callbacks);
}

function plain(fn: Plain, { beforeCall, onSuccess, onError }: ToolCallbacks): ToolFunction {
  return async (args, context) => {
    try {
      const early = await beforeCall?.(args, context);
      if (early !== undefined) return early;
      const output = await lastOutput(fn(args, context), context.abortSignal);
      const replaced = await onSuccess?.(args, output, context);
      return replaced === undefined ? output : replaced;
    } catch (error) {
      return recovered(onError, args, error, context);
    }
  };
}

function streaming(fn: Plain, { beforeCall, onSuccess, onError }: ToolCallbacks): ToolFunction {
  return async function* (args, context): AsyncGenerator<unknown, void, undefined> {
    try {
      const early = await beforeCall?.(args, context);
      if (early !== undefined) {
        yield early;
        return;
      }
      let last: unknown;
      for await (const output of fn(args, context) as AsyncIterable<unknown>) yield (last = output);
      const replaced = await onSuccess?.(args, last, context);
      if (replaced !== undefined) yield replaced;
    } catch (error) {
      yield await recovered(onError, args, error, context);
    }
  };
}

async function recovered(
  onError: ToolCallbacks['onError'],
  args: unknown,
  error: unknown,
  context: ToolContext,
): Promise<unknown> {
  const output = await onError?.(args, error, context);
  if (output === undefined) throw error;
  return output;
}

/** Returns the result of a call; of a series of outputs, the last one. Ends the series once the signal aborts. */
export async function lastOutput(result: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const output = await result;
  if (!isAsyncIterable(output)) return output;
  const outputs = output[Symbol.asyncIterator]();
  // not awaited, because a generator that waits forever does not answer this either
  const end = (): void => void (async () => outputs.return?.())().catch(() => {});
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  try {
    let last: unknown;
    for await (const next of { [Symbol.asyncIterator]: () => outputs }) last = next;
    // a series that was ended has no result
    signal?.throwIfAborted();
    return last;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

/** True for an async generator function, whose outputs are shown as they come. */
export function isStreaming(fn: unknown): boolean {
  return Object.prototype.toString.call(fn) === '[object AsyncGeneratorFunction]';
}

/** True for a series of outputs. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
