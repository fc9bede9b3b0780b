import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { reduceAll, type ApprovalResponse, type PromptDefinition, type RunEvent } from '@cueline/core';
import { advance, type Advanced, type DurableCommand } from '@cueline/core/durable';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { LanguageModel, UIMessage } from 'ai';

/** Returns a model that answers by what it is sent: the nth turn after n answers. Each process has one of its own. */
export function planned(
  turns: readonly ScriptedTurn[] | ((call: LanguageModelV4CallOptions) => readonly ScriptedTurn[]),
): LanguageModelV4 {
  const model = scriptedModel(['unused']);
  return {
    ...model,
    doStream: (call) => {
      const answers = call.prompt.filter(({ role }) => role === 'assistant').length;
      const turn = (typeof turns === 'function' ? turns(call) : turns)[answers] ?? 'No turn is left.';
      return scriptedModel([turn], { chunkSize: 8 }).doStream(call);
    },
  };
}

/** A store of one run, which a process may lose in the middle of a write. */
export type RunStore = {
  events: RunEvent[];
  /** How many events were stored after each write. */
  batches: number[];
  /** Set to fail each write once so many events are stored, as after a crash. */
  failsAt: number;
};

export function createStore(): RunStore {
  return { events: [], batches: [], failsAt: Infinity };
}

export type Worked = Advanced | { status: 'crashed' };

export type Worker = {
  store: RunStore;
  definition: PromptDefinition<never>;
  /** A model for each call, made from what is stored: a model of its own for each process. */
  model: () => LanguageModel;
  input?: unknown;
  messages?: readonly UIMessage[] | undefined;
  options?: Parameters<typeof advance>[0]['options'];
};

/** A worker with a store of its own, whose model answers with these turns. */
export function workerFor(
  definition: PromptDefinition<never>,
  turns: Parameters<typeof planned>[0],
  more: Partial<Worker> = {},
): Worker {
  return { store: createStore(), definition, model: () => planned(turns), ...more };
}

/** Advances a run once, in what stands for a process of its own. */
export async function work(worker: Worker, commands: readonly DurableCommand[] = []): Promise<Worked> {
  const { store, definition, model, input, messages, options } = worker;
  try {
    return await advance(
      {
        runId: 'run-1',
        definition: definition as unknown as PromptDefinition<unknown>,
        input,
        model: model(),
        messages,
        options,
        // a copy, as another process would read it
        events: JSON.parse(JSON.stringify(store.events)) as RunEvent[],
      },
      {
        commands,
        append: async (events) => {
          await Promise.resolve();
          // a store keeps a batch as a whole or not at all
          if (store.events.length + events.length > store.failsAt) throw new Error('The process is gone.');
          for (const event of events) {
            if (event.seq !== store.events.length) throw new Error(`Event ${event.seq} leaves a gap.`);
            store.events.push(JSON.parse(JSON.stringify(event)) as RunEvent);
          }
          store.batches.push(store.events.length);
        },
      },
    );
  } catch (error) {
    if (store.failsAt === Infinity) throw error;
    return { status: 'crashed' };
  }
}

/** Advances a run until it ends or waits. Returns how often it was advanced. */
export async function workToEnd(worker: Worker, commands: readonly DurableCommand[] = []): Promise<number> {
  let sent = commands;
  for (let count = 1; count < 100; count += 1) {
    const { status } = await work(worker, sent);
    sent = [];
    if (status !== 'next') return count;
  }
  throw new Error('The run does not end.');
}

/** Advances a run once, until it waits. Returns the ids of the approvals that it waits for. */
export async function workUntilWaiting(worker: Worker): Promise<string[]> {
  const worked = await work(worker);
  if (worked.status !== 'waiting') throw new Error(`The run does not wait: ${worked.status}.`);
  return [...worked.approvalIds];
}

export function approval(
  approvalId: string,
  response: ApprovalResponse = { approved: true },
): DurableCommand {
  return { type: 'approval-response', approvalId, response };
}

export function stateOf({ events }: RunStore): ReturnType<typeof reduceAll> {
  return reduceAll(events);
}
