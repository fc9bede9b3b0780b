import { Output, type FinishReason, type OutputInterface, type StepResult, type ToolSet } from 'ai';
import { thrownText } from '../../base/error-source.ts';
import { readModelJson } from '../../engine/response-check.ts';
import { redact } from '../../json/redact.ts';
import type { UserContext } from '../../prompt/call-settings.ts';
import { parseWith, toSchema } from '../../tools/schema.ts';
import { isWhole, parseTags, tagsLine } from '../tags/parse-tags.ts';
import { isTags } from '../tags/tags.ts';
import { unansweredCall } from '../unanswered-call.ts';
import type { OutputConfig, ParseFunction } from './agent-config.ts';
import type { CallEvent } from './call-state.ts';

/** How the answers of one call are requested and read. */
export type OutputReader = {
  /** The provider's format option, if the answer is JSON. */
  readonly format?: OutputInterface;
  /** The line about it in the system prompt. */
  readonly systemLine?: string;
  /** True if nothing can be missing at the end of a text, although it was cut off. Default: false. */
  isWhole?(text: string): boolean;
  /** Returns the value of an answer. @throws an error for the model */
  parse(text: string): Promise<unknown>;
};

/** One answer of the model, with the results of its calls. */
export type CallStep = StepResult<ToolSet, UserContext>;

/** What an answer means for its call: an event, and either a value or the issue. */
export type Answer = { event: CallEvent; value?: unknown; issue?: string; cause?: unknown };

/** Finish reasons that truncate an answer, and their causes. */
const truncatingFinishReasons: Partial<Record<FinishReason, string>> = {
  length: 'the token limit',
};

/** Returns the reader for an agent's `output`. @throws CuelineError `invalid_definition` */
export function createOutputReader(name: string, config: OutputConfig | undefined): OutputReader {
  if (config === undefined) return { parse: async (text) => text };
  if (isTags(config)) {
    return {
      systemLine: tagsLine(config),
      isWhole: (text) => isWhole(config, text),
      parse: async (text) => parseTags(config, text),
    };
  }
  if (isParseFunction(config)) return { parse: async (text) => config(text) };
  const schema = toSchema(`agent "${name}"`, config);
  return {
    // without partial objects, which nothing reads and each of which would be parsed from the beginning of the text
    format: { ...Output.object({ schema }), parsePartialOutput: async () => undefined },
    // half of an object is not JSON
    isWhole: () => true,
    parse: async (text) => parseWith(schema, readModelJson(text)),
  };
}

/**
 * Reads an answer. `refused` are tools that it called although it must not call any; `secrets` are removed from
 * errors.
 */
export async function readAnswer(
  step: CallStep,
  reader: OutputReader,
  refused: ReadonlySet<string>,
  secrets: readonly string[],
): Promise<Answer> {
  if (refused.size > 0) {
    const issue = `it calls ${[...refused].join(', ')}, and no tool can be called any more.`;
    return { event: 'called', issue };
  }
  if (unansweredCall(step, { isAsking: true }) !== undefined) return { event: 'waiting' };
  if (step.toolCalls.some(({ providerExecuted }) => providerExecuted !== true)) return { event: 'called' };
  if (step.text.trim() === '') return { event: 'silent', issue: 'it is empty.' };
  const limit = truncatingFinishReasons[step.finishReason];
  if (limit !== undefined && reader.isWhole?.(step.text) !== true) {
    return { event: 'unreadable', issue: `it was cut off by ${limit}. Answer in fewer words.` };
  }
  try {
    return { event: 'answered', value: await reader.parse(step.text) };
  } catch (thrown) {
    return { event: 'unreadable', issue: redact(thrownText(thrown), secrets), cause: thrown };
  }
}

/** True for a function that reads the text; some schemas are functions, too. */
function isParseFunction(config: OutputConfig): config is ParseFunction {
  return typeof config === 'function' && !('~standard' in config);
}
