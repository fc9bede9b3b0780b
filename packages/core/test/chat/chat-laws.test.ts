import { definePrompt, reduceAll, type RunEvent, type RunEventBody } from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { isStepCount, type UIMessage, type UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { AGENT_CALL, createChatTranslator } from '../../src/chat/chat-chunks.ts';
import { inLog, runStart } from '../log/any-events.ts';
import { json } from '../support.ts';
import { approvingChat, lastMessage, listening } from '../support/chat.ts';
import { after } from '../support/runs.ts';
import { sample } from '../support/sample.ts';

const input = z.object({ n: z.number() });

/** Some calls of one step: to a tool that asks, to one that does not, and to an agent whose tool asks. */
const calls = fc.array(
  fc.record({ name: fc.constantFrom('pay', 'look', 'clerk'), input: fc.record({ n: fc.nat({ max: 2 }) }) }),
  { minLength: 1, maxLength: 3 },
);

const finish = (result: string): ScriptedTurn => [{ toolCall: { name: 'finishTask', input: { result } } }];
const send: ScriptedTurn = [{ toolCall: { name: 'send', input: { n: 1 } } }];

/** A prompt with these tools, and the ids of the calls that have run after they were approved. */
function prompted() {
  const ran: string[] = [];
  const model = scriptedModel(Array.from({ length: 9 }, () => send));
  const definition = definePrompt('office', (prompt) => {
    prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
    prompt.defTool('look', '', input, ({ n }) => n, { repeatable: true });
    prompt.defTool('pay', '', input, (_args, { toolCallId }) => void ran.push(toolCallId), {
      needsApproval: true,
    });
    prompt.defAgent(
      'clerk',
      '',
      input,
      ({ n }, agent) => {
        agent.defTool('send', '', input, (_args, { toolCallId }) => void ran.push(toolCallId), {
          needsApproval: true,
        });
        agent.$`Send ${n}.`;
      },
      { model, stopWhen: isStepCount(1), repeatable: true },
    );
  });
  return { definition, ran };
}

/** What a client that gets the whole log at once makes of it. */
async function readWhole(log: readonly RunEvent[]): Promise<UIMessage | undefined> {
  const chat = createChatTranslator();
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of log.flatMap((event) => chat.translate(event))) controller.enqueue(chunk);
      controller.close();
    },
  });
  return lastMessage(stream);
}

/** The parts without the marks that a pause leaves on calls that nothing was asked about. */
function unmarked(message: UIMessage | undefined): unknown {
  return json(
    message?.parts.map((part) =>
      'approval' in part && part.approval?.isAutomatic === true ? { ...part, approval: undefined } : part,
    ),
  );
}

/** The parts that a run's own message has: not what an agent asks, and not the task list. */
function ownParts(message: UIMessage | undefined): unknown {
  const parts = unmarked(message) as UIMessage['parts'];
  return parts.filter((part) => {
    const isOfAgent = 'toolCallId' in part && part.toolMetadata?.[AGENT_CALL] !== undefined;
    return !isOfAgent && part.type !== 'data-tasks';
  });
}

function openApproval(message: UIMessage | undefined): string | undefined {
  for (const part of message?.parts ?? []) {
    if ('approval' in part && part.state === 'approval-requested') return part.approval.id;
  }
}

test('a task list is one part that is updated at each change', () => {
  const task = (id: string): RunEventBody => ({
    type: 'task-add',
    task: { id, title: id, origin: 'author' },
    index: 9,
  });
  const chat = createChatTranslator();
  const shown = inLog([
    runStart,
    task('a'),
    task('b'),
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    { type: 'task-update', taskId: 'a', by: 'model', status: 'in_progress' },
  ]).map((event) => json(chat.translate(event)));
  const pending = { origin: 'author', attempts: 0, status: 'pending' };
  const a = { ...pending, id: 'a', title: 'a', seq: 1 };
  const b = { ...pending, id: 'b', title: 'b', seq: 2 };
  const list = (...data: unknown[]): unknown => ({ type: 'data-tasks', id: 'tasks', data });
  expect(shown).toEqual([
    [],
    [],
    [],
    [{ type: 'start', messageId: 'answer' }, list(a, b)],
    [list({ ...a, status: 'in_progress', seq: 4, startedAt: 40 }, b)],
  ]);
});

test('a chat with pauses and answers has the whole log, and approved calls run once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(calls, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.boolean()),
      async (turns, verdicts) => {
        const { definition, ran } = prompted();
        const executor = listening();
        const log = executor.events;
        const asks = turns.map((turn) => turn.map((toolCall) => ({ toolCall })));
        const model = scriptedModel([...asks, finish('a'), finish('b'), 'Done.']);
        const chat = approvingChat({ transport: new PromptTransport(definition, { model, executor }) });
        await chat.sendMessage({ text: 'Go.' });
        const approved = new Set<string>();
        while (log.at(-1)?.type !== 'run-end') {
          const id = openApproval(chat.messages[1]);
          const yes = verdicts.next().value === true;
          if (id !== undefined && yes) approved.add(id);
          if (id !== undefined) await chat.addToolApprovalResponse({ id, approved: yes });
          await after(1);
        }
        await expect.poll(() => chat.status).toMatch(/ready|error/);
        expect(unmarked(chat.messages[1])).toEqual(unmarked(await readWhole(log)));
        expect(ownParts(chat.messages[1])).toEqual(ownParts(reduceAll(log).messages.at(-1)));
        const allowed = log.flatMap((event) =>
          event.type === 'approval-request' && approved.has(event.approvalId) ? [event.toolCallId] : [],
        );
        expect(ran.toSorted()).toEqual(allowed.toSorted());
        const list = chat.messages[1]?.parts.find(({ type }) => type === 'data-tasks');
        expect(json(list)).toEqual({ type: 'data-tasks', id: 'tasks', data: json(reduceAll(log).tasks) });
      },
    ),
    { numRuns: sample(25) },
  );
}, 60_000);
