import * as z from 'zod/v4';
import { CuelineError } from '../base/errors.ts';
import { hashOf } from '../json/content-hash.ts';
import { filePart, imagePart, audioPart } from '../messages/parts.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { expandText } from './expand.ts';
import { parametersOf } from './input-schema.ts';
import type { LibraryPrompt } from './prompt-record.ts';
import { fileLimits } from './prompt-schema.ts';
import type { SourceContent } from './read-source.ts';

/** A prompt in the shape of MCP's `prompts/list`. */
export type MCPPrompt = {
  name: string;
  title: string;
  description?: string;
  arguments: { name: string; description?: string; required: boolean }[];
  _meta: Record<string, unknown>;
};

/** The result of MCP's `prompts/get`. MCP has no system messages, so a system prompt is the first user message. */
export type MCPPromptResult = {
  description?: string;
  messages: { role: 'user'; content: { type: 'text'; text: string } }[];
};

/** The prompts of a library for an MCP server. The methods take and return what the handlers of a server do. */
export type MCPPrompts = {
  /** The newest active version of each prompt, for `prompts/list`: without prereleases and prompts of other servers. */
  listPrompts(): { prompts: MCPPrompt[] };
  /**
   * The messages of the version that `listPrompts` lists, for `prompts/get`.
   * @throws CuelineError `unknown_prompt`, `invalid_parameter`, `invalid_options` for a prompt of another server
   */
  getPrompt(request: {
    name: string;
    arguments?: Readonly<Record<string, string>> | undefined;
  }): MCPPromptResult;
};

/** An MCP client as far as a library uses it: that of `@ai-sdk/mcp`, or the `Client` of MCP's own SDK. */
export type MCPPromptClient = {
  listPrompts(options?: { cursor?: string; params?: { cursor?: string } }): Promise<unknown>;
  getPrompt(request: { name: string; arguments?: Record<string, string> }): Promise<unknown>;
};

/** Where the whole prompt of a library is in MCP's shape, so that a library at the other end has it unchanged. */
const RECORD = 'cueline/prompt';

/** Pages of a server's list, and messages of one prompt. */
const MAX_PAGES = 100;
const MAX_MESSAGES = 1_000;

/** True for an MCP client. */
export function isMCPClient(value: unknown): value is MCPPromptClient {
  const { listPrompts, getPrompt } = (value ?? {}) as Partial<MCPPromptClient>;
  return typeof listPrompts === 'function' && typeof getPrompt === 'function';
}

/** Returns a prompt in the shape of `prompts/list`. */
export function toMCPPrompt(prompt: LibraryPrompt): MCPPrompt {
  const { hash: _, remote: __, ...record } = prompt;
  return {
    name: prompt.id,
    title: prompt.name,
    ...(prompt.description === undefined ? {} : { description: prompt.description }),
    arguments: parametersOf(prompt).map(({ name, description, required }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      required,
    })),
    _meta: { [RECORD]: record },
  };
}

/** Returns a prompt's messages in the shape of `prompts/get`. @throws CuelineError `invalid_parameter` */
export function toMCPResult(prompt: LibraryPrompt, parameters: unknown): MCPPromptResult {
  const texts = [expandText(prompt, 'system', parameters), expandText(prompt, 'user', parameters)];
  return {
    ...(prompt.description === undefined ? {} : { description: prompt.description }),
    messages: texts
      .filter((text) => text !== '')
      .map((text) => ({ role: 'user', content: { type: 'text', text } })),
  };
}

