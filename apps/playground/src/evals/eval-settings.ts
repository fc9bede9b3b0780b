import '../zod-without-eval.ts';
import type { EvalResult } from '@cueline/core/evals';
import * as z from 'zod';
import { MAX_LINKED_TEXT_LENGTH } from '../prompts/linked-text.ts';

/** The scorers that need no code. */
export const scorerKinds = ['equals', 'contains', 'matches', 'jsonEquals', 'closeTo', 'judge'] as const;
export type ScorerKind = (typeof scorerKinds)[number];

/** A scorer, with its pattern, tolerance or rubric. */
export type ScorerSetting = { readonly kind: ScorerKind; readonly value: string };

/** A case as the table edits it: every value is a text. */
export type EditableCase = {
  readonly id: string;
  /** Identifies the case after its id was edited; missing before. */
  readonly key?: string | undefined;
  /** By parameter. */
  readonly input: Readonly<Record<string, string>>;
  readonly expect: string;
};

/** Dollars per million tokens, as the user types them. */
export type PriceSetting = { readonly input: string; readonly output: string };

/** An eval as the form edits it. */
export type EvalSettings = {
  /** The id of the prompt. */
  readonly prompt: string;
  /** Its versions that are compared. */
  readonly versions: readonly string[];
  /** Further models of the same connection. */
  readonly models: readonly string[];
  readonly scorers: readonly ScorerSetting[];
  readonly repeat: number;
  readonly concurrency: number;
  /** The prices, by model id. */
  readonly prices: Readonly<Record<string, PriceSetting>>;
  readonly cases: readonly EditableCase[];
};

/** The most runs of one evaluation in a page. */
export const MAX_RUNS = 5_000;
export const MAX_CASES = 2_000;
/** The most further models of an eval. */
export const MAX_MODELS = 8;
const MAX_VERSIONS = 20;
const MAX_SCORERS = 10;

/** `most` returns the limit that applies where a link may have up to `limit`. */
function settingsSchema(most: (limit: number) => number) {
  const string = z.string().max(most(MAX_LINKED_TEXT_LENGTH));
  return z.object({
    prompt: string,
    versions: z.array(string).max(most(MAX_VERSIONS)),
    models: z.array(string).max(most(MAX_MODELS)),
    scorers: z
      .array(z.object({ kind: z.enum(scorerKinds), value: string }))
      .min(1)
      .max(most(MAX_SCORERS)),
    repeat: z.int().min(1).max(20),
    concurrency: z.int().min(1).max(20),
    prices: z.record(string, z.object({ input: string, output: string })),
    cases: z
      .array(
        z.object({ id: string, key: string.optional(), input: z.record(string, string), expect: string }),
      )
      .max(most(MAX_CASES)),
  });
}

const linkedSettings = settingsSchema((limit) => limit);
const ownSettings = settingsSchema(() => Infinity);

/** Reads an eval from a link; undefined if its shape is invalid, or if it is too large. */
export function readEvalSettings(value: unknown): EvalSettings | undefined {
  return linkedSettings.safeParse(value).data;
}

/** Reads the user's own eval from storage, with texts of any length; undefined if its shape is invalid. */
export function readOwnEvalSettings(value: unknown): EvalSettings | undefined {
  return ownSettings.safeParse(value).data;
}

/** Returns why a link cannot have this eval; undefined if it can. Does not check the length of texts. */
export function linkProblemOf({ models, versions, scorers, cases }: EvalSettings): string | undefined {
  const limits: readonly [count: number, most: number, what: string, hint?: string][] = [
    [
      models.length,
      MAX_MODELS,
      'further models',
      ' With the demo model, the form does not list them: choose another model in the bar above first.',
    ],
    [versions.length, MAX_VERSIONS, 'versions'],
    [scorers.length, MAX_SCORERS, 'scorers'],
    [cases.length, MAX_CASES, 'cases'],
  ];
  const over = limits.find(([count, most]) => count > most);
  if (over === undefined) return undefined;
  const [count, most, what, hint = ''] = over;
  return `This eval has ${count.toLocaleString('en')} ${what}, and a link carries at most ${most.toLocaleString('en')}. Remove some of them.${hint}`;
}

const text = z.string().max(MAX_LINKED_TEXT_LENGTH);
const number = z.number().min(0);
/** A result as a link carries it: without its log. */
const sharedResult = z.object({
  caseId: text,
  repetition: z.int().min(0),
  model: text,
  prompt: text,
  status: z.enum(['passed', 'failed', 'error']),
  input: z.record(text, text),
  expect: text.optional(),
  output: z
    .object({
      text,
      object: z.unknown().optional(),
      toolCalls: z.array(z.never()),
      tasks: z.array(z.never()),
    })
    .optional(),
  scores: z
    .array(
      z.object({ scorer: text, score: z.number().min(0).max(1), pass: z.boolean(), reason: text.optional() }),
    )
    .max(10),
  error: z.object({ code: text, message: text }).optional(),
  usage: z.object({ inputTokens: number, outputTokens: number }),
  cost: number.optional(),
  scorerUsage: z
    .array(
      z.object({
        scorer: text,
        model: text,
        inputTokens: number,
        outputTokens: number,
        cachedInputTokens: number.optional(),
        cacheWriteTokens: number.optional(),
        cost: number.optional(),
      }),
    )
    .max(10)
    .optional(),
  ms: number,
  stored: z.boolean(),
});
const sharedResults = z.array(sharedResult).max(MAX_RUNS);

/** The most cells of the table of results, which are cases × versions and models. */
const MAX_CELLS = 100_000;

/** Reads the results of a link; undefined if their shape is invalid, or if their table would be too large. */
export function readResults(value: unknown): EvalResult[] | undefined {
  const { data } = sharedResults.safeParse(value);
  if (data === undefined) return undefined;
  const columns = new Set(data.map(({ prompt, model }) => JSON.stringify([prompt, model]))).size;
  const rows = new Set(data.map(({ caseId }) => caseId)).size;
  if (columns > MAX_VERSIONS * (MAX_MODELS + 1) || columns * rows > MAX_CELLS) return undefined;
  // zod adds `| undefined` to optional members, which JSON leaves out; the code of an error is only shown
  return data as unknown as EvalResult[];
}

/**
 * Returns the part of a result that a link carries. Its members are in the order in which a link is read, so that an
 * opened link is made again with the same text, by which the page knows it.
 */
export function toSharedResult({ output, error, ...result }: EvalResult): unknown {
  const shared = {
    ...result,
    log: undefined,
    ...(output === undefined
      ? {}
      : { output: { text: output.text, object: output.object, toolCalls: [], tasks: [] } }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  };
  return sharedResult.safeParse(shared).data ?? shared;
}
