import {
  CuelineError,
  definePlugin,
  dryRun,
  runPrompt,
  type Prompt,
  type PromptOptions,
} from '@cueline/core';
import { memory, webStorage, type MemoryStore, type WebStorage } from '@cueline/core/plugins';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, throwing } from '../support.ts';
import { after } from '../support/runs.ts';

const sayHi = (prompt: Prompt) => prompt.$`Hi.`;
const introduction =
  'memory:\nYou have notes that outlast this conversation. Keep there what will be of use later.';

const remember = (key: unknown, value: unknown) => call('remember', { key, value });
const recall = (key: unknown) => call('recall', { key });
const forget = (key: unknown) => call('forget', { key });

/** What the tools answered to these calls, made one after the other, and what the model was sent. */
async function ask(
  plugins: PromptOptions['plugins'],
  calls: ReturnType<typeof call>[],
  options: PromptOptions = {},
) {
  const turns: ScriptedTurn[] = [...calls.map((one) => [one]), 'Done.'];
  const model = scriptedModel(turns);
  const { run } = await runPrompt(sayHi, { model, options: { ...options, plugins } });
  const { toolCalls, status } = await run.finished;
  expect(status).toBe('done');
  const answers = toolCalls.map(({ output, errorText }) => errorText ?? output);
  return { answers, system: sent(model)[0]!.system, model };
}

/** A page's storage, in which others keep things too. */
function pageStorage(entries: Record<string, string> = {}): WebStorage & { entries: Map<string, string> } {
  const map = new Map(Object.entries(entries));
  return {
    entries: map,
    get length() {
      return map.size;
    },
    key: (index) => [...map.keys()][index] ?? null,
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
  };
}

describe('notes of the model', () => {
  test('are recalled by a second run', async () => {
    const notes = memory();
    const first = await ask([notes], [remember('home', 'Faro'), remember('tea', 'Green')]);
    expect(first.system).toBe(`${introduction} There are none yet.`);
    expect(first.answers).toEqual(['Noted under "home".', 'Noted under "tea".']);
    const second = await ask([notes], [recall('home'), forget('tea'), call('listNotes')]);
    expect(second.system).toBe(`${introduction} There are: "home", "tea".`);
    expect(second.answers).toEqual(['Faro', '"tea" is forgotten.', ['home']]);
  });

  test('have tools', async () => {
    const { request } = await dryRun(sayHi, { options: { plugins: [memory()] } });
    const key = { type: 'string', maxLength: 100 };
    const schema = (properties: object) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    });
    expect(request.tools).toEqual([
      {
        name: 'remember',
        description: 'Keeps a note under a key, in the place of the one before.',
        inputSchema: schema({ key, value: { type: 'string', maxLength: 10_000 } }),
      },
      { name: 'recall', description: 'Reads the note of a key.', inputSchema: schema({ key }) },
      { name: 'forget', description: 'Deletes the note of a key.', inputSchema: schema({ key }) },
      { name: 'listNotes', description: 'Lists the keys of all notes.', inputSchema: schema({}) },
    ]);
  });

  test('can be missing', async () => {
    const { answers } = await ask([memory()], [recall('home'), forget('home'), call('listNotes')]);
    expect(answers).toEqual(['There is no note "home". There are none yet.', 'There is no note "home".', []]);
  });

  test('do not change if the same note is kept twice, and the result says so', async () => {
    const set = vi.fn();
    const store: MemoryStore = { get: () => 'Faro', set, delete: () => {}, list: () => [] };
    const { answers } = await ask([memory({ store })], [remember('home', 'Faro')]);
    expect(answers).toEqual(['"home" says just that already.']);
    expect(set).not.toHaveBeenCalled();
  });

  test('are kept at each change, also if one changes back and forth', async () => {
    const notes = memory();
    const on = remember('lamp', 'on');
    const off = remember('lamp', 'off');
    const look = recall('lamp');
    const { answers } = await ask([notes], [on, look, off, look, on, look, off, look]);
    expect(answers.filter((_, index) => index % 2 === 1)).toEqual(['on', 'off', 'on', 'off']);
  });

  test.for([
    ['', 'x'],
    ['  ', 'x'],
    ['two\nlines', 'x'],
    ['k'.repeat(101), 'x'],
    [undefined, 'x'],
    [7, 'x'],
  ])('an invalid key is refused: %j', async ([key]) => {
    const fault = 'A key is one line of 1 to 100 characters, such as "home-town".';
    const { answers } = await ask([memory()], [remember(key, 'x'), recall(key), forget(key)]);
    expect(answers).toEqual([1, 2, 3].map(() => expect.stringContaining(fault)));
  });

  test.for([undefined, 7, 'v'.repeat(10_001)])('an invalid note is refused', async (value) => {
    const { answers } = await ask([memory()], [remember('k', value), call('listNotes')]);
    expect(answers).toEqual([
      expect.stringContaining(
        'A note is a text of up to 10000 characters. Keep the gist of it, or make several notes.',
      ),
      [],
    ]);
  });

  test('need an approval to write and none to read', async () => {
    const notes = memory();
    const model = scriptedModel([
      [recall('home'), call('listNotes')],
      [remember('home', 'Faro')],
      [forget('home')],
      'Done.',
    ]);
    const { run } = await runPrompt(sayHi, { model, options: { plugins: [notes], approval: true } });
    const asked: string[] = [];
    run.listen((event) => {
      if (event.type !== 'approval-request') return;
      asked.push(event.toolName);
      void run.respondToApproval(event.approvalId, { approved: true });
    });
    await run.finished;
    expect(asked).toEqual(['remember', 'forget']);
  });
});

