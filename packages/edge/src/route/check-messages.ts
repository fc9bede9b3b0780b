import type { RunRequest } from '@cueline/core';
import { Refusal } from '../http/respond.ts';
import { isCall, acceptParts, type AcceptOptions } from './accept-parts.ts';

type Messages = NonNullable<RunRequest['messages']>;
type Tasks = NonNullable<RunRequest['tasks']>;
type TaskStatus = Tasks[number]['status'];

/** No conversation has more; each message and part costs several times what it takes in the body. */
const mostMessages = 1_000;
const mostParts = 10_000;
const mostTasks = 1_000;
/** The length of a task's id, in characters; a list numbers its tasks itself. */
const longestTaskId = 200;
const taskStatuses: Record<TaskStatus, true> = {
  pending: true,
  in_progress: true,
  validating: true,
  completed: true,
  failed: true,
  skipped: true,
};

/** What says which addresses a file may have, besides `data:`. */
type FileUrls = ((url: URL) => boolean) | undefined;

/**
 * The earlier turns that a client sends: a user's and the model's, since what the system says is the prompt's own, and
 * without files from anywhere, which would be fetched with this server's rights. What providers attach to their
 * answers, and parts that no model is to hear of, are left out. Throws a {@link Refusal} with 400.
 */
export function checkMessages(messages: unknown, fileUrls: FileUrls, options: AcceptOptions): Messages {
  if (messages === undefined) return [];
  if (!Array.isArray(messages)) throw invalid('messages is no list. Send UI messages: { id, role, parts }.');
  if (messages.length > mostMessages) {
    throw invalid(`messages has more than ${mostMessages} messages. Send the latest of them.`);
  }
  let count = 0;
  for (const [index, message] of (messages as unknown[]).entries()) {
    const place = `messages[${index}]`;
    if (!isRecord(message) || typeof message['id'] !== 'string' || !Array.isArray(message['parts'])) {
      throw invalid(`${place} is no UI message. Send { id, role, parts }.`);
    }
    const { role } = message;
    if (role !== 'user' && role !== 'assistant') {
      throw new Refusal(
        'unsupported_field',
        `${place} has the role ${JSON.stringify(role)}. A client says what user and assistant said; the rest is the prompt's.`,
      );
    }
    count += message['parts'].length;
    if (count > mostParts)
      throw invalid(`messages has more than ${mostParts} parts. Send the latest of them.`);
    for (const [at, part] of (message['parts'] as unknown[]).entries()) {
      checkPart(part, `${place}.parts[${at}]`, fileUrls);
    }
  }
  return (messages as Messages).map(({ id, role, metadata, parts }) => ({
    id,
    role,
    ...(metadata === undefined ? {} : { metadata }),
    parts: acceptParts(parts, options) as Messages[number]['parts'],
  }));
}

/** How the tasks of the turn before stood, as a client says. Throws a {@link Refusal} with 400 for what are none. */
export function checkTasks(tasks: unknown): Tasks {
  if (tasks === undefined) return [];
  const isTask = (task: unknown): boolean =>
    isRecord(task) &&
    typeof task['id'] === 'string' &&
    task['id'].length <= longestTaskId &&
    typeof task['status'] === 'string' &&
    Object.hasOwn(taskStatuses, task['status']) &&
    ['title', 'origin'].every((name) => typeof task[name] === 'string');
  if (!Array.isArray(tasks) || tasks.length > mostTasks || !tasks.every(isTask)) {
    throw invalid('tasks is no list of tasks. Send those of the run before: state.tasks.');
  }
  return tasks as Tasks;
}

function checkPart(part: unknown, place: string, fileUrls: FileUrls): void {
  if (!isRecord(part) || typeof part['type'] !== 'string') {
    throw invalid(`${place} is no part of a message. Send { type: 'text', text } and the like.`);
  }
  const { type } = part;
  if (type === 'text' || type === 'reasoning') {
    if (typeof part['text'] !== 'string') throw invalid(`${place}.text is no text.`);
  } else if (type === 'file' || type === 'reasoning-file') {
    if (part['providerReference'] !== undefined) throw keptThere(`${place}.providerReference`);
    checkUrl(part['url'], `${place}.url`, fileUrls);
  } else if (type === 'steering-message') {
    // what a user said in the middle of an answer, files among it
    if (!Array.isArray(part['parts'])) throw invalid(`${place}.parts is no list.`);
    for (const [at, inner] of (part['parts'] as unknown[]).entries()) {
      checkPart(inner, `${place}.parts[${at}]`, fileUrls);
    }
  } else if (isCall(type)) {
    const texts = ['toolCallId', ...(type === 'dynamic-tool' ? ['toolName'] : [])];
    if (part['state'] === 'output-error') texts.push('errorText');
    for (const name of texts) {
      if (typeof part[name] !== 'string') throw invalid(`${place}.${name} is no text.`);
    }
    // a list of parts in its result names no file elsewhere: core reads it as data then
  }
}

function keptThere(place: string): Refusal {
  return new Refusal(
    'unsupported_field',
    `${place} names a file that a provider keeps, for everybody who asks here. Send the file itself, as a data: URL.`,
  );
}

function checkUrl(value: unknown, place: string, fileUrls: FileUrls): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined) throw invalid(`${place} is no address. Send the file itself, as a data: URL.`);
  if (url.protocol === 'data:') return;
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (isWeb && fileUrls?.(url) === true) return;
  throw new Refusal(
    'unsupported_field',
    `${place} is an address, which the server would have to fetch. Send the file itself, as a data: URL. Whoever runs this server can let addresses in: fileUrls: (url) => url.origin === 'https://files.example'.`,
  );
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_body', message);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
