import { CuelineError } from '../base/errors.ts';
import type { StreamTextOptions } from '../prompt/call-settings.ts';
import type { ModelTimeouts } from './call-timeouts.ts';

/** The default time limit of one tool call: 5 minutes. Waiting for an approval or for the page does not count. */
const TOOL_MS = 300_000;

/** The limits that `options.timeout` sets. */
export type Timeouts = {
  model: ModelTimeouts;
  /** Returns the time limit of a tool that sets none, in milliseconds. */
  toolMs(toolName: string): number;
  /** The limits that the AI SDK measures: the whole run, and a step with its tools. */
  sdk: { timeout?: { totalMs?: number; stepMs?: number } };
};

const names = ['totalMs', 'stepMs', 'firstChunkMs', 'chunkMs', 'toolMs'] as const;

/** Reads `options.timeout`. @throws CuelineError `invalid_options` */
export function readTimeouts(options: StreamTextOptions['timeout']): Timeouts {
  const {
    totalMs,
    stepMs,
    firstChunkMs,
    chunkMs,
    toolMs,
    tools = {},
  } = typeof options === 'number' ? { totalMs: options } : check(options ?? {});
  const whole = {
    ...(isLimited(totalMs) ? { totalMs } : {}),
    ...(isLimited(stepMs) ? { stepMs } : {}),
  };
  return {
    model: { firstChunkMs, chunkMs },
    toolMs: (toolName) => (tools as Record<string, number | undefined>)[`${toolName}Ms`] ?? toolMs ?? TOOL_MS,
    sdk: Object.keys(whole).length === 0 ? {} : { timeout: whole },
  };
}

type TimeoutOptions = Exclude<NonNullable<StreamTextOptions['timeout']>, number>;

function check(options: TimeoutOptions): TimeoutOptions {
  for (const [name, ms] of [...Object.entries(options), ...Object.entries(options.tools ?? {})] as [
    string,
    unknown,
  ][]) {
    if (name === 'tools' || ms === undefined) continue;
    const known = (names as readonly string[]).includes(name) || Object.hasOwn(options.tools ?? {}, name);
    if (known && typeof ms === 'number' && ms > 0) continue;
    throw new CuelineError(
      'invalid_options',
      known
        ? `options.timeout.${name} is ${JSON.stringify(ms)}. Give milliseconds above 0, such as 30_000, or Infinity for no limit.`
        : `options.timeout has no "${name}". It has ${names.join(', ')} and tools.`,
      { details: { option: `timeout.${name}` } },
    );
  }
  return options;
}

function isLimited(ms: number | undefined): ms is number {
  return ms !== undefined && ms !== Infinity;
}
