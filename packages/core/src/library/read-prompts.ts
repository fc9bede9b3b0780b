import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { nearestName } from '../base/nearest-name.ts';
import { quoteValue } from '../base/quote-value.ts';
import { hashOf } from '../json/content-hash.ts';
import { placeholdersOf, readValue } from './expand.ts';
import type { LibraryParameter, LibraryPrompt, PromptParameter, PromptRecord } from './prompt-record.ts';
import { fileLimits, parameterMembers, promptRecord, recordMembers } from './prompt-schema.ts';

/** One fault of a prompt file. */
export type LibraryIssue = {
  /** The path of the value, from the name of its source on, such as `travel.json[0].userPromptParameters[1].type`. */
  path: string;
  /** What is wrong, and what to write instead. */
  message: string;
};

/** How many faults the message of an error has; `details.issues` has up to a hundred. */
const IN_MESSAGE = 5;
const IN_DETAILS = 100;

/** Collects faults, and throws them together. */
export class Faults {
  readonly #faults: LibraryIssue[] = [];

  get count(): number {
    return this.#faults.length;
  }

  add(path: string, message: string): void {
    this.#faults.push({ path, message });
  }

  /** @throws CuelineError `invalid_library` if there are faults */
  throwIfAny(): void {
    const faults = this.#faults;
    if (faults.length === 0) return;
    const shown = faults.slice(0, IN_MESSAGE).map(({ path, message }) => `${path} ${message}.`);
    const more = faults.length > IN_MESSAGE ? ` And ${faults.length - IN_MESSAGE} more.` : '';
    throw new CuelineError('invalid_library', `The prompts cannot be used. ${shown.join(' ')}${more}`, {
      details: { issues: faults.slice(0, IN_DETAILS), count: faults.length },
    });
  }
}

/** Returns the prompts of a file or value, whose faults are added to `faults`. Their paths begin with `source`. */
export function readPrompts(source: string, value: unknown, faults: Faults): LibraryPrompt[] {
  return entriesOf(source, value, faults).flatMap(([path, entry]) => {
    const before = faults.count;
    const prompt = readPrompt(path, entry, faults);
    return faults.count > before || prompt === undefined ? [] : [prompt];
  });
}

/** A file is a list, one prompt, or an object with the list under `prompts`. */
function entriesOf(source: string, value: unknown, faults: Faults): [path: string, entry: unknown][] {
  if (isRecord(value) && !('prompts' in value)) {
    const { $schema: _, ...entry } = value;
    return [[source, entry]];
  }
  const path = Array.isArray(value) ? source : `${source}.prompts`;
  const list: unknown = isRecord(value) ? value['prompts'] : value;
  if (!Array.isArray(list)) {
    const where = isRecord(value) ? path : source;
    faults.add(
      where,
      `is ${quoteValue(list)}. Write a list of prompts: [{ "id": "greet", "version": "1.0.0", … }]`,
    );
    return [];
  }
  if (isRecord(value)) checkFileKeys(source, value, faults);
  if (list.length > fileLimits.prompts) {
    faults.add(
      path,
      `has ${list.length} prompts, but at most ${fileLimits.prompts} are read. Split the file`,
    );
    return [];
  }
  return list.map((entry: unknown, index) => [`${path}[${index}]`, entry]);
}

function checkFileKeys(source: string, value: Record<string, unknown>, faults: Faults): void {
  const unknown = Object.keys(value).find((key) => key !== 'prompts' && key !== '$schema');
  if (unknown === undefined) return;
  faults.add(`${source}.${unknown}`, 'is unknown. Beside "prompts" there can only be "$schema"');
}

function readPrompt(path: string, entry: unknown, faults: Faults): LibraryPrompt | undefined {
  const parsed = promptRecord.safeParse(entry);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) addIssue(path, issue, faults);
    return undefined;
  }
  // zod adds `| undefined` to the types of optional members, but the value omits them
  const record = parsed.data as PromptRecord;
  if (record.userPromptParameters !== undefined && record.userPromptsParameters !== undefined) {
    faults.add(
      `${path}.userPromptsParameters`,
      'is the older spelling of userPromptParameters. Write one of them',
    );
    return undefined;
  }
  const ofUser = record.userPromptParameters === undefined ? 'userPromptsParameters' : 'userPromptParameters';
  const system = readText(path, record, 'systemPrompt', 'systemPromptParameters', faults);
  const user = readText(path, record, 'userPrompt', ofUser, faults);
  checkShared(path, system, user, ofUser, faults);
  const { id, version, name, description, status = 'active', metadata } = record;
  const content = {
    systemPrompt: record.systemPrompt ?? '',
    systemPromptParameters: system,
    userPrompt: record.userPrompt,
    userPromptParameters: user,
  };
  return deepFreeze({
    id,
    version,
    name,
    ...(description === undefined ? {} : { description }),
    status,
    ...content,
    ...(metadata === undefined ? {} : { metadata: structuredClone(metadata) }),
    hash: hashOf(content),
  });
}

