import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { definePrompt, type PromptSettings, type PromptWithSchema } from '../prompt/define-prompt.ts';
import type { TypesOf } from '../prompt/types-of.ts';
import { expandText } from './expand.ts';
import { inputSchema } from './input-schema.ts';
import type { PromptId, PromptInput, PromptReference } from './input-types.ts';
import {
  addMCPMessages,
  isMCPClient,
  readMCPPrompts,
  toMCPPrompt,
  toMCPResult,
  type MCPPromptClient,
  type MCPPrompts,
  type RemotePrompt,
} from './mcp.ts';
import type { LibraryPrompt, PromptRecord } from './prompt-record.ts';
import { Faults, readPrompts } from './read-prompts.ts';
import { readSource, toContent, type SourceContent } from './read-source.ts';
import { findVersion, groupVersions, newestActive, splitReference, type PromptVersions } from './versions.ts';

/** The parameters of a prompt by name. */
export type PromptParameters = Readonly<Record<string, unknown>>;

/** Settings of a prompt of a library: those of `definePrompt`, whose `input` the parameters are. */
export type LibraryPromptSettings = Omit<PromptSettings, 'input'>;

/** An immutable set of prompts with their versions. */
export type PromptLibrary<Prompts extends readonly PromptRecord[] = readonly PromptRecord[]> = {
  /**
   * Returns a version of a prompt: an exact version, or the newest active one that a semver range allows. Default:
   * `latest`.
   * @throws CuelineError `unknown_prompt`, which names the nearest id or the versions
   */
  get(id: PromptId<Prompts>, version?: string): LibraryPrompt;
  /** True if `get` returns a prompt. */
  has(id: string, version?: string): boolean;
  /** All versions, by id in the order of the sources, the newest version first. */
  list(): readonly LibraryPrompt[];
  /**
   * Returns the system prompt with its parameters in place: declared `{NAME}`s only, all other braces stay.
   * @throws CuelineError `invalid_parameter`, `unknown_prompt`
   */
  expandSystem(prompt: LibraryPrompt | PromptReference<Prompts>, parameters?: PromptParameters): string;
  /**
   * Returns the user message with its parameters in place.
   * @throws CuelineError `invalid_parameter`, `unknown_prompt`
   */
  expandUser(prompt: LibraryPrompt | PromptReference<Prompts>, parameters?: PromptParameters): string;
  /**
   * Returns a prompt definition with the id as its name and the parameters as its input. `greet` is its newest active
   * version, `greet@^2` the newest that the range allows. The run log has its id, version and hash.
   * @throws CuelineError `unknown_prompt`
   *
   * @example const greet = library.definePrompt('greet@^2', { model: 'openai:gpt-4o' });
   */
  definePrompt<
    const Reference extends PromptReference<Prompts>,
    const Settings extends LibraryPromptSettings = LibraryPromptSettings,
  >(
    reference: Reference,
    settings?: Settings,
  ): PromptWithSchema<PromptInput<Prompts, Reference>, TypesOf<Settings>>;
  /** Returns the handlers of an MCP server for these prompts. */
  toMCPPrompts(): MCPPrompts;
};

/**
 * What a library loads: the path of a JSON file or of a folder of them, a URL, JSON text, or an MCP client. A path
 * needs a runtime with Node's file system; in a browser it is an address relative to the page.
 */
export type PromptLibrarySource = string | URL | MCPPromptClient;

/** Settings of {@link createPromptLibrary} for sources that are loaded. */
export type PromptLibraryOptions = {
  /** Used for URLs. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Aborts the requests for URLs. */
  signal?: AbortSignal;
};

/** A prompt that was imported from JSON, whose types TypeScript widens. */
type ImportedPrompt = { id: string; version: string; name: string; userPrompt: string };
type ImportedPrompts = readonly ImportedPrompt[] | ImportedPrompt | { prompts: readonly ImportedPrompt[] };

/**
 * Creates a library of prompts. From values it returns the library at once, typed by them where they are written
 * `as const satisfies PromptRecord`; from files, URLs, JSON text or MCP clients it returns a promise.
 * @throws CuelineError `invalid_library`, with the path of each fault and what to write instead
 *
 * @example const library = createPromptLibrary([greet, planDay]);
 * @example const library = await createPromptLibrary('prompts/travel.json');
 * @example const library = await createPromptLibrary([new URL('https://example.com/prompts.json'), mcpClient]);
 */
export function createPromptLibrary<const Prompts extends readonly PromptRecord[]>(
  prompts: Prompts,
): PromptLibrary<Prompts>;
export function createPromptLibrary<const Record extends PromptRecord>(
  prompt: Record,
): PromptLibrary<readonly [Record]>;
export function createPromptLibrary(
  sources: PromptLibrarySource | readonly PromptLibrarySource[],
  options?: PromptLibraryOptions,
): Promise<PromptLibrary>;
export function createPromptLibrary(prompts: ImportedPrompts): PromptLibrary;
export function createPromptLibrary(source: unknown, options: PromptLibraryOptions = {}): unknown {
  checkNames('createPromptLibrary', options, ['fetch', 'signal'], 'invalid_options');
  const sources = Array.isArray(source) ? (source as readonly unknown[]) : [source];
  if (!sources.some(isLoaded)) return fromContents([{ name: 'prompts', value: source }]);
  return load(sources, options);
}

function isLoaded(source: unknown): source is PromptLibrarySource {
  return typeof source === 'string' || source instanceof URL || isMCPClient(source);
}

