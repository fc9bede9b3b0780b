import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
// A library: what it reads, which version it returns, and what runs with it.
import { createRun, dryRun, runPrompt } from '@cueline/core';
import { createPromptLibrary, type PromptParameters, type PromptRecord } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startServer, type ChatServer } from '../models/chat-server.ts';

const greet = {
  id: 'greet',
  version: '1.0.0',
  name: 'Greet',
  systemPrompt: 'You are {TONE}. Reply as JSON: { "text": "…" }',
  systemPromptParameters: [
    { name: 'TONE', type: 'enum', allowedValues: ['formal', 'casual'], defaultValue: 'casual' },
  ],
  userPrompt: 'Greet {NAME}{SUFFIX}, {TIMES} times.',
  userPromptParameters: [
    { name: 'NAME', type: 'string', description: 'Who is greeted.' },
    { name: 'SUFFIX', type: 'string', required: false },
    { name: 'TIMES', type: 'number', defaultValue: 1 },
  ],
} as const satisfies PromptRecord;

const version = (version: string, status: PromptRecord['status'] = 'active', id = 'plan'): PromptRecord => ({
  id,
  version,
  status,
  name: 'Plan',
  userPrompt: `Plan, as of ${version}.`,
});

const caught = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

describe('expansion', () => {
  const library = createPromptLibrary(greet);

  test('replaces declared names, with defaults, and leaves other braces alone', () => {
    expect(library.expandSystem('greet')).toBe('You are casual. Reply as JSON: { "text": "…" }');
    expect(library.expandUser('greet', { NAME: 'Ada' })).toBe('Greet Ada, 1 times.');
    expect(library.expandUser('greet@^1', { NAME: 'Ada', SUFFIX: '!', TIMES: 3, TONE: 'formal' })).toBe(
      'Greet Ada!, 3 times.',
    );
    expect(library.expandUser(library.get('greet'), { NAME: '{SUFFIX}' }), 'values are not expanded').toBe(
      'Greet {SUFFIX}, 1 times.',
    );
    expect(library.expandUser('greet', { NAME: 'Ada', TIMES: '2' }), 'a number from a form').toContain(
      '2 times',
    );
  });

  test.each([
    [{}, 'NAME is missing. Pass a string: Who is greeted.'],
    [{ NAME: 1 }, 'NAME is 1. Pass a string.'],
    [{ NAME: 'Ada', TIMES: 'often' }, "TIMES is 'often'. Pass a number."],
    [{ NAME: 'Ada', TIMES: Number.NaN }, 'TIMES is NaN. Pass a number.'],
    [{ NAME: 'Ada', NAM: 'Bob' }, 'NAM is unknown. Write NAME.'],
    [{ NAME: 'Ada', CITY: 'Oslo' }, 'CITY is unknown. There are TONE, NAME, SUFFIX, TIMES.'],
    [['Ada'], "Parameters must be an object, such as { CITY: 'Oslo' }, but got a list."],
  ])('refuses %j', (parameters, message) => {
    const error = caught(() => library.expandUser('greet', parameters as PromptParameters));
    expect(error).toMatchObject({
      code: 'invalid_parameter',
      details: { prompt: 'greet', version: '1.0.0' },
    });
    expect((error as Error).message).toBe(`The parameters of prompt "greet" 1.0.0 are invalid. ${message}`);
  });

  test('refuses a value that is not allowed, and lists the allowed ones', () => {
    expect(() => library.expandSystem('greet', { TONE: 'rude' })).toThrow(
      `TONE is 'rude'. Pass one of "formal", "casual".`,
    );
  });

  test('takes a prompt that a library returned, and no other object', () => {
    expect(caught(() => library.expandUser({ id: 'greet' } as never))).toMatchObject({
      code: 'invalid_options',
    });
  });
});

