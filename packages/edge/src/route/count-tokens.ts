import type { RunEvent, RunRequest } from '@cueline/core';
import { utf8Length } from './utf8-length.ts';

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
type Messages = Extract<RunEvent, { type: 'run-start' }>['messages'];

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
  /** The steps that are under way, by their agents. */
  const open = new Map<string, Step>();
  /** What the last step of each agent came to. */
  const before = new Map<string, number>();
  /** What each agent began with, for logs from which its requests were left out: measured once it is needed. */
  const begun = new Map<string, number | Messages>();
  let told = 0;
  // sums over the steps under way, so that an event costs the same however many there are
  let asked = 0;
  let least = 0;
  let said = 0;
  let puzzling = 0;
  let isLost = false;

  function begunWith(agent: string): number {
    const known = begun.get(agent) ?? 0;
    const length = typeof known === 'number' ? known : measure(known, partsOf(known), []).length;
    begun.set(agent, length);
    return length;
  }

  function begin(agent: string, request: Request): void {
    const again = open.get(agent);
    // one that is tried again was paid for, too
    if (again !== undefined) {
      told += again.asked + again.said;
      isLost ||= again.isPuzzling;
      close(agent, again);
    }
    const content = contentOf(request);
    const { length, leastLength } = measure(request, content, content.flatMap(withResults));
    // of what was said before, the event has only what is new, or nothing at all where it was left out
    const known = before.get(agent) ?? (request.messages.length === 0 ? begunWith(agent) / 4 : 0);
    if (request.messages.length > 0) begun.delete(agent);
    const step: Step = {
      asked: known + length / 4,
      least: (before.get(agent) ?? 0) + leastLength / 4,
      said: 0,
      isPuzzling: again?.isPuzzling === true || request.messages.some(isPuzzling),
    };
    open.set(agent, step);
    asked += step.asked;
    least += step.least;
    puzzling += Number(step.isPuzzling);
  }

  function close(agent: string, step: Step): void {
    open.delete(agent);
    asked -= step.asked;
    least -= step.least;
    said -= step.said;
    puzzling -= Number(step.isPuzzling);
  }

  function add(event: RunEvent): void {
    const { agent = '' } = event;
    const step = open.get(agent);
    switch (event.type) {
      case 'run-start':
      case 'agent-start':
        begun.set(agent, event.messages);
        break;
      case 'step-start':
        begin(agent, event.request);
        break;
      case 'step-end': {
        const { totalTokens = NaN } = event.usage;
        const guess = step === undefined ? 0 : step.asked + step.said;
        const tokens = totalTokens > 0 && totalTokens < 1e9 ? totalTokens : guess;
        told += tokens;
        before.set(agent, tokens);
        if (step === undefined) break;
        if (tokens !== totalTokens) isLost ||= step.isPuzzling;
        close(agent, step);
        break;
      }
      default: {
        const text = spoken(event);
        if (step === undefined || text === undefined) return;
        const tokens = utf8Length(text) / 4;
        step.said += tokens;
        said += tokens;
      }
    }
  }

  return {
    add,
    total: () => Math.ceil(told + asked + said),
    seen: () => Math.ceil(told + said),
    committed: () => Math.ceil(told + least + said),
    underWay: () => open.size,
    isBoundless: () => isLost || puzzling > 0,
  };
}

/** A step that is under way, in tokens. */
type Step = {
  /** What it was sent. */
  asked: number;
  /** The same, with the least for each file. */
  least: number;
  /** What has come of it. */
  said: number;
  /** It was sent what nobody can guess. */
  isPuzzling: boolean;
};

/** What a model says in an event. */
function spoken(event: RunEvent): string | undefined {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text;
  return event.type === 'tool-input-delta' ? event.delta : undefined;
}

/** What a run must cost: what it is started with, as its first step reads it, with the least for each file. */
export function leastTokens({ messages = [], input, tasks = [] }: Partial<RunRequest>): number {
  const parts = messages.flatMap((message) => message.parts.flatMap(withSteering));
  return Math.ceil(
    (leastLengthOf(messages, parts) + utf8Length(jsonOf(input)) + utf8Length(jsonOf(tasks))) / 4,
  );
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
  return measure(value, [], parts).leastLength;
}

/**
 * How many bytes it has as JSON, which is read once: with each picture among `pictures` counted as one, and with each
 * picture, PDF, sound or video among `media` counted as little as a picture can.
 */
function measure(
  value: unknown,
  pictures: readonly { type: string }[],
  media: readonly { type: string }[],
): { length: number; leastLength: number } {
  const bytes = utf8Length(JSON.stringify(value));
  let length = bytes;
  for (const part of pictures.filter(isPictureFile)) {
    const own = JSON.stringify(part).length;
    length += Math.min(Math.max(own, LEAST_PICTURE_LENGTH), PICTURE_LENGTH) - own;
  }
  let leastLength = bytes;
  for (const part of media.filter(isMedia)) {
    leastLength += LEAST_PICTURE_LENGTH - utf8Length(JSON.stringify(part));
  }
  return { length, leastLength };
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

function partsOf(messages: Messages): readonly { type: string }[] {
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
