import type { RunEvent } from '@cueline/core';

/** What a model took in a run: what it was sent, and what it answered with its reasoning. */
export type ModelUsage = {
  /** `provider:model`, as the AI SDK's model object names itself. */
  model: string;
  inputTokens: number;
  outputTokens: number;
};

/** What each model of a run has used so far. */
export type UsageCount = {
  /** `tokens` is by how many the event made the run's count of tokens grow. */
  add(event: RunEvent, tokens: number): void;
  /** One for each model, in the order in which they were first asked. */
  total(): readonly ModelUsage[];
};

/**
 * Counts what providers report for each model, for the run and its agents. A step that was cut off, or of which nothing
 * is reported, counts as the growth of the run's tokens while it was under way.
 */
export function createUsageCount(): UsageCount {
  const used = new Map<string, ModelUsage>();
  /** By their agents: the models that they ask, and the steps under way. */
  const models = new Map<string, string>();
  const open = new Map<string, ModelUsage>();

  return {
    add(event, tokens) {
      const { agent = '' } = event;
      const step = open.get(agent);
      switch (event.type) {
        case 'run-start':
        case 'run-resume':
        case 'agent-start':
          models.set(agent, event.model);
          break;
        case 'step-start': {
          // a request says its model only where it is not that of the step before
          const model = event.request.model ?? models.get(agent) ?? '';
          models.set(agent, model);
          // one that is tried again was paid for, too
          addTo(used, step ?? { model, inputTokens: 0, outputTokens: 0 });
          open.set(agent, { model, inputTokens: tokens, outputTokens: 0 });
          break;
        }
        case 'step-end':
          if (step === undefined) break;
          addTo(used, reported(event.usage, step));
          open.delete(agent);
          break;
        default:
          if (step !== undefined) step.outputTokens += tokens;
      }
    },
    total() {
      const all = new Map(used);
      for (const step of open.values()) addTo(all, step);
      return [...all.values()];
    },
  };
}

function addTo(used: Map<string, ModelUsage>, { model, inputTokens, outputTokens }: ModelUsage): void {
  const before = used.get(model);
  used.set(model, {
    model,
    inputTokens: inputTokens + (before?.inputTokens ?? 0),
    outputTokens: outputTokens + (before?.outputTokens ?? 0),
  });
}

type Usage = Extract<RunEvent, { type: 'step-end' }>['usage'];

/** What is neither said to be sent nor to be answered counts as answered, so that both are all of it. */
function reported(
  { totalTokens = NaN, inputTokens, outputTokens = 0 }: Usage,
  guess: ModelUsage,
): ModelUsage {
  if (!(totalTokens > 0 && totalTokens < 1e9)) return guess;
  const sent = inputTokens ?? totalTokens - outputTokens;
  const input = sent > 0 ? Math.min(sent, totalTokens) : 0;
  return { model: guess.model, inputTokens: input, outputTokens: totalTokens - input };
}
