import '../zod-without-eval.ts';
import type { PromptParameter, PromptRecord, PromptStatus } from '@cueline/core/library';
import * as z from 'zod';
import { MAX_LINKED_TEXT_LENGTH } from './linked-text.ts';

/** A parameter as the form edits it: it may have faults. */
export type EditableParameter = Omit<PromptParameter, 'type'> & {
  readonly type: 'string' | 'number' | 'boolean' | 'enum';
};

/** One version of a prompt as the form edits it: it may have faults. */
export type EditablePrompt = Omit<
  PromptRecord,
  'userPromptsParameters' | 'systemPromptParameters' | 'userPromptParameters'
> & {
  readonly status: PromptStatus;
  readonly systemPrompt: string;
  readonly systemPromptParameters: readonly EditableParameter[];
  readonly userPromptParameters: readonly EditableParameter[];
};

/** How many versions the page edits; a larger file belongs in an editor. */
export const MAX_PROMPTS = 500;

const type = z
  .enum(['string', 'number', 'boolean', 'enum', 'kString', 'kNumber', 'kBoolean', 'kEnum'])
  .transform(
    (name): EditableParameter['type'] =>
      (name.startsWith('k') ? name.slice(1).toLowerCase() : name) as EditableParameter['type'],
  );

/** `most` returns the limit that applies where a link may have up to `limit`. */
function promptsSchema(most: (limit: number) => number) {
  const text = z.string().max(most(MAX_LINKED_TEXT_LENGTH));
  const parameters = z
    .array(
      z.strictObject({
        name: text,
        type,
        description: text.optional(),
        required: z.boolean().optional(),
        defaultValue: z.union([text, z.number(), z.boolean()]).optional(),
        allowedValues: z
          .array(z.union([text, z.number()]))
          .max(most(1_000))
          .optional(),
      }),
    )
    .max(most(200));
  const prompt = z
    .strictObject({
      id: text,
      version: text,
      name: text,
      description: text.optional(),
      status: z.enum(['draft', 'active', 'deprecated']).default('active'),
      systemPrompt: text.default(''),
      systemPromptParameters: parameters.default([]),
      userPrompt: text,
      userPromptParameters: parameters.optional(),
      userPromptsParameters: parameters.optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    })
    .transform(({ userPromptsParameters, userPromptParameters, ...rest }) => ({
      ...rest,
      userPromptParameters: userPromptParameters ?? userPromptsParameters ?? [],
    }));
  return z.array(prompt).min(1).max(MAX_PROMPTS);
}

const linkedPrompts = promptsSchema((limit) => limit);
const ownPrompts = promptsSchema(() => Infinity);

/**
 * Reads prompts that the form can edit, from a link. Checks only their shape and size: the library validates the
 * prompts while they are edited. Undefined if their shape is invalid, or if they are too large.
 */
export function readEditablePrompts(value: unknown): EditablePrompt[] | undefined {
  return readPrompts(value, linkedPrompts);
}

/**
 * Reads the user's own prompts, from a file or from storage: as {@link readEditablePrompts} does, but texts of any
 * length.
 */
export function readOwnPrompts(value: unknown): EditablePrompt[] | undefined {
  return readPrompts(value, ownPrompts);
}

function readPrompts(value: unknown, schema: typeof ownPrompts): EditablePrompt[] | undefined {
  const list =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? 'prompts' in value
        ? value.prompts
        : [withoutSchema(value)]
      : value;
  const read = schema.safeParse(list);
  return read.success ? read.data : undefined;
}

function withoutSchema(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== '$schema'));
}

/** A prompt without a text, to begin with. */
export function emptyPrompt(id: string): EditablePrompt {
  return {
    id,
    version: '1.0.0',
    name: 'New prompt',
    status: 'draft',
    systemPrompt: '',
    systemPromptParameters: [],
    userPrompt: 'Greet {NAME}.',
    userPromptParameters: [{ name: 'NAME', type: 'string' }],
  };
}

/** The id that a name without an id gets: `Plan a day` → `plan-a-day`, or `plan-a-day-2` if that is taken. */
export function freeId(wanted: string, taken: readonly string[]): string {
  for (let count = 1; ; count++) {
    const id = count === 1 ? wanted : `${wanted}-${count}`;
    if (!taken.includes(id)) return id;
  }
}

/** The next minor version that no other version of the prompt has. */
export function nextVersion(version: string, taken: readonly string[]): string {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  for (let next = minor + 1; ; next++) {
    const candidate = `${major}.${next}.0`;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** All parameters of these versions, each once. */
export function parametersOf(versions: readonly EditablePrompt[]): EditableParameter[] {
  const byName = new Map<string, EditableParameter>();
  const all = versions.flatMap((one) => [...one.systemPromptParameters, ...one.userPromptParameters]);
  for (const one of all) if (one.name !== '' && !byName.has(one.name)) byName.set(one.name, one);
  return [...byName.values()];
}

/** The names in capitals between braces that no parameter declares; others are probably JSON. */
export function undeclaredNames(prompt: string, declared: readonly EditableParameter[]): string[] {
  const names = new Set([...prompt.matchAll(/\{([A-Z][A-Z0-9_-]*)\}/g)].map(([, name]) => name!));
  return [...names].filter((name) => !declared.some((parameter) => parameter.name === name)).slice(0, 20);
}

/** The prompt as a prompt file has it: without members that only repeat a default. */
export function toRecord(prompt: EditablePrompt): PromptRecord {
  const { systemPrompt, systemPromptParameters, userPromptParameters, description, ...rest } = prompt;
  return {
    ...rest,
    ...(description === undefined || description === '' ? {} : { description }),
    ...(systemPrompt === '' ? {} : { systemPrompt }),
    ...(systemPromptParameters.length === 0 ? {} : { systemPromptParameters }),
    ...(userPromptParameters.length === 0 ? {} : { userPromptParameters }),
  };
}