async function load(sources: readonly unknown[], options: PromptLibraryOptions): Promise<PromptLibrary> {
  const remote: RemotePrompts = new Map();
  const contents = await Promise.all(
    sources.map(async (source, index): Promise<SourceContent[]> => {
      if (!isLoaded(source)) return [{ name: `sources[${index}]`, value: source }];
      if (typeof source === 'string' && /^\s*[[{]/.test(source)) {
        return [toContent(`sources[${index}]`, source.length, source)];
      }
      if (typeof source === 'string' || source instanceof URL) return readSource(source, options);
      const { records, remote: prompts } = await readMCPPrompts(source);
      for (const one of prompts) remote.set(one.prompt, one);
      return [records];
    }),
  );
  return fromContents(contents.flat(), remote);
}

/** Prompts whose texts are only on an MCP server. */
type RemotePrompts = Map<LibraryPrompt, RemotePrompt>;

function fromContents(contents: readonly SourceContent[], remote: RemotePrompts = new Map()): PromptLibrary {
  const faults = new Faults();
  const prompts: LibraryPrompt[] = [];
  const sources = new Map<string, string>();
  for (const { name, value } of contents) {
    for (const prompt of readPrompts(name, value, faults)) {
      addOnce(prompt, name, { prompts, sources, faults });
    }
  }
  for (const prompt of remote.keys()) addOnce(prompt, 'the MCP server', { prompts, sources, faults });
  faults.throwIfAny();
  return libraryOf(groupVersions(prompts), remote);
}

type Collected = { prompts: LibraryPrompt[]; sources: Map<string, string>; faults: Faults };

/** Refuses two prompts with the same id and version. */
function addOnce(prompt: LibraryPrompt, name: string, { prompts, sources, faults }: Collected): void {
  const key = `${prompt.id}@${prompt.version}`;
  const earlier = sources.get(key);
  sources.set(key, name);
  if (earlier === undefined) prompts.push(prompt);
  else faults.add(name, `has ${key}, which ${earlier} also has. Give one of them another version`);
}

function libraryOf(versions: PromptVersions, remote: RemotePrompts): PromptLibrary {
  const all = Object.freeze([...versions.values()].flat());
  const get = (id: string, version = 'latest'): LibraryPrompt => findVersion(versions, id, version);
  const byReference = (reference: unknown): LibraryPrompt => {
    if (typeof reference !== 'string') return findVersion(versions, reference as string, 'latest');
    return findVersion(versions, ...splitReference(reference));
  };
  const expand = (kind: 'system' | 'user', source: LibraryPrompt | string, parameters: unknown): string => {
    const prompt = isRecord(source) ? known(source) : byReference(source);
    if (prompt.remote === true) throw serverPromptError(prompt);
    return expandText(prompt, kind, parameters);
  };
  return Object.freeze({
    get,
    has(id: string, version = 'latest') {
      try {
        findVersion(versions, id, version);
        return true;
      } catch {
        return false;
      }
    },
    list: () => all,
    expandSystem: (prompt, parameters) => expand('system', prompt, parameters),
    expandUser: (prompt, parameters) => expand('user', prompt, parameters),
    definePrompt: ((reference: string, settings?: LibraryPromptSettings) => {
      const prompt = byReference(reference);
      return toDefinition(prompt, settings, remote.get(prompt));
    }) as PromptLibrary['definePrompt'],
    toMCPPrompts: () => ({
      listPrompts: () => ({
        prompts: [...versions.values()].flatMap((all) => {
          const newest = newestActive(all);
          return newest === undefined || newest.remote === true ? [] : [toMCPPrompt(newest)];
        }),
      }),
      getPrompt({ name, arguments: parameters }) {
        const prompt = get(name);
        if (prompt.status !== 'active') throw notServedError(prompt);
        if (prompt.remote === true) throw serverPromptError(prompt);
        return toMCPResult(prompt, parameters);
      },
    }),
  } satisfies PromptLibrary);
}

/** Accepts only prompts that a library returned, because those have been checked. */
function known(prompt: LibraryPrompt): LibraryPrompt {
  if (typeof prompt.hash === 'string' && Array.isArray(prompt.userPromptParameters)) return prompt;
  throw new CuelineError(
    'invalid_options',
    `A prompt of the library is needed, but this is ${quoteValue(prompt)}, which no library returned. Pass library.get('greet'), or 'greet@^2'.`,
  );
}

function notServedError({ id, status }: LibraryPrompt): CuelineError {
  return new CuelineError(
    'unknown_prompt',
    `Prompt "${id}" is ${status}: it has no active version, apart from prereleases. An MCP server serves active versions only.`,
    { details: { id } },
  );
}

function serverPromptError({ id }: LibraryPrompt): CuelineError {
  return new CuelineError(
    'invalid_options',
    `Only its MCP server can expand prompt "${id}". Run it: runPrompt(library.definePrompt('${id}'), { input: { … } }).`,
  );
}

function toDefinition(
  prompt: LibraryPrompt,
  settings: LibraryPromptSettings | undefined,
  remote: RemotePrompt | undefined,
): PromptWithSchema<PromptParameters> {
  const { id, version, hash } = prompt;
  const definition = definePrompt(
    id,
    (draft, input: PromptParameters): void | Promise<void> => {
      if (remote !== undefined) return addMCPMessages(draft, remote, input);
      const system = expandText(prompt, 'system', input);
      if (system !== '') draft.defSystem(system);
      draft.defMessage('user', expandText(prompt, 'user', input));
    },
    { ...settings, input: inputSchema<PromptParameters>(prompt) },
  );
  return { ...definition, library: { id, version, hash } };
}
