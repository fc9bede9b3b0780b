import type { RunEvent, RunRequest } from '@cueline/core';

/** What a run has used so far. */
export type TokenCount = {
  add(event: RunEvent): void;
  /** All of it, with what is only guessed. */
  total(): number;
  /** What is known for sure, or has been seen: without what the steps under way were sent, whose files nobody can guess. */
  seen(): number;
  /** What is known or has been seen, and what the steps under way must cost: what they were sent, with the least for a file. */
  committed(): number;
  /** How many steps are under way. */
  underWay(): number;
  /** True where nobody can guess the total: a step was cut off that had a file whose length does not tell what it costs. */
  isBoundless(): boolean;
};

type Request = Extract<RunEvent, { type: 'step-start' }>['request'];

/** As many bytes as a picture's tokens would have: more than most providers count for one, however large its file. */
const PICTURE_LENGTH = 48_000;
/** As much as one of middling size costs: a few bytes of one colour are a large picture, too. */
const LEAST_PICTURE_LENGTH = 6_000;

/**
 * Counts the tokens of a run as its providers report them. A step that was cut off reports none, though it was paid
 * for: it counts as what it was asked and what had come of it, four bytes of UTF-8 a token, as not every script has four
 * letters to one.
 */
export function createTokenCount(): TokenCount {
  /** By their agents: the steps that are under way, what they have said of it, and what the last one came to. */
  const open = new Map<string, number>();
  const said = new Map<string, number>();
  const before = new Map<string, number>();
  /** What the steps under way were sent, in tokens, with the least for each file. */
  const sent = new Map<string, number>();
  /** What each agent began with, for logs from which its requests were left out. */
  const begun = new Map<string, number>();
  /** The agents whose step under way was sent what nobody can guess. */
  const puzzling = new Set<string>();
  let told = 0;
  let isLost = false;

  function add(event: RunEvent): void {
    const { agent = '' } = event;
    if (event.type === 'run-start' || event.type === 'agent-start') {
      begun.set(agent, lengthOf(event.messages, partsOf(event.messages)) / 4);
    } else if (event.type === 'step-start') {
      told += open.get(agent) ?? 0;
      said.delete(agent);
      if (open.has(agent)) isLost ||= puzzling.has(agent);
      if (event.request.messages.some(isPuzzling)) puzzling.add(agent);
      const { request } = event;
      // of what was said before, the event has only what is new, or nothing at all where it was left out
      const known = before.get(agent) ?? (request.messages.length === 0 ? begun.get(agent) : 0) ?? 0;
      open.set(agent, known + lengthOf(request, contentOf(request)) / 4);
      sent.set(
        agent,
        (before.get(agent) ?? 0) + leastLengthOf(request, contentOf(request).flatMap(withResults)) / 4,
      );
    } else if (event.type === 'step-end') {
      const { totalTokens = NaN } = event.usage;
      const tokens = totalTokens > 0 && totalTokens < 1e9 ? totalTokens : (open.get(agent) ?? 0);
      told += tokens;
      if (tokens !== totalTokens) isLost ||= puzzling.has(agent);
      open.delete(agent);
      sent.delete(agent);
      said.delete(agent);
      puzzling.delete(agent);
      before.set(agent, tokens);
    } else if ('delta' in event || event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const text = 'delta' in event ? event.delta : event.text;
      if (!open.has(agent)) return;
      const tokens = bytesOf(text) / 4;
      open.set(agent, open.get(agent)! + tokens);
      said.set(agent, (said.get(agent) ?? 0) + tokens);
    }
  }

  const sumOf = (...steps: Map<string, number>[]): number =>
    Math.ceil(steps.flatMap((each) => [...each.values()]).reduce((sum, tokens) => sum + tokens, told));
  const isBoundless = (): boolean => isLost || puzzling.size > 0;
  return {
    add,
    total: () => sumOf(open),
    seen: () => sumOf(said),
    committed: () => sumOf(sent, said),
    underWay: () => open.size,
    isBoundless,
  };
}