type Issue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code: string;
  readonly keys?: readonly string[];
};

function addIssue(root: string, issue: Issue, faults: Faults): void {
  const path =
    root + issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  if (issue.code !== 'unrecognized_keys') return faults.add(path, issue.message);
  const known = issue.path.length === 0 ? recordMembers : parameterMembers;
  for (const key of issue.keys ?? []) {
    const nearest = nearestName(key, known);
    const advice =
      nearest === undefined
        ? `Remove it${issue.path.length === 0 ? ', or move it into "metadata"' : ''}`
        : `Did you mean "${nearest}"?`;
    faults.add(`${path}.${key}`, `is unknown. ${advice}`.replace(/\?$/, ''));
  }
}

/** Returns the parameters of one of the two texts. */
function readText(
  path: string,
  record: PromptRecord,
  textKey: 'systemPrompt' | 'userPrompt',
  key: 'systemPromptParameters' | 'userPromptParameters' | 'userPromptsParameters',
  faults: Faults,
): LibraryParameter[] {
  const text = record[textKey] ?? '';
  const placeholders = new Set(placeholdersOf(text));
  const declared = record[key] ?? [];
  const names = declared.map(({ name }) => name);
  return declared.map((parameter, index) => {
    const at = `${path}.${key}[${index}]`;
    const { name } = parameter;
    if (names.indexOf(name) < index) {
      faults.add(
        `${at}.name`,
        `is ${quoteValue(name)}, which is already declared. Declare each parameter once`,
      );
    }
    const near = [...placeholders].filter((placeholder) => !names.includes(placeholder));
    const meant = placeholders.has(name) ? undefined : nearestName(name, near);
    if (meant !== undefined) {
      faults.add(
        `${at}.name`,
        `is ${quoteValue(name)}, but ${textKey} has {${meant}}. Write the same name in both`,
      );
    }
    return readParameter(at, parameter, faults);
  });
}

function readParameter(at: string, declared: PromptParameter, faults: Faults): LibraryParameter {
  const { name, description, defaultValue, allowedValues } = declared;
  const type = plainType(declared.type);
  if (type === 'enum' && allowedValues === undefined) {
    faults.add(`${at}.allowedValues`, 'is missing. An enum lists its values: ["formal", "casual"]');
  }
  if (type === 'boolean' && allowedValues !== undefined) {
    faults.add(`${at}.allowedValues`, 'does not belong to a boolean. Remove it');
  }
  const wrong = (allowedValues ?? []).findIndex(
    (value) =>
      (type === 'number' && typeof value !== 'number') || (type === 'string' && typeof value !== 'string'),
  );
  if (wrong !== -1) {
    faults.add(
      `${at}.allowedValues[${wrong}]`,
      `is ${quoteValue(allowedValues![wrong])}. Write a ${type === 'number' ? 'number' : 'string'}, as the type says`,
    );
  }
  const twice = (allowedValues ?? []).findIndex((value, index, all) => all.indexOf(value) < index);
  if (twice !== -1) {
    faults.add(
      `${at}.allowedValues[${twice}]`,
      `repeats ${quoteValue(allowedValues![twice])}. List each value once`,
    );
  }
  if (defaultValue !== undefined && declared.required === true) {
    faults.add(
      `${at}.defaultValue`,
      'belongs to an optional parameter, and "required" is true. Remove one of the two',
    );
  }
  const parameter: LibraryParameter = {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    required: declared.required ?? defaultValue === undefined,
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(allowedValues === undefined ? {} : { allowedValues: [...allowedValues] }),
  };
  if (defaultValue !== undefined) {
    const read = readValue(parameter, defaultValue, 'exact');
    if ('expected' in read) {
      faults.add(`${at}.defaultValue`, `is ${quoteValue(defaultValue)}. Write ${read.expected}`);
    }
  }
  return parameter;
}

function plainType(type: PromptParameter['type']): LibraryParameter['type'] {
  const plain = {
    kString: 'string',
    kNumber: 'number',
    kBoolean: 'boolean',
    kEnum: 'enum',
  } as const;
  return type in plain ? plain[type as keyof typeof plain] : (type as LibraryParameter['type']);
}

/** A parameter of both texts gets one value, so it has one declaration. */
function checkShared(
  path: string,
  system: readonly LibraryParameter[],
  user: readonly LibraryParameter[],
  key: string,
  faults: Faults,
): void {
  for (const [index, parameter] of user.entries()) {
    const other = system.find(({ name }) => name === parameter.name);
    if (other === undefined || sameValues(other, parameter)) continue;
    faults.add(
      `${path}.${key}[${index}]`,
      `declares ${parameter.name} differently from systemPromptParameters. Use one declaration for both, or two names`,
    );
  }
}

function sameValues(one: LibraryParameter, other: LibraryParameter): boolean {
  const { description: _, ...facts } = one;
  const { description: __, ...others } = other;
  return hashOf(facts) === hashOf(others);
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