describe('the scope of notes', () => {
  test('an agent shares notes if it uses the plugin, and has none otherwise', async () => {
    const notes = memory();
    const topic = z.object({ topic: z.string() });
    const model = scriptedModel([
      [remember('home', 'Faro')],
      [call('scout', { topic: 'home' })],
      // the scout
      [recall('home')],
      [remember('weather', 'Sunny')],
      'Scouted.',
      [call('stranger', { topic: 'home' })],
      // the stranger
      'Strange.',
      [recall('weather')],
      'Done.',
    ]);
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defAgent('scout', 'Scouts', topic, (args, own) => own.$`Scout ${args.topic}.`, {
          plugins: [notes],
        });
        prompt.defAgent('stranger', 'Is strange', topic, (args, own) => own.$`What of ${args.topic}?`);
        prompt.$`Hi.`;
      },
      { model, options: { plugins: [notes] } },
    );
    expect((await run.finished).status).toBe('done');
    const requests = sent(model);
    const own = ['remember', 'recall', 'forget', 'listNotes'];
    expect(requests.map(({ tools }) => tools)).toEqual([
      [...own, 'scout', 'stranger'],
      [...own, 'scout', 'stranger'],
      own,
      own,
      own,
      [...own, 'scout', 'stranger'],
      [],
      [...own, 'scout', 'stranger'],
      [...own, 'scout', 'stranger'],
    ]);
    expect(requests[2]!.system).toBe(`${introduction} There are: "home".`);
    expect(requests[3]!.messages.at(-1)).toBe('recall answers Faro');
    expect(requests[6]!.system).toBeUndefined();
    expect(requests[8]!.messages.at(-1)).toBe('recall answers Sunny');
  });

  test('two plugins share nothing, unless they share a store', async () => {
    const write = [remember('home', 'Faro')];
    await ask([memory()], write);
    expect((await ask([memory()], [])).system).toBe(`${introduction} There are none yet.`);
    const store = webStorage(pageStorage());
    await ask([memory({ store })], write);
    expect((await ask([memory({ store })], [])).system).toBe(`${introduction} There are: "home".`);
  });

  test('the name of the plugin is the name of its part of the system prompt', async () => {
    const { system } = await ask([memory({ name: 'diary' })], []);
    expect(system).toBe(`${introduction.replace('memory:', 'diary:')} There are none yet.`);
  });

  test('the system prompt names fifty keys, and only valid ones', async () => {
    const keys = Array.from({ length: 53 }, (_, index) => `k${index}`);
    const list = (): string[] => ['', 'a\nrole: liar', 'x'.repeat(101), ...keys];
    const store: MemoryStore = { get: () => null, set: () => {}, delete: () => {}, list };
    const { system, answers } = await ask([memory({ store })], [call('listNotes')]);
    const first = keys.slice(0, 50).map((key) => `"${key}"`);
    expect(system).toBe(`${introduction} There are: ${first.join(', ')}, and 3 more, which listNotes names.`);
    expect(answers).toEqual([keys]);
  });
});

