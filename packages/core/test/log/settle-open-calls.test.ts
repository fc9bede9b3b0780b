import { createRun, definePrompt, tool, type RunEvent } from '@cueline/core';
import { settleOpenCalls } from '@cueline/core/replay';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { json } from '../support.ts';

const schema = z.object({ what: z.string() });
const call = (name: string, what: string): Extract<ScriptedTurn, readonly unknown[]>[number] => ({
  toolCall: { name, input: { what }, id: what },
});

/** Runs a prompt with tools of every kind, of which those in `hanging` never end, and returns its log. */
async function logOf(turns: readonly ScriptedTurn[], hanging: readonly string[] = []): Promise<RunEvent[]> {
  const hung = new Set<string>();
  const work = async ({ what }: { what: string }): Promise<string> => {
    if (hanging.includes(what)) {
      hung.add(what);
      await new Promise(() => {});
    }
    return `did ${what}`;
  };
  const prompt = definePrompt('work', (own) => {
    own.defTool('read', 'Reads', schema, work, { effect: 'read' });
    own.defTool('write', 'Writes', schema, work, { effect: 'write' });
    own.defTool('pay', 'Pays', schema, work, { effect: 'external', idempotent: true });
    own.defTool('ask', 'Asks', schema, work, { needsApproval: true });
    own.defTool('kit', 'Several at once', [
      tool('get', 'Reads', schema, work, { effect: 'read' }),
      tool('put', 'Writes', schema, work, { effect: 'write', idempotent: true }),
    ]);
    own.defAgent('helper', 'Helps', schema, (_args, inner) => {
      inner.defTool('read', 'Reads', schema, work, { effect: 'read' });
      inner.defTool('write', 'Writes', schema, work, { effect: 'write' });
      inner.$`Help.`;
    });
    own.$`Work.`;
  });
  const run = createRun(prompt, { model: scriptedModel(turns) });
  const done = run.start().then(
    () => true,
    () => true,
  );
  await Promise.race([
    done,
    hanging.length === 0 ? done : vi.waitFor(() => expect([...hung].toSorted()).toEqual(hanging), 5_000),
  ]);
  // an approval is asked for beside them
  await new Promise((resolve) => setTimeout(resolve, 20));
  const log = json(run.log()) as RunEvent[];
  run.stop();
  return log;
}

const howEach = (log: readonly RunEvent[], agent?: string): [string, string][] =>
  settleOpenCalls(log, agent).map(({ toolCallId, how }) => [toolCallId, how]);

const upTo = (log: readonly RunEvent[], isLast: (event: RunEvent) => boolean): RunEvent[] =>
  log.slice(0, log.findIndex(isLast) + 1);

describe('an open call', () => {
  const all = [call('read', 'a'), call('write', 'b'), call('pay', 'c'), call('ask', 'd'), call('write', 'e')];

  test('is settled according to its tool and its progress', async () => {
    const log = await logOf([all], ['a', 'b', 'c']);
    expect(howEach(log)).toEqual([
      ['a', 'repeat'],
      ['b', 'fail'],
      ['c', 'repeat'],
      // it waits for its approval
      ['d', 'start'],
    ]);
    expect(settleOpenCalls(log)[1]).toEqual({
      toolCallId: 'b',
      toolName: 'write',
      input: { what: 'b' },
      inputText: '{"what":"b"}',
      how: 'fail',
      error: expect.stringMatching(/may have taken effect/) as string,
    });
  });

  test('has not started if the log ends before its start', async () => {
    const log = await logOf([all], ['a', 'b', 'c']);
    const cut = upTo(log, (event) => event.type === 'tool-input-end' && event.toolCallId === 'c');
    const started = new Set(cut.flatMap((event) => (event.type === 'tool-start' ? [event.toolCallId] : [])));
    expect(howEach(cut)).toEqual(
      ['a', 'b', 'c'].map((id) => [id, started.has(id) ? (id === 'b' ? 'fail' : 'repeat') : 'start']),
    );
  });

  test('is found wherever the log ends', async () => {
    const log = await logOf([[call('write', 'a'), call('read', 'b')], [call('kit', 'c')], 'Done.']);
    for (let cut = 0; cut <= log.length; cut += 1) {
      const part = log.slice(0, cut);
      const called = new Set(
        part.flatMap((event) => (event.type === 'tool-input-end' ? [event.toolCallId] : [])),
      );
      const ended = part.flatMap((event) =>
        event.type === 'tool-end' || event.type === 'tool-error' ? [event.toolCallId] : [],
      );
      for (const id of ended) called.delete(id);
      expect([cut, settleOpenCalls(part).map(({ toolCallId }) => toolCallId)]).toEqual([cut, [...called]]);
    }
    expect(settleOpenCalls(log)).toEqual([]);
  });

  test('belongs to the last step that has calls', async () => {
    const log = await logOf([[call('write', 'a')]], ['a']);
    const start: RunEvent = {
      seq: log.length,
      t: 1_000,
      type: 'step-start',
      step: 1,
      request: { keep: 0, messages: [] },
    };
    expect(howEach([...log, start])).toEqual([['a', 'fail']]);
  });

  test('of a failed attempt is ignored', async () => {
    const log = await logOf([[call('write', 'a')]], ['a']);
    const error = { code: 'network', message: 'gone' } as const;
    expect(settleOpenCalls([...log, { seq: log.length, t: 1_000, type: 'retry', error }])).toEqual([]);
  });
});

describe('a call with calls inside it', () => {
  test('may be repeated if each inner call may be', async () => {
    const kit: ScriptedTurn = [
      {
        toolCall: {
          name: 'kit',
          id: 'k',
          input: {
            calls: [
              { name: 'get', args: { what: 'a' } },
              { name: 'put', args: { what: 'b' } },
            ],
          },
        },
      },
    ];
    const log = await logOf([kit], ['b']);
    expect(log.find(({ type }) => type === 'tool-start')).toMatchObject({
      effect: 'write',
      idempotent: true,
    });
    expect(howEach(log)).toEqual([['k', 'repeat']]);
  });

  test("of an agent has the inner results in its error, and the agent's calls are settled under its path", async () => {
    const log = await logOf(
      [[call('helper', 'h')], [call('read', 'a')], [call('write', 'b'), call('read', 'c')]],
      ['b', 'c'],
    );
    const [own] = settleOpenCalls(log);
    expect(own).toMatchObject({ toolCallId: 'h', how: 'fail' });
    expect(own?.how === 'fail' && own.error).toContain('read: "did a"');
    expect(howEach(log, 'h')).toEqual([
      ['b', 'fail'],
      ['c', 'repeat'],
    ]);
    const begun = upTo(log, ({ type }) => type === 'agent-start');
    expect(howEach(begun)).toEqual([['h', 'repeat']]);
    expect(howEach(begun, 'h')).toEqual([]);
    expect(howEach(log, 'nobody')).toEqual([]);
  });
});

test('idempotent must be true or false', async () => {
  const prompt = definePrompt('wrong', (own) => {
    own.defTool('pay', 'Pays', schema, () => 'paid', { idempotent: 'yes' as never });
  });
  await expect(createRun(prompt, { model: scriptedModel(['Hello.']) }).start()).rejects.toThrow(
    "idempotent of tool pay is 'yes'",
  );
});