describe('versions', () => {
  const library = createPromptLibrary([
    version('1.0.0', 'deprecated'),
    version('1.10.0'),
    version('1.9.0'),
    version('2.0.0-beta.1'),
    version('2.0.0', 'draft'),
    version('0.1.0', 'deprecated', 'old'),
  ]);

  test.each([
    ['plan', undefined, '1.10.0'],
    ['plan', 'latest', '1.10.0'],
    ['plan', '^1.9', '1.10.0'],
    ['plan', '~1.9.0', '1.9.0'],
    ['plan', '<1.10.0', '1.9.0'],
    ['plan', '1.0.0 || 1.9.0', '1.9.0'],
    ['plan', '1.0.0', '1.0.0'],
    ['plan', '2.0.0', '2.0.0'],
    ['plan', '>=2.0.0-alpha', '2.0.0-beta.1'],
    ['old', 'latest', '0.1.0'],
  ])('%s %s is %s', (id, range, expected) => {
    expect(library.get(id, range).version).toBe(expected);
    expect(library.has(id, range)).toBe(true);
  });

  test.each([
    ['plam', 'latest', 'unknown_prompt', "The library has no prompt 'plam'. Did you mean 'plan'?"],
    ['greeting', 'latest', 'unknown_prompt', "The library has no prompt 'greeting'. There are: plan, old."],
    [
      'plan',
      '^2',
      'unknown_prompt',
      "Prompt 'plan' has no version '^2'. There are: 2.0.0 (draft), 2.0.0-beta.1, 1.10.0, 1.9.0, 1.0.0 (deprecated). A draft is only found by its exact version: 'plan@2.0.0'.",
    ],
    [
      'plan',
      'newest',
      'invalid_options',
      "'newest' is not a version. Write one such as '1.2.3', a range such as '^1.2', or 'latest'.",
    ],
  ])('%s %s is not found', (id, range, code, message) => {
    const error = caught(() => library.get(id, range));
    expect(error).toMatchObject({ code, message });
    expect(library.has(id, range)).toBe(false);
  });

  test('are listed from the newest to the oldest', () => {
    expect(library.list().map(({ id, version }) => `${id} ${version}`)).toEqual([
      'plan 2.0.0',
      'plan 2.0.0-beta.1',
      'plan 1.10.0',
      'plan 1.9.0',
      'plan 1.0.0',
      'old 0.1.0',
    ]);
  });

  test('have equal hashes exactly if their texts and parameters are equal', () => {
    const hash = (change: Partial<PromptRecord>): string =>
      createPromptLibrary({ ...greet, ...change } as PromptRecord).list()[0]!.hash;
    expect(hash({ version: '9.0.0', name: 'Other', status: 'draft' })).toBe(hash({}));
    expect(hash({ userPrompt: `${greet.userPrompt} ` })).not.toBe(hash({}));
    expect(hash({})).toMatch(/^[0-9a-f]{64}$/);
  });

  test('are frozen copies of the values they were read from', () => {
    const value = structuredClone(greet) as unknown as { userPrompt: string };
    const library = createPromptLibrary(value as unknown as PromptRecord);
    value.userPrompt = 'Changed';
    expect(library.get('greet').userPrompt).toBe(greet.userPrompt);
    expect(Object.isFrozen(library.get('greet').userPromptParameters[0])).toBe(true);
  });
});

describe('definitions', () => {
  const library = createPromptLibrary([greet, { ...greet, version: '2.0.0', userPrompt: 'Hello {NAME}' }]);

  test('send the expanded texts, and the log has id, version and hash', async () => {
    const model = scriptedModel(['Hello']);
    const definition = library.definePrompt('greet@^1', { model });
    const { run } = await runPrompt(definition, { input: { NAME: 'Ada', TIMES: 2 } });
    expect((await run.finished).text).toBe('Hello');
    expect(run.log()[0]).toMatchObject({
      type: 'run-start',
      name: 'greet',
      library: { id: 'greet', version: '1.0.0', hash: library.get('greet', '1.0.0').hash },
      input: { NAME: 'Ada', TIMES: 2 },
    });
    expect(model.calls[0]?.prompt).toEqual([
      { role: 'system', content: 'You are casual. Reply as JSON: { "text": "…" }' },
      { role: 'user', content: [{ type: 'text', text: 'Greet Ada, 2 times.' }] },
    ]);
  });

  test('refuse input that does not fit before anything is sent', async () => {
    const model = scriptedModel(['Hello']);
    const run = createRun(library.definePrompt('greet@1.0.0', { model }));
    await expect(run.start({ NAME: 1 } as never)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('input.NAME: is 1. Pass a string.'),
    });
    expect(model.calls).toEqual([]);
  });

  test.each([
    { type: 'number' },
    { type: 'boolean' },
    { type: 'enum', allowedValues: ['few', 'many'] },
    { type: 'string', allowedValues: ['few', 'many'] },
  ] as const)('run without an optional parameter of %j, which is the empty text', async (type) => {
    const record = {
      id: 'count',
      version: '1.0.0',
      name: 'Count',
      userPrompt: 'How {MANY}?',
      userPromptParameters: [{ name: 'MANY', required: false, ...type }],
    } as const satisfies PromptRecord;
    const prompt = createPromptLibrary(record).definePrompt('count');
    const model = scriptedModel(['None.']);
    await createRun(prompt, { model }).start({});
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain('How ?');
  });

  test('have the JSON Schema of their parameters', () => {
    const schema = library.definePrompt('greet@1.0.0').input as unknown as {
      '~standard': { jsonSchema: { input: () => unknown } };
    };
    expect(schema['~standard'].jsonSchema.input()).toEqual({
      type: 'object',
      properties: {
        TONE: { enum: ['formal', 'casual'], default: 'casual' },
        NAME: { type: 'string', description: 'Who is greeted.' },
        SUFFIX: { type: 'string' },
        TIMES: { type: 'number', default: 1 },
      },
      required: ['NAME'],
      additionalProperties: false,
    });
  });

  test('take the newest version if the reference has none, and work in a dry run', async () => {
    const { request } = await dryRun(library.definePrompt('greet'), {
      model: scriptedModel([]),
      input: { NAME: 'Ada' },
    });
    expect(JSON.stringify(request.messages)).toContain('Hello Ada');
  });
});

