import type { JSONSchema7 } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { definePlugin } from '../prompt/define-plugin.ts';
import type { Plugin } from '../prompt/prompt.ts';
import { checkStore, inMemory, type MemoryStore } from './memory-store.ts';

/** The maximum length of a key and of a note, in characters, and the number of keys in the system prompt. */
const MAX_KEY = 100;
const MAX_VALUE = 10_000;
const MAX_NAMED = 50;

/** The methods that the `memory` plugin adds to `prompt`. */
export type Memory = {
  /**
   * Stores a note of the author, as the model's `remember` does. If it is made before the run starts, the system
   * prompt contains its key.
   * @throws CuelineError `invalid_definition` for an invalid key or note, `script_error` if the store fails
   */
  remember(key: string, value: string): Promise<void>;
  /** The store of the notes. */
  readonly memoryStore: MemoryStore;
};

/** The options of {@link memory}. */
export type MemoryOptions = {
  /** Where notes are stored. Default: in memory, for as long as this plugin is used. */
  store?: MemoryStore | undefined;
  /** Name of the plugin, and of its part of the system prompt. Default `memory`. */
  name?: string | undefined;
};

type Note = { key: string; value: string };

/**
 * Notes that the model writes in one run and reads in another, with the tools `remember`, `recall`, `forget` and
 * `listNotes`. The system prompt contains the first 50 keys that exist when a prompt begins; the notes themselves are
 * sent when the model asks for them. A key is one line of up to 100 characters, a note a text of up to 10,000.
 *
 * All prompts and agents with the same plugin share its notes.
 *
 * @example
 * const notes = memory({ store: webStorage(localStorage) });
 * await runPrompt((prompt) => { prompt.$`What do you know about me?`; }, { model, options: { plugins: [notes] } });
 */
export function memory(options: MemoryOptions = {}): Plugin<Memory> {
  checkNames('memory', options, ['store', 'name'], 'invalid_options');
  const { store = inMemory(), name = 'memory' } = options;
  checkStore(store);

  async function ask<Value>(
    method: keyof MemoryStore,
    call: () => Value | PromiseLike<Value>,
  ): Promise<Value> {
    try {
      return await call();
    } catch (error) {
      throw scriptError(`The store of the plugin ${name}, asked to ${method},`, error);
    }
  }

  const get = (key: string): Promise<unknown> => ask('get', () => store.get(key));
  // a note that other code has stored may not be valid in a prompt
  const list = (): Promise<string[]> => ask('list', async () => [...(await store.list())].filter(isKey));

  async function write({ key, value }: Note): Promise<string> {
    checkKey(key);
    check(
      typeof value === 'string' && value.length <= MAX_VALUE,
      `A note is a text of up to ${MAX_VALUE} characters. Keep the gist of it, or make several notes.`,
    );
    // tells a model in a loop that nothing changed
    if ((await get(key)) === value) return `${formatNote(key)} says just that already.`;
    await ask('set', () => store.set(key, value));
    return `Noted under ${formatNote(key)}.`;
  }

  async function read({ key }: Note): Promise<unknown> {
    checkKey(key);
    const value = await get(key);
    return value ?? `There is no note ${formatNote(key)}. ${named(await list())}`;
  }

  async function remove({ key }: Note): Promise<string> {
    checkKey(key);
    if (((await get(key)) ?? null) === null) return `There is no note ${formatNote(key)}.`;
    await ask('delete', () => store.delete(key));
    return `${formatNote(key)} is forgotten.`;
  }

  return definePlugin({
    name,
    async setup(prompt) {
      const keys = new Set(await list());
      const describe = (): void =>
        prompt.defSystem(
          name,
          `You have notes that outlast this conversation. Keep there what will be of use later. ${named([...keys])}`,
        );
      const addTool = (
        tool: string,
        description: string,
        fields: readonly (keyof Note)[],
        effect: 'read' | 'write',
        run: (note: Note) => unknown,
      ): void =>
        // repeatable, because the result depends on the notes that were made meanwhile
        prompt.defTool(tool, description, schemaOf(fields), (args) => run((args ?? {}) as Note), {
          effect,
          repeatable: true,
        });
      describe();
      addTool(
        'remember',
        'Keeps a note under a key, in the place of the one before.',
        ['key', 'value'],
        'write',
        write,
      );
      addTool('recall', 'Reads the note of a key.', ['key'], 'read', read);
      addTool('forget', 'Deletes the note of a key.', ['key'], 'write', remove);
      addTool('listNotes', 'Lists the keys of all notes.', [], 'read', list);
      return {
        async remember(key: string, value: string): Promise<void> {
          await write({ key, value });
          keys.add(key);
          describe();
        },
        memoryStore: store,
      };
    },
  });
}

function checkKey(key: unknown): void {
  check(isKey(key), `A key is one line of 1 to ${MAX_KEY} characters, such as "home-town".`);
}

function check(fits: boolean, message: string): void {
  if (!fits) throw new CuelineError('invalid_definition', message);
}

function isKey(key: unknown): key is string {
  return typeof key === 'string' && key.trim() !== '' && key.length <= MAX_KEY && !/\p{Cc}/u.test(key);
}

function formatNote(key: unknown): string {
  return JSON.stringify(key);
}

function named(keys: readonly string[]): string {
  if (keys.length === 0) return 'There are none yet.';
  const more = keys.length > MAX_NAMED ? `, and ${keys.length - MAX_NAMED} more, which listNotes names` : '';
  return `There are: ${keys.slice(0, MAX_NAMED).map(formatNote).join(', ')}${more}.`;
}

function schemaOf(fields: readonly (keyof Note)[]): JSONSchema7 {
  const lengths = { key: MAX_KEY, value: MAX_VALUE };
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => [field, { type: 'string', maxLength: lengths[field] }]),
    ),
    required: [...fields],
    additionalProperties: false,
  };
}
