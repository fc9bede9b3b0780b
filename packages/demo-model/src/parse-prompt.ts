import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { toWords, wordsOf } from './hints.ts';
import { readTaskWindow, type TaskWindow } from './task-window.ts';

/** The outcome of a tool call. */
export type ToolOutcome = {
  toolName: string;
  input: unknown;
  state: 'done' | 'failed' | 'denied';
  value: unknown;
};

/** A prompt as the demo model reads it. */
export type ParsedPrompt = {
  /** The user's request, with variables filled in. */
  request: string;
  /** The text of the current task, if there is one. */
  task: string | undefined;
  /** The task list as the run describes it, if it does. */
  window: TaskWindow | undefined;
  /** Number of files that came with the request. */
  files: number;
  /** True before the model's first text, including text that is no longer shown. */
  isFirst: boolean;
  /** True if an answer comes before the request. */
  isFollowUp: boolean;
  /** The tool calls since the request, or since the current task began. */
  outcomes: readonly ToolOutcome[];
  /** The tool calls since the request, over all tasks. */
  allOutcomes: readonly ToolOutcome[];
  /** The model's own text so far, as far as it is shown. */
  said: string;
  /** Names and values of the variables. */
  variables: ReadonlyMap<string, string>;
};

const stillOpen = /^The task list is not complete\.[^\n]*\n\[Task \d+\/\d+\] ([^\n]*)/;
const taskDone = /task completed|next task:/i;

/** Reads the request from a prompt, and what has been done about it. */
export function parsePrompt(prompt: LanguageModelV4Prompt): ParsedPrompt {
  const variables = readVariables(prompt);
  const texts = prompt.map((message) => (message.role === 'user' ? textOf(message) : undefined));
  const windows = texts.map((text) => (text === undefined ? undefined : readTaskWindow(text)));
  const windowAt = windows.findLastIndex((window) => window !== undefined);
  const window = windows[windowAt];
  const requestAt = findRequest(texts, windows, windowAt);
  const outcomes = readOutcomes(prompt.slice(Math.max(windowAt, requestAt) + 1));
  const lastDone = outcomes.findLastIndex(
    ({ state, value }) => state === 'done' && typeof value === 'string' && taskDone.test(value),
  );
  const current = outcomes.slice(lastDone + 1);
  return {
    request: fillIn(texts[requestAt] ?? '', variables),
    task: readTask(texts.slice(windowAt + 1), window, outcomes, lastDone),
    window,
    files: countFiles(prompt[requestAt]),
    isFirst: !prompt.some(({ role }) => role === 'assistant') && !isInProgress(window),
    isFollowUp: prompt.slice(0, requestAt).some(({ role }) => role === 'assistant'),
    outcomes: current,
    allOutcomes: outcomes,
    said: prompt.flatMap((message) => (message.role === 'assistant' ? [textOf(message)] : [])).join('\n'),
    variables,
  };
}

/** True for a list with finished work, which may be hidden: only a list of the model's own has ids. */
function isInProgress(window: TaskWindow | undefined): boolean {
  return window !== undefined && (window.done.length > 0 || window.current?.id !== undefined);
}

/** The value of every variable and of every field of its data, by its name in words. */
export function readFields(
  variables: ReadonlyMap<string, string>,
  outcomes: readonly ToolOutcome[],
): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  // The tools' values first, so that the user's override them.
  for (const { state, value } of outcomes) {
    if (state === 'done') addFields(value, fields, 0);
  }
  for (const [name, value] of variables) {
    for (const [, key = '', text = ''] of value.matchAll(/^[ \t-]{0,40}([\w.-]{1,80}):[ \t]+(\S.*)$/gm)) {
      fields.set(toWords(key), text.trim());
    }
    const words = wordsOf(name);
    if (!value.includes('\n')) {
      for (let from = 0; from < words.length; from += 1) fields.set(words.slice(from).join(' '), value);
    }
  }
  return fields;
}

function addFields(value: unknown, fields: Map<string, unknown>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 3) return;
  if (Array.isArray(value)) return addFields(value[0], fields, depth + 1);
  for (const [key, item] of Object.entries(value)) {
    if (isPlainList(item) && !fields.has(toWords(key))) fields.set(toWords(key), item);
    if (typeof item === 'object') addFields(item, fields, depth + 1);
    else if (item !== undefined && !fields.has(toWords(key))) fields.set(toWords(key), item);
  }
}