describe('sources', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const inFolder = (files: Record<string, string>): string => {
    folder = mkdtempSync(join(tmpdir(), 'cueline-library-'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  };
  const json = JSON.stringify([version('1.0.0')]);

  test('are files, folders, file URLs and JSON text', async () => {
    const path = inFolder({
      'a.json': json,
      'b.json': `\uFEFF${JSON.stringify({ $schema: 'x', prompts: [version('1.1.0')] })}`,
      'c.json': JSON.stringify({ $schema: 'x', ...version('1.2.0') }),
      'notes.txt': 'not read',
    });
    const latest = async (source: string | URL): Promise<string> =>
      (await createPromptLibrary(source)).get('plan').version;
    expect(await latest(join(path, 'a.json'))).toBe('1.0.0');
    expect(await latest(path)).toBe('1.2.0');
    expect(await latest(pathToFileURL(join(path, 'b.json')))).toBe('1.1.0');
    expect(await latest(pathToFileURL(path))).toBe('1.2.0');
    expect(await latest(json)).toBe('1.0.0');
    const several = await createPromptLibrary([join(path, 'a.json'), JSON.stringify(greet)]);
    expect(several.list()).toHaveLength(2);
  });

  test.each([
    [
      'a file that does not exist',
      {},
      'prompts.json',
      /prompts\.json cannot be read \(ENOENT.*working directory/,
    ],
    [
      'a file that is not JSON',
      { 'prompts.json': '[{]' },
      'prompts.json',
      /prompts\.json is not JSON .*Correct/,
    ],
    ['a folder without JSON files', {}, '', /is a folder without JSON files/],
    [
      'a file that is too long',
      { 'prompts.json': `"${'x'.repeat(5_000_001)}"` },
      'prompts.json',
      /is longer than 5000000 characters\. Split the file/,
    ],
  ])('%s is an error with its path', async (_, files, name, message) => {
    const path = join(inFolder(files), name);
    await expect(createPromptLibrary(path)).rejects.toMatchObject({
      code: 'invalid_library',
      message: expect.stringMatching(message),
    });
  });

  const addressOf = ({ url }: ChatServer): URL => new URL(`${url}/prompts.json?key=secret`);

  test('are URLs, read at run time', async () => {
    await using server = await startServer((response) => response.end(json));
    const url = addressOf(server);
    expect((await createPromptLibrary(url)).get('plan').version).toBe('1.0.0');
    expect((await createPromptLibrary([url.href])).get('plan').version).toBe('1.0.0');
  });

  test('are addresses relative to the page where there is no file system', async () => {
    const builtIn = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    onTestFinished(() => builtIn.mockRestore());
    const answer = () => Promise.resolve(new Response('<p>', { status: 404 }));
    const reading = createPromptLibrary('/prompts.json', { fetch: answer });
    await expect(reading).rejects.toThrow(
      '/prompts.json answered with status 404. Check the path: in a page, it is an address relative to that of the page.',
    );
  });

  test('are URLs, also where a stream is not iterable', async () => {
    const answer = (text: string) => {
      const response = new Response(text);
      Object.defineProperty(response.body, Symbol.asyncIterator, { value: undefined });
      return () => Promise.resolve(response);
    };
    const read = (text: string) =>
      createPromptLibrary('https://example.com/prompts.json', { fetch: answer(text) });
    expect((await read(json)).get('plan').version).toBe('1.0.0');
    await expect(read(' '.repeat(5_000_001))).rejects.toThrow('is longer than 5000000 characters');
  });

  test.each([
    ['another status', 404, 'Not found', /prompts\.json answered with status 404\. Check the address\.$/],
    ['a page', 200, '<html>', /prompts\.json answered with a web page, not with JSON\. Check the address\.$/],
    ['an endless answer', 200, undefined, /is longer than 5000000 characters/],
  ])('a URL with %s is an error without its query', async (_, status, body, message) => {
    await using server = await startServer((response) => {
      response.writeHead(status);
      if (body !== undefined) return response.end(body);
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(100_000)));
        response.once('drain', more);
      };
      return more();
    });
    const error = (await createPromptLibrary(addressOf(server)).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: 'invalid_library' });
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('secret');
  });

  test('can be aborted', async () => {
    await using server = await startServer(() => {});
    const abort = new AbortController();
    const loading = createPromptLibrary(addressOf(server), { signal: abort.signal });
    abort.abort(new Error('gone'));
    await expect(loading).rejects.toThrow('gone');
  });
});
