import { CuelineError } from '@cueline/core';
import {
  closeTo,
  contains,
  equals,
  jsonEquals,
  judge,
  type ModelUsage,
  type Scorer,
  type ScoreValue,
} from '@cueline/core/evals';
import type { LanguageModel } from 'ai';
import type { ScorerSetting } from './eval-settings.ts';

/** How long a pattern may take, in milliseconds; some patterns would never end. */
const MATCH_MS = 1_000;

/** The grades that judges have given, each with the tokens that it cost. */
export type Grades = Map<string, { value: ScoreValue; usage: readonly ModelUsage[] }>;

/** Creates the scorers of an eval. `judgeModel` grades by rubrics, and grades no run twice that is in `grades`. */
export function createScorers(
  settings: readonly ScorerSetting[],
  judgeModel: LanguageModel,
  grades: Grades = new Map(),
): Scorer[] {
  return settings.map(({ kind, value }) => {
    switch (kind) {
      case 'equals':
        return equals();
      case 'contains':
        return value.trim() === '' ? contains() : contains(value);
      case 'matches':
        return matchesApart(value);
      case 'jsonEquals':
        return jsonEquals({ expectsText: true });
      case 'closeTo':
        return closeTo({ absolute: Number(value) || 0 });
      case 'judge':
        return gradeOnce(withoutEmptyExpect(judge({ model: judgeModel, rubric: value })), grades, [
          typeof judgeModel === 'string' ? judgeModel : judgeModel.modelId,
          value,
        ]);
    }
  });
}

/** Makes a judge grade each run once, because each grade is a model call. */
function gradeOnce({ name, score }: Scorer, grades: Grades, judgeKey: readonly string[]): Scorer {
  return {
    name,
    async score(context) {
      const key = JSON.stringify([context.state.runId, context.expect, ...judgeKey]);
      const known = grades.get(key);
      if (known !== undefined) {
        for (const one of known.usage) context.onUsage?.(one);
        return known.value;
      }
      const usage: ModelUsage[] = [];
      const onUsage = (one: ModelUsage): void => {
        usage.push(one);
        context.onUsage?.(one);
      };
      const value = await score({ ...context, onUsage });
      grades.set(key, { value, usage });
      return value;
    },
  };
}

/** Scores a case whose field is empty without an expected answer: the answer need not be empty. */
function withoutEmptyExpect({ name, score }: Scorer): Scorer {
  return {
    name,
    score: (context) => score({ ...context, expect: textOf(context.expect).trim() || undefined }),
  };
}

function matchesApart(pattern: string): Scorer {
  return {
    name: 'matches',
    async score({ output, expect }) {
      const wanted = pattern === '' ? textOf(expect) : pattern;
      const matched = await testApart(wanted, output.text);
      return matched ? true : { score: 0, pass: false, reason: `the answer does not match /${wanted}/` };
    },
  };
}

function testApart(pattern: string, text: string): Promise<boolean> {
  const worker = new Worker(new URL('./match-worker.ts', import.meta.url), { type: 'module' });
  let isReady = false;
  return new Promise<boolean>((resolve, reject) => {
    const fail = (message: string): void => reject(new CuelineError('invalid_definition', message));
    worker.addEventListener('message', ({ data }) => {
      if (data !== 'ready') return resolve(data === true);
      isReady = true;
      // counts from here, because many workers on a slow device need longer than this to start
      setTimeout(() => fail(`the pattern takes longer than ${MATCH_MS} ms. Write a simpler one.`), MATCH_MS);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
      worker.postMessage({ pattern, text });
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      fail(
        isReady
          ? `/${pattern}/ is not a valid pattern. Write a regular expression.`
          : 'the code that tests patterns could not be loaded. Reload the page.',
      );
    });
  }).finally(() => worker.terminate());
}

/** The cases of the page expect texts. */
function textOf(expect: unknown): string {
  return typeof expect === 'string' ? expect : '';
}
