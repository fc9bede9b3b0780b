import { createRun, definePlugin, definePrompt, dryRun, tool, type PromptDefinition } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { go, json } from '../support.ts';
import { codeOf, nextEvent } from '../support/runs.ts';

const sent: string[] = [];
const look = tool(
  'look',
  'Looks at something',
  z.object({ what: z.string() }),
  ({ what }) => `${what}: nothing`,
);
const send = tool(
  'send',
  'Sends a text',
  z.object({ text: z.string() }),
  ({ text }) => {
    sent.push(text);
    return { sent: true };
  },
  { effect: 'external' },
);
const office = definePrompt('office', (prompt) => prompt.$`Write home.`, { tools: [look, send] });

const call = (name: string, input: unknown): ScriptedTurn => [{ toolCall: { name, input, id: name } }];

describe('tools that a prompt declares', () => {
  test('are sent to the model and run with validated arguments', async () => {
    const model = scriptedModel([call('look', { what: 'left' }), call('look', { what: 7 }), 'Done.']);
    const run = createRun(office, { model });
    expect(await run.start()).toBe('Done.');
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(['look', 'send']);
    expect(json(model.calls[0]?.tools?.[0])).toMatchObject({
      description: 'Looks at something',
      inputSchema: { properties: { what: { type: 'string' } }, required: ['what'] },
    });
    expect(run.getState().toolCalls.map(({ state, output }) => [state, output])).toEqual([
      ['output-available', 'left: nothing'],
      ['output-error', undefined],
    ]);
  });

  test('keep their rules, such as needsApproval', async () => {
    sent.length = 0;
    const model = scriptedModel([call('send', { text: 'Hello' }), 'Sent.']);
    const run = createRun(office, { model, options: { approval: true } });
    const result = run.start();
    await nextEvent(run, 'approval-request');
    const [request] = run.getState().approvals;
    expect(request).toMatchObject({ toolName: 'send', input: { text: 'Hello' } });
    expect(sent).toEqual([]);
    await run.respondToApproval(request!.approvalId, { approved: true, input: { text: 'Hello!' } });
    expect(await result).toBe('Sent.');
    expect(sent).toEqual(['Hello!']);
  });

  test('work together with tools of the function and of plugins', async () => {
    const plugin = definePlugin({
      name: 'clock',
      setup: (prompt) => prompt.defTool('clock', 'The time', z.object({}), () => 'noon'),
    });
    const both = definePrompt(
      'both',
      go((prompt) => prompt.defTool('own', 'Own', z.object({}), () => 1)),
      { tools: [look], plugins: [plugin] },
    );
    const { request } = await dryRun(both);
    expect(request.tools.map(({ name }) => name)).toEqual(['clock', 'look', 'own']);
  });

  test('are refused if two have one name, in any order of definition', async () => {
    const message = 'A tool named look already exists. Give this one another name.';
    const byFunction = definePrompt(
      'twice',
      go((prompt) => prompt.defTool('look', 'Looks', z.object({}), () => 1)),
      { tools: [look] },
    );
    const plugin = definePlugin({
      name: 'eyes',
      setup: (prompt) => prompt.defTool('look', 'Looks', z.object({}), () => 1),
    });
    const byPlugin = definePrompt('twice', (prompt) => prompt.$`Go.`, { tools: [look], plugins: [plugin] });
    const byThemselves = definePrompt('twice', (prompt) => prompt.$`Go.`, { tools: [look, look] });
    const all: PromptDefinition[] = [byFunction, byPlugin, byThemselves];
    for (const definition of all) {
      const model = scriptedModel(['Never.']);
      await expect(createRun(definition, { model }).start()).rejects.toMatchObject({
        code: 'invalid_definition',
        message,
      });
      expect(model.calls).toHaveLength(0);
    }
  });

  test('are replaced by a task’s tool of the same name for that task', async () => {
    const seen: string[] = [];
    const tasks = definePrompt(
      'tasks',
      go((prompt) =>
        prompt.defTaskList([
          {
            task: 'Look',
            extend: (own) =>
              own.defTool('look', 'Looks closely', z.object({ what: z.string() }), ({ what }) =>
                seen.push(what),
              ),
          },
          { task: 'Look again' },
        ]),
      ),
      { tools: [look] },
    );
    const model = scriptedModel([
      call('look', { what: 'a' }),
      call('finishTask', { result: 'x' }),
      call('look', { what: 'b' }),
      call('finishTask', { result: 'y' }),
      'Done.',
    ]);
    const run = createRun(tasks, { model });
    expect(await run.start()).toBe('Done.');
    expect(seen).toEqual(['a']);
    expect(run.getState().toolCalls.filter(({ toolName }) => toolName === 'look')).toMatchObject([
      { output: 1 },
      { output: 'b: nothing' },
    ]);
  });

  test('must be a list', () => {
    for (const tools of [[() => 1], { look }, 'look', [undefined]]) {
      expect(() => definePrompt('wrong', (prompt) => prompt.$`Go.`, { tools: tools as never })).toThrow(
        'The tools of prompt "wrong" must be a list, or AI SDK tools by name',
      );
    }
  });

  test('are refused at the start of the run if a provider would refuse the name', async () => {
    const named = tool('no name', 'Nothing', z.object({}), () => 1);
    const run = createRun(
      definePrompt('wrong', (prompt) => prompt.$`Go.`, { tools: [named] }),
      {
        model: scriptedModel(['Never.']),
      },
    );
    expect(await codeOf(run.start())).toBe('invalid_definition');
  });
});