function isPlainList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object');
}

function readVariables(prompt: LanguageModelV4Prompt): ReadonlyMap<string, string> {
  const system = prompt
    .flatMap((message) => (message.role === 'system' ? [message.content] : []))
    .join('\n\n');
  const found = new Map<string, string>();
  const tags = [...system.matchAll(/<(\/?)([A-Z][A-Z\d_.-]*)>/g)];
  // finds each closing tag from the end: searching the whole prompt for each name would take minutes for many names
  const closed = new Map<string, number[]>();
  for (const { 1: slash, 2: name = '', index } of tags.toReversed()) {
    if (slash === '') continue;
    const places = closed.get(name);
    if (places === undefined) closed.set(name, [index]);
    else places.push(index);
  }
  let from = 0;
  for (const { 0: tag, 1: slash, 2: name = '', index } of tags) {
    if (slash !== '' || index < from) continue;
    const ends = closed.get(name) ?? [];
    while ((ends.at(-1) ?? Infinity) < index) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) continue;
    from = end;
    const value = system.slice(index + tag.length, end);
    // The sentence that explains variables uses one called NAME.
    if (name !== 'NAME' || value !== 'value') found.set(name, value.trim());
  }
  return found;
}

function fillIn(text: string, variables: ReadonlyMap<string, string>): string {
  return text
    .replace(/<([A-Z][A-Z\d_.-]*)>/g, (whole, name: string) => {
      const value = variables.get(name);
      return value !== undefined && !value.includes('\n') && value.length <= 80 ? value : whole;
    })
    .trim();
}

/** The user's last request. Messages about tasks come from the run and are not requests. */
function findRequest(
  texts: readonly (string | undefined)[],
  windows: readonly (TaskWindow | undefined)[],
  windowAt: number,
): number {
  return texts.findLastIndex(
    (text, at) =>
      text !== undefined &&
      (windowAt < 0 || (at < windowAt && windows[at] === undefined && text.trim() !== '')),
  );
}

/** The current task: as the tools announced it, as a reminder or the window names it, or as startTask returned it. */
function readTask(
  after: readonly (string | undefined)[],
  window: TaskWindow | undefined,
  outcomes: readonly ToolOutcome[],
  lastDone: number,
): string | undefined {
  const announced = outcomes[lastDone]?.value;
  const next = typeof announced === 'string' ? /next task:\s*([^\n]+)/i.exec(announced)?.[1] : undefined;
  if (next !== undefined) return next;
  const reminder = after.findLast((text) => text !== undefined && stillOpen.test(text)) ?? '';
  const named = stillOpen.exec(reminder)?.[1] ?? window?.current?.title;
  if (named !== undefined) return named;
  const brief = outcomes.findLast(
    ({ toolName, state }) => toolName === 'startTask' && state === 'done',
  )?.value;
  return typeof brief === 'string'
    ? brief.replace(/^[^\n:]*\bstarted\b[.:!]?\s*/i, '').split('\n')[0]
    : undefined;
}

function readOutcomes(messages: LanguageModelV4Prompt): ToolOutcome[] {
  const inputs = new Map<string, unknown>();
  const outcomes: ToolOutcome[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') inputs.set(part.toolCallId, part.input);
      if (part.type === 'tool-result') {
        outcomes.push({
          toolName: part.toolName,
          input: inputs.get(part.toolCallId),
          ...readOutput(part.output),
        });
      }
    }
  }
  return outcomes;
}

function readOutput(output: LanguageModelV4ToolResultOutput): Pick<ToolOutcome, 'state' | 'value'> {
  switch (output.type) {
    case 'text':
    case 'json':
      return { state: 'done', value: output.value };
    case 'error-text':
    case 'error-json':
      return { state: 'failed', value: output.value };
    case 'execution-denied':
      return { state: 'denied', value: output.reason };
    case 'content': {
      const parts = output.value.map((part) => (part.type === 'text' ? part.text : `(a ${part.type})`));
      return { state: 'done', value: parts.join('\n') };
    }
  }
}

function textOf(message: LanguageModelV4Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function countFiles(message: LanguageModelV4Message | undefined): number {
  if (message === undefined || typeof message.content === 'string') return 0;
  return message.content.filter((part) => part.type === 'file').length;
}