const listResult = z.looseObject({
  nextCursor: z.string().optional(),
  prompts: z.array(
    z.looseObject({
      name: z.string().min(1).max(200),
      title: z.string().max(1_000).optional(),
      description: z.string().max(100_000).optional(),
      arguments: z
        .array(
          z.looseObject({
            name: z.string().min(1).max(200),
            description: z.string().max(100_000).optional(),
            required: z.boolean().optional(),
          }),
        )
        .max(fileLimits.parameters)
        .optional(),
      _meta: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
type ListedPrompt = z.infer<typeof listResult>['prompts'][number];

/** The prompts of an MCP server: records of other libraries, and prompts whose texts only the server knows. */
export type MCPSource = { records: SourceContent; remote: RemotePrompt[] };

/** A prompt whose texts only its server knows, and its name there. */
export type RemotePrompt = { prompt: LibraryPrompt; client: MCPPromptClient; nameAtServer: string };

/** Lists the prompts of an MCP server. @throws CuelineError `invalid_library` */
export async function readMCPPrompts(client: MCPPromptClient): Promise<MCPSource> {
  const listed = await listAll(client);
  const records: unknown[] = [];
  const remote: RemotePrompt[] = [];
  for (const prompt of listed) {
    const record = prompt._meta?.[RECORD];
    if (record === undefined)
      remote.push({ prompt: toLibraryPrompt(prompt), client, nameAtServer: prompt.name });
    else records.push(record);
  }
  return { records: { name: 'the MCP server', value: records }, remote };
}

async function listAll(client: MCPPromptClient): Promise<ListedPrompt[]> {
  const listed: ListedPrompt[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    // the two clients take the cursor in different places
    const answer = await client.listPrompts(
      cursor === undefined ? undefined : { cursor, params: { cursor } },
    );
    const result = listResult.safeParse(answer);
    if (!result.success) throw invalidAnswerError('prompts/list', result.error.issues[0]);
    for (const prompt of result.data.prompts) listed.push(prompt);
    if (listed.length > fileLimits.prompts) throw invalidAnswerError('prompts/list', undefined);
    cursor = result.data.nextCursor;
    if (cursor === undefined) return listed;
  }
  throw invalidAnswerError('prompts/list', undefined);
}

/** The version of a prompt whose server states none. */
const NO_VERSION = '0.0.0';

function toLibraryPrompt({
  name,
  title,
  description,
  arguments: parameters = [],
}: ListedPrompt): LibraryPrompt {
  return Object.freeze({
    // an id has no spaces and no "@"
    id: name.replaceAll(/[\s@]+/g, '-'),
    version: NO_VERSION,
    name: title ?? name,
    ...(description === undefined ? {} : { description }),
    status: 'active',
    systemPrompt: '',
    systemPromptParameters: [],
    userPrompt: '',
    userPromptParameters: parameters.map(({ name, description, required = false }) => ({
      name,
      type: 'string' as const,
      ...(description === undefined ? {} : { description }),
      required,
    })),
    hash: hashOf({ name, parameters }),
    remote: true,
  });
}

const content = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.looseObject({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
]);
const getResult = z.looseObject({
  messages: z
    .array(z.looseObject({ role: z.literal(['user', 'assistant']), content }))
    .min(1)
    .max(MAX_MESSAGES),
});
type Content = z.infer<typeof content>;

/** Asks the server for a prompt's messages, and adds them to `prompt`. @throws CuelineError `invalid_library` */
export async function addMCPMessages(
  prompt: Prompt,
  { client, nameAtServer: name }: RemotePrompt,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const texts = Object.entries(input)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [key, String(value)]);
  const answer = await client.getPrompt({ name, arguments: Object.fromEntries(texts) });
  const result = getResult.safeParse(answer);
  if (!result.success) throw invalidAnswerError(`prompts/get of "${name}"`, result.error.issues[0]);
  for (const { role, content } of result.data.messages) addMessage(prompt, role, content);
}

function addMessage(prompt: Prompt, role: 'user' | 'assistant', content: Content): void {
  if (role === 'assistant') return prompt.defMessage('assistant', contentText(content));
  if (content.type === 'image') return prompt.$`${imagePart(content.data, { mediaType: content.mimeType })}`;
  if (content.type === 'audio') return prompt.$`${audioPart(content.data, { mediaType: content.mimeType })}`;
  if (content.type === 'resource' && content.resource.blob !== undefined) {
    const { blob, mimeType = 'application/octet-stream' } = content.resource;
    return prompt.$`${filePart(blob, { mediaType: mimeType })}`;
  }
  prompt.defMessage('user', contentText(content));
}

/** Replaces content that cannot be sent to a model with a note. */
function contentText(content: Content): string {
  if (content.type === 'text') return content.text;
  if (content.type === 'resource') return content.resource.text ?? `[${content.resource.uri}]`;
  return `[${content.mimeType}]`;
}

function invalidAnswerError(
  what: string,
  issue: { path: PropertyKey[]; message: string } | undefined,
): CuelineError {
  const problem = issue === undefined ? 'has too many entries' : `${issue.path.join('.')}: ${issue.message}`;
  return new CuelineError(
    'invalid_library',
    `The MCP server's answer to ${what} cannot be read (${problem}). Check that the server implements MCP's prompts.`,
    { details: { issues: [{ path: what, message: problem }], count: 1 } },
  );
}
