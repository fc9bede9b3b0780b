import {
  runPrompt,
  type PromptConfig,
  type PromptSource,
  type RunEvent,
  type RunPromptResult,
  type RunState,
} from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { sent, type Sent } from '../sent-requests.ts';

type Played = RunPromptResult & {
  model: ScriptedModel;
  state: RunState;
  sent: Sent[];
  events: readonly RunEvent[];
};

/** A run on a model that is named as examples name theirs, with everything that the model was sent. */
export async function play(
  source: PromptSource,
  turns: readonly ScriptedTurn[],
  config: Omit<PromptConfig, 'providers'> = {},
): Promise<Played> {
  const model = scriptedModel(turns);
  const played = await runPrompt(source, {
    model: 'openai:gpt-4o',
    ...config,
    providers: { openai: () => model },
  });
  const state = await played.run.finished;
  return { ...played, model, state, sent: sent(model), events: played.run.log() };
}

/** What each tool returned or threw, in order. */
export function outputs(events: readonly RunEvent[]): unknown[] {
  return events.flatMap((event) => {
    if (event.type === 'tool-end') return [event.output];
    return event.type === 'tool-error' ? [{ error: event.error }] : [];
  });
}
