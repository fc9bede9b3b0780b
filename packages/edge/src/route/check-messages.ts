import type { RunRequest } from '@cueline/core';
import { isUnawaited } from '@cueline/core/server';
import { isRecord } from '../base/is-record.ts';
import { HttpError } from '../http/respond.ts';
import { isCall, acceptParts, type AcceptOptions } from './accept-parts.ts';
import { promisedError } from './invalid-options-error.ts';

type Messages = NonNullable<RunRequest['messages']>;
type Tasks = NonNullable<RunRequest['tasks']>;
type TaskStatus = Tasks[number]['status'];

/** The maximum number of messages. Each message and part costs several times its size in the body. */
const maxMessages = 1_000;
const maxParts = 10_000;
const maxTasks = 1_000;
/** The maximum length of a task's id, in characters. A list numbers its tasks itself. */
const maxTaskIdLength = 200;
const taskStatuses: Record<TaskStatus, true> = {
  pending: true,
  in_progress: true,
  validating: true,
  completed: true,
  failed: true,
  skipped: true,
};

/** The fields that parts of these kinds must have, each a string. A log with another value could not be read. */
const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  reasoning: ['text'],
  file: ['mediaType'],
  'reasoning-file': [],
  'source-url': ['url'],
  'source-document': ['title'],
};
/** The fields that a part of these kinds, or of a call, may have, each a string. */
const optionalTexts = ['state', 'title', 'toolName', 'errorText', 'url', 'mediaType', 'filename'];

/** Decides which addresses a file may have, besides `data:`. */
type FileUrls = ((url: URL) => boolean) | undefined;

/**
 * Checks the earlier turns that a client sends: messages of the user and the model, because system messages are the
 * prompt's own. Refuses files from other addresses, which would be fetched with this server's rights. Removes
 * provider metadata, and parts that no model must read. Throws an {@link HttpError} with 400.
 */
export function checkMessages(messages: unknown, fileUrls: FileUrls, options: AcceptOptions): Messages {
  if (messages === undefined) return [];
  if (!Array.isArray(messages))
    throw invalidMessagesError('messages is not a list. Send UI messages: { id, role, parts }.');
  if (messages.length > maxMessages) {
    throw invalidMessagesError(`messages has more than ${maxMessages} messages. Send the latest of them.`);
  }
  let count = 0;
  for (const [index, message] of (messages as unknown[]).entries()) {
    const path = `messages[${index}]`;
    if (!isRecord(message) || typeof message['id'] !== 'string' || !Array.isArray(message['parts'])) {
      throw invalidMessagesError(`${path} is not a UI message. Send { id, role, parts }.`);
    }
    const { role } = message;
    if (role !== 'user' && role !== 'assistant') {
      throw new HttpError(
        'unsupported_field',
        `${path} has the role ${JSON.stringify(role)}. A client may send messages of the user and the assistant; all others come from the prompt.`,
      );
    }
    count += message['parts'].length;
    if (count > maxParts)
      throw invalidMessagesError(`messages has more than ${maxParts} parts. Send the latest of them.`);
    for (const [at, part] of (message['parts'] as unknown[]).entries()) {
      checkPart(part, `${path}.parts[${at}]`, fileUrls);
    }
  }
  return (messages as Messages).map(({ id, role, metadata, parts }) => ({
    id,
    role,
    ...(metadata === undefined ? {} : { metadata }),
    parts: acceptParts(parts, options) as Messages[number]['parts'],
  }));
}

/**
 * Checks the tasks of the turn before, as a client sends them. Throws an {@link HttpError} with 400 for anything else.
 */
export function checkTasks(tasks: unknown): Tasks {
  if (tasks === undefined) return [];
  const isTask = (task: unknown): boolean =>
    isRecord(task) &&
    typeof task['id'] === 'string' &&
    task['id'].length <= maxTaskIdLength &&
    typeof task['status'] === 'string' &&
    Object.hasOwn(taskStatuses, task['status']) &&
    ['title', 'origin'].every((name) => typeof task[name] === 'string');
  if (!Array.isArray(tasks) || tasks.length > maxTasks || !tasks.every(isTask)) {
    throw invalidMessagesError('tasks is not a list of tasks. Send those of the previous run: state.tasks.');
  }
  return tasks as Tasks;
}

function checkPart(part: unknown, path: string, fileUrls: FileUrls): void {
  if (!isRecord(part) || typeof part['type'] !== 'string') {
    throw invalidMessagesError(
      `${path} is not a part of a message. Send parts such as { type: 'text', text }.`,
    );
  }
  const { type } = part;
  if (type === 'file' || type === 'reasoning-file') {
    if (part['providerReference'] !== undefined) throw providerFileError(`${path}.providerReference`);
    checkUrl(part['url'], `${path}.url`, fileUrls);
  } else if (type === 'steering-message') {
    // a user's message in the middle of an answer, with its files
    if (!Array.isArray(part['parts'])) throw invalidMessagesError(`${path}.parts is not a list.`);
    for (const [at, inner] of (part['parts'] as unknown[]).entries()) {
      checkPart(inner, `${path}.parts[${at}]`, fileUrls);
    }
  } else if (isCall(type)) {
    const texts = ['toolCallId', ...(type === 'dynamic-tool' ? ['toolName'] : [])];
    if (part['state'] === 'output-error') texts.push('errorText');
    // a list of parts in its result names no file elsewhere, because core then reads it as data
    checkTexts(part, texts, path);
  }
  if (Object.hasOwn(requiredTexts, type)) checkTexts(part, requiredTexts[type]!, path);
}

function checkTexts(
  part: Readonly<Record<string, unknown>>,
  required: readonly string[],
  path: string,
): void {
  const sent = optionalTexts.filter((name) => part[name] !== undefined);
  for (const name of [...required, ...sent]) {
    if (typeof part[name] !== 'string') throw invalidMessagesError(`${path}.${name} is not a string.`);
  }
}

function providerFileError(path: string): HttpError {
  return new HttpError(
    'unsupported_field',
    `${path} names a file that is stored at a provider and shared by all users. Send the file itself, as a data: URL.`,
  );
}

function checkUrl(value: unknown, path: string, fileUrls: FileUrls): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined)
    throw invalidMessagesError(`${path} is not an address. Send the file itself, as a data: URL.`);
  if (url.protocol === 'data:') return;
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  const isAllowed = isWeb && fileUrls?.(url);
  if (isUnawaited(isAllowed))
    throw promisedError('fileUrls', "(url) => url.origin === 'https://files.example'");
  if (isAllowed === true) return;
  throw new HttpError(
    'unsupported_field',
    `${path} is an address, which the server would have to fetch. Send the file itself, as a data: URL. The operator of this server can allow addresses: fileUrls: (url) => url.origin === 'https://files.example'.`,
  );
}

function invalidMessagesError(message: string): HttpError {
  return new HttpError('invalid_body', message);
}
