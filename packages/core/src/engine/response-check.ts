import { Output, type FinishReason, type OutputInterface } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { parseWith, toSchema, type ToolSchema } from '../tools/schema.ts';
import { earlyEnds, type EarlyEnd } from './ending.ts';

/** The maximum number of answers. */
const MAX_ATTEMPTS = 3;

/** Checks answers against a schema. */
export type ResponseCheck = {
  /** The output format of the request. */
  readonly output: OutputInterface;
  /** Checks an answer. Returns the feedback to the model if the answer does not fit and the model may try again. */
  check(step: { text: string; finishReason?: FinishReason }): Promise<string | undefined>;
  /** Returns the error if no answer fits. `early` is what ended the loop, if it was not the model. */
  failure(early?: EarlyEnd): CuelineError | undefined;
  /** The parsed answer. */
  readonly value: unknown;
};

/** `attempts` is the number of answers that another process has refused. */
export function createResponseCheck(toolSchema: ToolSchema, attempts = 0): ResponseCheck {
  const schema = toSchema('the answer', toolSchema);
  let issues: string | undefined = 'there was no answer';
  let isCut = false;
  let value: unknown;
  return {
    output: Output.object({ schema }),
    async check({ text, finishReason }) {
      attempts += 1;
      try {
        value = await parseWith(schema, readModelJson(text));
        issues = undefined;
        return undefined;
      } catch (error) {
        isCut = finishReason === 'length';
        issues = isCut ? 'it was cut off at the token limit' : thrownText(error);
        if (attempts >= MAX_ATTEMPTS) return undefined;
        return `Your answer does not fit what is asked for: ${issues}\nAnswer again with the whole JSON and nothing else.`;
      }
    },
    failure(early) {
      if (issues === undefined) return undefined;
      const advice = isCut
        ? 'Raise maxOutputTokens, or ask for less at once.'
        : 'Try another model, or a simpler schema.';
      const reason =
        early === undefined
          ? `The answer did not fit its schema after ${attempts} attempts. ${advice}`
          : `${earlyEnds[early].what} before an answer fitted its schema. ${earlyEnds[early].advice}`;
      const what = early !== undefined && attempts === 0 ? '' : ` What did not fit: ${issues}`;
      return new CuelineError('parse_failed', reason + what, { details: { attempts } });
    },
    get value() {
      return value;
    },
  };
}

/** Reads JSON as models write it: alone, or in a fenced block. */
export function readModelJson(text: string): unknown {
  const body = /^```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```$/.exec(text.trim())?.[1] ?? text;
  if (body.trim() === '') throw new Error('it is empty');
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw new Error(`it is not JSON (${(error as Error).message})`, { cause: error });
  }
}
