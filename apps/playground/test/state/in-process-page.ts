// Replaces the sandbox and the models of a page: scripts run in the test's own process, with a scripted model. Use
// with vi.mock.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { inProcess, type PromptDefinition } from '@cueline/core';
import type { AnswersToPlay } from '../../src/model/played-answers.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';

/**
 * The prompt that each script exports, the model of all runs, and the scripted answers with which each run asked for
 * the model.
 */
export const page = {
  prompts: new Map<string, PromptDefinition<unknown>>(),
  model: undefined as LanguageModelV4 | undefined,
  plays: [] as (AnswersToPlay | undefined)[],
};

/** As the worker does: of a request it takes what runPrompt takes. */
export const createSandbox = (): Sandbox => ({
  warm: () => {},
  prepare: () => {},
  dispose: () => {},
  check: async () => ({}),
  executor: (script, host) => ({
    async *start({ input, messages, tasks, unfinishedCalls }, signal) {
      const definition = page.prompts.get(script)!;
      const model = await host.getModel();
      yield* inProcess().start({ definition, input, messages, tasks, unfinishedCalls, model }, signal);
    },
  }),
});

export async function createModel(_settings: unknown, play?: AnswersToPlay): Promise<LanguageModelV4> {
  page.plays.push(play);
  return page.model!;
}

export async function createPromptModel(): Promise<LanguageModelV4> {
  return page.model!;
}
