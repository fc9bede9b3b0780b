import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { ModelMessage, ToolCallPart, ToolResultPart } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { isRecord } from '../base/is-record.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { quoteValue } from '../base/quote-value.ts';
import { checkCalls } from './check-messages.ts';
import { collectObjects } from './collect-objects.ts';
import { isPart, providerOptionsOf, readContentPart, readText, type SentPart } from './content-part.ts';
import type { MessageRole } from './message-parts.ts';
import { readPlainJson, readToolOutput } from './read-tool-output.ts';

/** The parts that a message of each role can have. */
const partsOf: Record<MessageRole, readonly string[]> = {
  user: ['text', 'image', 'file', 'audio'],
  assistant: ['text', 'image', 'file', 'reasoning', 'tool-call'],
  tool: ['tool-result', 'tool-error'],
};

/**
 * Returns the AI SDK's message for the content that a prompt adds after the `earlier` messages. Bytes become base64;
 * `resolveMessages` reads Blobs. Objects in `inputs`, which may be foreign, are data and never parts. If there are
 * any, only a part that a constructor made can name a file at a provider.
 * @throws CuelineError `invalid_definition`, with the path of the fault
 */
export function toModelMessage(
  role: unknown,
  content: unknown,
  earlier: readonly ModelMessage[],
  inputs: readonly unknown[] = [],
): ModelMessage {
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    throw new CuelineError(
      'invalid_definition',
      `prompt.defMessage takes the role 'user', 'assistant' or 'tool', but got '${String(role)}'. For the system prompt use prompt.defSystem('role', '…').`,
    );
  }
  const path = `messages[${earlier.length}]`;
  const sent = readContent(role, content, path, inputs);
  // each part was checked to be one of its role
  const message = { role, content: sent } as ModelMessage;
  checkCalls(message, earlier);
  return message;
}

function readContent(
  role: MessageRole,
  content: unknown,
  path: string,
  inputs: readonly unknown[],
): string | SentMessagePart[] {
  if (Array.isArray(content) && content.length > 0) {
    const foreign = inputs.length === 0 ? undefined : collectObjects(inputs);
    return content.map((part: unknown, index) => readPart(role, part, `${path}.content[${index}]`, foreign));
  }
  if (role === 'tool') {
    throw messagePartError(
      `${path}.content`,
      "must be a list of results. Write prompt.defMessage('tool', [{ type: 'tool-result', toolCallId: '…', toolName: '…', output: … }]).",
    );
  }
  if (typeof content === 'string' && content.trim() !== '') return content;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    throw messagePartError(
      `${path}.content`,
      `is ${isUnawaited(content) ? 'a promise, which must be awaited' : quoteValue(content)}. Write a string, or a list of parts such as [{ type: 'text', text: '…' }].`,
    );
  }
  throw new CuelineError(
    'invalid_definition',
    `A message of the ${role} has no text. Models refuse empty messages.`,
  );
}

type SentMessagePart =
  | SentPart
  | ToolCallPart
  | ToolResultPart
  | { type: 'reasoning'; text: string; providerOptions?: ProviderOptions };

function readPart(
  role: MessageRole,
  part: unknown,
  path: string,
  foreign: ReadonlySet<unknown> | undefined,
): SentMessagePart {
  if (isUnawaited(part)) throw messagePartError(path, 'is a promise. Write await before it.');
  if (!isRecord(part))
    throw messagePartError(path, `is ${quoteValue(part)}. Write { type: '${partsOf[role][0]}', … }.`);
  const type = readPartType(role, part, path);
  checkForeignPart(part, path, foreign);
  const options = providerOptionsOf(part, path);
  switch (type) {
    case 'reasoning':
      // reasoning that a provider has hidden has no text, only its signature
      return {
        type,
        text: part['text'] === '' && part['providerOptions'] ? '' : readText(part, path),
        ...options,
      };
    case 'tool-call': {
      const { input } = part;
      if (!isRecord(input)) {
        throw messagePartError(
          `${path}.input`,
          `is ${input === undefined ? 'missing' : quoteValue(input)}. Give the arguments by name: {} where there are none.`,
        );
      }
      return { type, ...readCallNames(part, path), input: readPlainJson(input, `${path}.input`), ...options };
    }
    case 'tool-result': {
      const output = readToolOutput(part['output'], `${path}.output`);
      return { type, ...readCallNames(part, path), output, ...options };
    }
    case 'tool-error': {
      const value = readName(part, 'error', path, 'Say why the tool failed.');
      return {
        type: 'tool-result',
        ...readCallNames(part, path),
        output: { type: 'error-text', value },
        ...options,
      };
    }
    default: {
      const read = readContentPart(part, path);
      if (foreign === undefined || isPart(part) || read.type === 'text' || read.data.type !== 'reference')
        return read;
      throw messagePartError(
        path,
        `names a file at a provider, which could come from the input. Make the part: ${type}Part({ openai: 'file-…' }).`,
      );
    }
  }
}

/** Refuses a part that a client or a model has sent. Such an object sets no provider options. */
function checkForeignPart(
  part: Record<string, unknown>,
  path: string,
  foreign: ReadonlySet<unknown> | undefined,
): void {
  if (foreign?.has(part) === true) {
    throw messagePartError(
      path,
      'comes from the input, so it is data, not a part. Make a part, such as textPart(input.text).',
    );
  }
  if (foreign?.has(part['providerOptions']) === true) {
    throw messagePartError(
      `${path}.providerOptions`,
      'come from the input. Build them in the prompt from the fields that the input may choose.',
    );
  }
}

/** Returns the type of a part that its role can have. */
function readPartType(role: MessageRole, { type }: Record<string, unknown>, path: string): string {
  const types = partsOf[role];
  if (typeof type === 'string' && types.includes(type)) return type;
  const others = (Object.keys(partsOf) as MessageRole[]).filter((other) =>
    partsOf[other].includes(type as string),
  );
  throw messagePartError(
    `${path}.type`,
    others.length === 0
      ? `is ${type === undefined ? 'missing' : quoteValue(type)}. A message of the ${role} can have ${types.join(', ')}.`
      : `is ${quoteValue(type)}, which belongs in a message of the ${others.join(' or ')}. Write prompt.defMessage('${others[0]}', [{ type: ${quoteValue(type)}, … }]).`,
  );
}

function readCallNames(
  part: Record<string, unknown>,
  path: string,
): { toolCallId: string; toolName: string } {
  return {
    toolCallId: readName(part, 'toolCallId', path, 'Give the call and its result the same id.'),
    toolName: readName(part, 'toolName', path, 'Write the name of the tool.'),
  };
}

function readName(part: Record<string, unknown>, key: string, path: string, advice: string): string {
  const value = part[key];
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw messagePartError(
    `${path}.${key}`,
    `is ${value === undefined ? 'missing' : quoteValue(value)}. ${advice}`,
  );
}