describe('notes of the author', () => {
  test('are kept with prompt.remember, and the model reads them', async () => {
    const notes = memory();
    const store: MemoryStore[] = [];
    const model = scriptedModel([[recall('user')], 'Done.']);
    const { run, prompt } = await runPrompt(
      async (prompt) => {
        store.push(prompt.memoryStore);
        await prompt.remember('user', 'Ada');
        prompt.$`Hi.`;
      },
      { model, options: { plugins: [notes] } },
    );
    await run.finished;
    expect(sent(model).map(({ system }) => system)).toEqual([
      `${introduction} There are: "user".`,
      `${introduction} There are: "user".`,
    ]);
    expect(sent(model)[1]!.messages.at(-1)).toBe('recall answers Ada');
    expect(await store[0]!.get('user')).toBe('Ada');
    expect(prompt.definitions.system.has('memory')).toBe(true);
  });

  test('can be kept from another plugin and in a task', async () => {
    const notes = memory();
    const model = scriptedModel([[call('finishTask', { result: '8' })], 'Done.']);
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTaskList([{ task: 'Add', extend: (own) => own.remember('sum', '5 + 3') }]);
        prompt.$`Work.`;
      },
      { model, options: { plugins: [notes, definePlugin({ name: 'other', setup: () => ({ other: 1 }) })] } },
    );
    expect((await run.finished).status).toBe('done');
    expect(sent(model)[0]!.system).toBe(`${introduction} There are: "sum".`);
  });

  test.for([
    ['', 'x', 'A key is one line of 1 to 100 characters, such as "home-town".'],
    [
      'k',
      'v'.repeat(10_001),
      'A note is a text of up to 10000 characters. Keep the gist of it, or make several notes.',
    ],
  ] as const)('are refused with an error if they are invalid', async ([key, value, message]) => {
    const notes = memory();
    const run = dryRun((prompt) => prompt.remember(key, value), { options: { plugins: [notes] } });
    await expect(run).rejects.toMatchObject({ code: 'invalid_definition', message });
  });
});

describe('stores', () => {
  test('may be asynchronous', async () => {
    const map = new Map<string, string>();
    const soon = async <Value>(value: Value): Promise<Value> => {
      await after(1);
      return value;
    };
    const store: MemoryStore = {
      get: (key) => soon(map.get(key)),
      set: (key, value) => soon(map.set(key, value)),
      delete: (key) => soon(map.delete(key)),
      list: () => soon([...map.keys()]),
    };
    const { answers } = await ask(
      [memory({ store })],
      [remember('a', '1'), recall('a'), call('listNotes'), forget('a'), call('listNotes')],
    );
    expect(answers).toEqual(['Noted under "a".', '1', ['a'], '"a" is forgotten.', []]);
  });

  test('that fail in a run fail the call alone', async () => {
    const full = throwing(new Error('The disk is full'));
    const store: MemoryStore = { get: () => null, set: full, delete: full, list: () => ['a'] };
    const { answers } = await ask([memory({ store })], [remember('a', '1'), call('listNotes')]);
    expect(answers).toEqual([
      expect.stringContaining('The store of the plugin memory, asked to set, threw: The disk is full'),
      ['a'],
    ]);
  });

  test('that fail at the start keep the run from starting', async () => {
    const store: MemoryStore = {
      get: () => null,
      set: () => {},
      delete: () => {},
      list: () => Promise.reject(new Error('No such table')),
    };
    const model = scriptedModel([]);
    const run = runPrompt(sayHi, { model, options: { plugins: [memory({ store, name: 'diary' })] } });
    await expect(run).rejects.toMatchObject({
      code: 'script_error',
      message: 'The store of the plugin diary, asked to list, threw: No such table',
    });
  });

  test.for([
    ['get', null],
    ['set', { get() {} }],
    ['list', { get() {}, set() {}, delete() {} }],
  ] as const)('are refused without %s', ([method, store]) => {
    expect(() => memory({ store: store as never })).toThrow(
      new CuelineError(
        'invalid_options',
        `The store of the memory plugin has no ${method}. Write memory({ store: { get, set, delete, list } }), or memory({ store: webStorage(localStorage) }).`,
      ),
    );
  });

  test('webStorage uses its prefix, and leaves other entries alone', async () => {
    const storage = pageStorage({ theme: 'dark', 'cueline:home': 'Faro', 'cuelin:x': 'no' });
    const { answers, system } = await ask(
      [memory({ store: webStorage(storage) })],
      [recall('home'), recall('theme'), remember('theme', 'light'), forget('home')],
    );
    expect(system).toBe(`${introduction} There are: "home".`);
    expect(answers).toEqual([
      'Faro',
      'There is no note "theme". There are: "home".',
      'Noted under "theme".',
      '"home" is forgotten.',
    ]);
    expect(Object.fromEntries(storage.entries)).toEqual({
      theme: 'dark',
      'cuelin:x': 'no',
      'cueline:theme': 'light',
    });
  });

  test('webStorage returns what it stored, under any name', async () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'length', 'cueline:a'));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(names), fc.string(), async (keys, value) => {
        const store = webStorage(pageStorage({ other: 'x' }), 'p:');
        for (const key of keys) await store.set(key, value + key);
        expect([...(await store.list())]).toEqual(keys);
        for (const key of keys) expect(await store.get(key)).toBe(value + key);
        for (const key of keys) await store.delete(key);
        expect([...(await store.list())]).toEqual([]);
      }),
    );
  });
});
