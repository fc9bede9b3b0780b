import type { RunEvent } from '@cueline/core';

/** What a run has used so far. */
export type TokenCount = {
  add(event: RunEvent): void;
  /** All of it, with what is only guessed. */
  total(): number;
  /** What is known for sure, or has been seen: without what the steps under way were sent, whose files nobody can guess. */
  seen(): number;
};

type Request = Extract<RunEvent, { type: 'step-start' }>['request'];

/** As many characters as a picture's tokens would have: more than most providers count for one, however large its file. */
const PICTURE_LENGTH = 48_000;

/**
 * Counts the tokens of a run as its providers report them. A step that was cut off reports none, though it was paid
 * for: it counts as what it was asked and what had come of it, four characters a token.
 */
export function createTokenCount(): TokenCount {
  /** By their agents: the steps that are under way, what they have said of it, and what the last one came to. */
  const open = new Map<string, number>();
  const said = new Map<string, number>();
  const before = new Map<string, number>();
  let told = 0;

  function add(event: RunEvent): void {
    const { agent = '' } = event;
    if (event.type === 'step-start') {
      told += open.get(agent) ?? 0;
      said.delete(agent);
      // of what was said before, the event has only what is new
      open.set(agent, (before.get(agent) ?? 0) + lengthOf(event.request) / 4);
    } else if (event.type === 'step-end') {
      const { totalTokens = NaN } = event.usage;
      const tokens = totalTokens > 0 && totalTokens < 1e9 ? totalTokens : (open.get(agent) ?? 0);
      told += tokens;
      open.delete(agent);
      said.delete(agent);
      before.set(agent, tokens);
    } else if ('delta' in event || event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const text = 'delta' in event ? event.delta : event.text;
      if (!open.has(agent)) return;
      open.set(agent, open.get(agent)! + text.length / 4);
      said.set(agent, (said.get(agent) ?? 0) + text.length / 4);
    }
  }

  const sumOf = (steps: Map<string, number>): number =>
    Math.ceil([...steps.values()].reduce((sum, tokens) => sum + tokens, told));
  return { add, total: () => sumOf(open), seen: () => sumOf(said) };
}

/** How long a request is as JSON, in which a picture that somebody shows counts as one. */
function lengthOf(request: Request): number {
  const pictures = request.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((part) => part.type === 'file' && isPicture(part)),
  );
  const saved = pictures.map((part) => Math.max(0, JSON.stringify(part).length - PICTURE_LENGTH));
  return JSON.stringify(request).length - saved.reduce((sum, length) => sum + length, 0);
}

/** Not told by what is in it: a provider that is shown a picture which is none refuses it. */
function isPicture({ mediaType }: { mediaType?: unknown }): boolean {
  return typeof mediaType === 'string' && mediaType.startsWith('image/');
}