/** What a run must cost: what it is started with, as its first step reads it, with the least for each file. */
export function leastTokens({ messages = [], input, tasks = [] }: Partial<RunRequest>): number {
  const parts = messages.flatMap((message) => message.parts.flatMap(withSteering));
  return Math.ceil((leastLengthOf(messages, parts) + bytesOf(jsonOf(input)) + bytesOf(jsonOf(tasks))) / 4);
}

type Part = NonNullable<RunRequest['messages']>[number]['parts'][number];

/** A part, and what was said in the middle of an answer, where it is that. */
function withSteering(part: Part): readonly { type: string }[] {
  const { type, parts } = part as { type: string; parts?: readonly { type: string }[] };
  return type === 'steering-message' && parts !== undefined ? parts : [part];
}

/** '' for what is no JSON: it did not come from a client. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

/** How many bytes it has as JSON, in which each picture, PDF, sound or video counts as little as a picture can. */
function leastLengthOf(value: unknown, parts: readonly { type: string }[]): number {
  const more = parts.filter(isMedia).map((part) => LEAST_PICTURE_LENGTH - bytesOf(JSON.stringify(part)));
  return bytesOf(JSON.stringify(value)) + more.reduce((sum, length) => sum + length, 0);
}

/** How many bytes it has as JSON, in which each picture among its parts counts as one. */
function lengthOf(value: unknown, parts: readonly { type: string }[]): number {
  const more = parts.filter(isPictureFile).map((part) => {
    const length = JSON.stringify(part).length;
    return Math.min(Math.max(length, LEAST_PICTURE_LENGTH), PICTURE_LENGTH) - length;
  });
  return bytesOf(JSON.stringify(value)) + more.reduce((sum, length) => sum + length, 0);
}

function contentOf({ messages }: Request): readonly { type: string }[] {
  return messages.flatMap(({ content }): readonly { type: string }[] =>
    typeof content === 'string' ? [] : content,
  );
}

/** A part, and the files that are in it, where it is a tool's result. */
function withResults(part: { type: string; output?: unknown }): readonly { type: string }[] {
  const { type, value } = (part.output ?? {}) as { type?: string; value?: readonly { type: string }[] };
  return part.type === 'tool-result' && type === 'content' && value !== undefined ? [part, ...value] : [part];
}

function partsOf(
  messages: Extract<RunEvent, { type: 'run-start' }>['messages'],
): readonly { type: string }[] {
  return messages.flatMap(({ parts }) => parts);
}

function isPictureFile(part: { type: string; mediaType?: unknown }): boolean {
  return part.type === 'file' && isPicture(part);
}

/** Not whatever is no text: what a provider may read as text costs what its length says. */
function isMedia(part: { type: string; mediaType?: unknown }): boolean {
  const { type, mediaType } = part;
  return (
    type === 'file' &&
    typeof mediaType === 'string' &&
    /^((image|audio|video)\/|application\/pdf$)/.test(mediaType)
  );
}

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(text).byteLength;
}

/** Not told by what is in it: a provider that is shown a picture which is none refuses it. */
function isPicture({ mediaType }: { mediaType?: unknown }): boolean {
  return typeof mediaType === 'string' && mediaType.startsWith('image/');
}

/** True where a message has a PDF, sound or video: a kilobyte of it may be a thousand pages. */
function isPuzzling({ content }: Request['messages'][number]): boolean {
  if (typeof content === 'string') return false;
  return content.some((part) => {
    if (part.type === 'file') return isPuzzlingFile(part);
    if (part.type !== 'tool-result' || part.output.type !== 'content') return false;
    return part.output.value.some((one) => one.type === 'file' && isPuzzlingFile(one));
  });
}

function isPuzzlingFile(part: { mediaType?: unknown }): boolean {
  return !isPicture(part) && !(typeof part.mediaType === 'string' && part.mediaType.startsWith('text/'));
}
