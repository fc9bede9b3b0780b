import { CuelineError, definePrompt, runPrompt, type Executor } from '@cueline/core';
import { PromptTransport, type RunIds } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect, test, vi } from 'vitest';
import { call } from '../support.ts';
import { banker, keptRunIds, PlainChat, submission, textOf, userMessage } from '../support/chat.ts';

const talk = definePrompt('talk', (prompt) => prompt.defSystem('role', 'You are brief.'));
const slow: readonly ScriptedTurn[] = [[{ text: 'One ' }, { delay: 60 }, { text: 'two.' }]];
const texts = (chat: PlainChat): string[] => chat.messages.map(textOf);

/** A chat in the middle of its first answer. */
async function begun(id: string, onAbort: 'stop' | 'detach' = 'detach') {
  const options = { model: scriptedModel(slow), onAbort };
  const transport = new PromptTransport(talk, options);
  const chat = new PlainChat({ id, transport });
  void chat.sendMessage({ text: 'Count.' });
  await expect.poll(() => textOf(chat.messages[1])).toBe('One ');
  return { chat, transport, options };
}

test('A chat that has no run, or whose run has ended, has nothing to resume', async () => {
  const transport = new PromptTransport(talk, { model: scriptedModel(['Hello.']) });
  expect(await transport.reconnectToStream({ chatId: 'none' })).toBeNull();
  const chat = new PlainChat({ id: 'ended', transport });
  await chat.sendMessage({ text: 'Hello.' });
  expect(await transport.reconnectToStream({ chatId: 'ended' })).toBeNull();
  await chat.resumeStream();
  expect(texts(chat)).toEqual(['Hello.', 'Hello.']);
});

test('A detached run continues, and a chat with another transport gets it from its beginning', async () => {
  const { chat, options } = await begun('away');
  await chat.stop();
  const transport = new PromptTransport(talk, options);
  const again = new PlainChat({ id: 'away', transport, messages: transport.messages('away') });
  expect(texts(again)).toEqual(['Count.', 'One ']);
  await again.resumeStream();
  expect(texts(again)).toEqual(['Count.', 'One two.']);
  expect(again.messages[1]?.id).toBe(chat.messages[1]?.id);
  expect(options.model.calls).toHaveLength(1);
});

test('The end of a detached run is kept until a chat reads it', async () => {
  const { chat, transport } = await begun('later');
  await chat.stop();
  await expect.poll(() => transport.messages('later').map(textOf)).toEqual(['Count.', 'One two.']);
  await chat.resumeStream();
  expect(texts(chat)).toEqual(['Count.', 'One two.']);
  expect(await transport.reconnectToStream({ chatId: 'later' })).toBeNull();
});

test('A stop followed at once by a reconnection, as in StrictMode, does not end the run', async () => {
  const { chat, transport } = await begun('strict', 'stop');
  void chat.stop();
  const again = new PlainChat({ id: 'strict', transport });
  await again.resumeStream();
  expect(texts(again)).toEqual(['One two.']);
});

test('A stopped run is not resumed', async () => {
  const { chat, transport } = await begun('stopped');
  transport.stop('stopped');
  await expect.poll(() => chat.status).toBe('ready');
  expect(await transport.reconnectToStream({ chatId: 'stopped' })).toBeNull();
});

test('A signal stops the run even after its stream was cancelled', async () => {
  const model = scriptedModel(slow);
  const controller = new AbortController();
  const stream = await new PromptTransport(talk, { model }).sendMessages(
    submission('cancelled', undefined, controller.signal),
  );
  await expect.poll(() => model.calls).toHaveLength(1);
  await stream.cancel();
  controller.abort();
  await expect.poll(() => model.calls[0]?.abortSignal?.aborted).toBe(true);
});

test('The latest hundred chats and all running ones are remembered', async () => {
  const { definition } = banker();
  const asking = new PromptTransport(definition, { model: scriptedModel([[call('pay', { amount: 1 })]]) });
  await new PlainChat({ id: 'asking', transport: asking }).sendMessage({ text: 'Pay.' });
  const ids = Array.from({ length: 110 }, (_, n) => `${n}`);
  const transport = new PromptTransport(definition, { model: scriptedModel(ids.map(() => 'Hello.')) });
  for (const id of ids) await new PlainChat({ id, transport }).sendMessage({ text: 'Hello.' });
  const known = ids.map((id) => transport.messages(id).length > 0);
  expect([known.lastIndexOf(false), known.indexOf(true)]).toEqual([10, 11]);
  expect(transport.messages('asking')).toHaveLength(2);
  transport.stop('asking');
});

test('Chats whose runs have ended unread are forgotten, too, the oldest first', async () => {
  const { definition } = banker();
  const ids = Array.from({ length: 105 }, (_, n) => `${n}`);
  const model = scriptedModel(Array.from({ length: 205 }, () => [call('pay', { amount: 1 })]));
  // long enough for each to wait for its approval, also on a busy machine
  const transport = new PromptTransport(definition, { model, options: { timeout: { totalMs: 500 } } });
  const send = (id: string) => new PlainChat({ id, transport }).sendMessage({ text: 'Pay.' });
  for (const id of ids) await send(id);
  let later = 0;
  await vi.waitFor(
    async () => {
      await send(`later ${(later += 1)}`);
      const known = ['0', '1', '104'].map((id) => transport.messages(id).length > 0);
      expect(known).toEqual([false, false, true]);
    },
    { timeout: 10_000, interval: 200 },
  );
});

test('After a reload, an executor that still has the run returns it once', async () => {
  const { run } = await runPrompt(talk, { model: scriptedModel(slow), messages: [userMessage('Count.')] });
  const attached: unknown[] = [];
  const executor: Executor = {
    start: () => run.events(),
    attach(runId, afterSeq) {
      attached.push([runId, afterSeq]);
      return run.id === runId ? run.events(afterSeq) : undefined;
    },
  };
  const { kept, runIds } = keptRunIds();
  // all that a page has is made anew by a reload
  const load = () => new PromptTransport(definePrompt('talk', talk.run), { executor, runIds });
  void new PlainChat({ id: 'reload', transport: load() }).sendMessage({ text: 'Count.' });
  await expect.poll(() => kept.size).toBe(1);
  const transport = load();
  const again = new PlainChat({ id: 'reload', transport });
  await Promise.all([again.resumeStream(), again.resumeStream()]);
  expect(texts(again)).toEqual(['One two.']);
  expect([attached, kept.size]).toEqual([[[run.id, -1]], 0]);
  kept.set('cueline:chat:other', 'unknown');
  expect(await transport.reconnectToStream({ chatId: 'other' })).toBeNull();
  expect(kept.size).toBe(0);
});

test('An executor that has lost the run returns nothing, and an unreachable one rejects', async () => {
  let code: 'interrupted' | 'network' = 'interrupted';
  const executor: Executor = {
    start: () => expect.unreachable(),
    // eslint-disable-next-line require-yield -- it fails before it has anything to say
    async *attach() {
      throw new CuelineError(code, 'No.');
    },
  };
  const runIds: RunIds = { getItem: () => 'run-1', setItem() {}, removeItem: vi.fn() };
  const transport = new PromptTransport(talk, { executor, runIds });
  expect(await transport.reconnectToStream({ chatId: 'gone' })).toBeNull();
  expect(runIds.removeItem).toHaveBeenCalledWith('cueline:chat:gone');
  code = 'network';
  await expect(transport.reconnectToStream({ chatId: 'gone' })).rejects.toMatchObject({ code });
});
