import {
  definePrompt,
  inProcess,
  tool,
  type Executor,
  type ClientToolOptions,
  type ClientToolCallState,
  type Run,
  type RunEvent,
} from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';

export const schema = z.object({ types: z.array(z.string()) });
export const picked = z.object({ name: z.string(), text: z.string() });
export const picks: ScriptedTurn = [{ toolCall: { name: 'pickFile', input: { types: ['.txt'] } } }];
export const file = { name: 'a.txt', text: 'Hello.' };

export function prompt(options: ClientToolOptions<{ types: string[] }> = { outputSchema: picked }) {
  return definePrompt('files', (prompt) => prompt.$`Which file?`, {
    tools: [tool('pickFile', 'Lets the user pick a file', schema, options)],
  });
}

/** An executor with a model that picks a file and then says so. */
export function setUp(turns: readonly ScriptedTurn[] = [picks, 'Thanks.']) {
  const model = scriptedModel(turns);
  const here = inProcess();
  const commands: string[] = [];
  const executor: Executor = {
    start: (request, signal) => here.start({ ...request, model }, signal),
    attach: (...args) => here.attach?.(...args),
    send(runId, command) {
      commands.push(command.type);
      return here.send!(runId, command);
    },
  };
  return { model, executor, commands };
}

export const openOf = (run: Run<never>): ClientToolCallState | undefined =>
  run
    .getState()
    .clientToolCalls.find(({ response, withdrawn }) => response === undefined && withdrawn === undefined);

/** The first call, once it is pending. */
export async function opened(run: Run<never>): Promise<ClientToolCallState> {
  await expect.poll(() => openOf(run)).toBeDefined();
  return openOf(run)!;
}

export const clientToolEvents = (events: readonly RunEvent[]): string[] =>
  events.flatMap(({ type }) => (/^(tool-(start|end|error)|client-tool-)/.test(type) ? [type] : []));
