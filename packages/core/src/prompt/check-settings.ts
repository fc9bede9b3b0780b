import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import type { SystemFormat } from './call-settings.ts';
import { findWrongSetting, settingForms } from './setting-forms.ts';

const formats: readonly unknown[] = ['labels', 'xml'] satisfies SystemFormat[];

/** The time limits of `options.timeout`, besides those of single tools. */
const limitNames = ['totalMs', 'stepMs', 'firstChunkMs', 'chunkMs', 'toolMs'] as const;

/** How the settings of a run or of an agent are refused. */
type Refusal = {
  code?: CuelineErrorCode;
  /** The beginning of the message, which names the agent. */
  whose?: string;
};

/**
 * Checks the settings that the AI SDK does not check: those that it does not get (retries, time limits and
 * `systemFormat`), and those that it takes in any form. @throws CuelineError
 */
export function checkSettings(
  settings: {
    readonly maxRetries?: unknown;
    readonly output?: unknown;
    readonly streamRetries?: unknown;
    readonly systemFormat?: unknown;
    readonly timeout?: unknown;
  },
  { code = 'invalid_options', whose = '' }: Refusal = {},
): void {
  const refuse = (option: string, message: string): never => {
    throw new CuelineError(code, `${whose}options.${message}`, { details: { option } });
  };
  const wrong = findWrongSetting(settings, settingForms);
  if (wrong !== undefined) refuse(wrong.name, `${wrong.name} is ${wrong.value}. ${wrong.instead}`);
  for (const name of ['maxRetries', 'streamRetries'] as const) {
    const { [name]: value } = settings;
    if (value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0)) continue;
    refuse(name, `${name} is ${quoteValue(value)}. Give a whole number of at least 0.`);
  }
  const { output, systemFormat, timeout } = settings;
  if (output !== undefined && !(isRecord(output) && 'parseCompleteOutput' in output)) {
    const advice = "Write Output.object({ schema: z.object({ … }) }), with Output from 'ai'.";
    refuse('output', `output is ${quoteValue(output)}. ${advice}`);
  }
  if (systemFormat !== undefined && !formats.includes(systemFormat))
    refuse('systemFormat', `systemFormat is ${quoteValue(systemFormat)}. Write 'labels' or 'xml'.`);
  if (timeout !== undefined) checkTimeout(timeout, refuse);
}

function checkTimeout(timeout: unknown, refuse: (option: string, message: string) => never): void {
  const check = (option: string, ms: unknown): void => {
    if (ms === undefined || (typeof ms === 'number' && ms > 0)) return;
    const advice = 'Give milliseconds above 0, such as 30_000, or Infinity for no limit.';
    refuse(option, `${option} is ${quoteValue(ms)}. ${advice}`);
  };
  if (typeof timeout === 'number') return check('timeout', timeout);
  if (!isRecord(timeout)) {
    return refuse(
      'timeout',
      `timeout is ${quoteValue(timeout)}. Give milliseconds above 0, such as 30_000, or an object such as { totalMs: 30_000 }.`,
    );
  }
  const { tools = {}, ...limits } = timeout;
  for (const [name, ms] of Object.entries(limits)) {
    if (ms !== undefined && !(limitNames as readonly string[]).includes(name)) {
      const known = `${limitNames.join(', ')} and tools`;
      refuse(`timeout.${name}`, `timeout has no "${name}". It has ${known}.`);
    }
    check(`timeout.${name}`, ms);
  }
  if (!isRecord(tools)) {
    return refuse(
      'timeout.tools',
      `timeout.tools is ${quoteValue(tools)}. Write an object such as { searchMs: 30_000 } for the tool search.`,
    );
  }
  for (const [name, ms] of Object.entries(tools)) {
    // a tool may be defined later, so its name is not checked
    if (ms !== undefined && !/.Ms$/.test(name))
      refuse(`timeout.tools.${name}`, `timeout.tools has no "${name}". Write ${name}Ms.`);
    check(`timeout.tools.${name}`, ms);
  }
}
