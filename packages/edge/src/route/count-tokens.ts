import type { RunEvent } from '@cueline/core';

/**
 * Counts the tokens of a run as its providers report them. A step that was cut off reports none, though it was paid
 * for: it counts as what it was asked and what had come of it, four characters a token.
 */
export function createTokenCount(): { add(event: RunEvent): void; total(): number } {
  /** Steps that are under way, and what the last one came to, by their agents. */
  const open = new Map<string, number>();
  const before = new Map<string, number>();
  let told = 0;

  function add(event: RunEvent): void {
    const { agent = '' } = event;
    if (event.type === 'step-start') {
      told += open.get(agent) ?? 0;
      // of what was said before, the event has only what is new
      open.set(agent, (before.get(agent) ?? 0) + Math.ceil(JSON.stringify(event.request).length / 4));
    } else if (event.type === 'step-end') {
      const { totalTokens = NaN } = event.usage;
      const tokens = totalTokens >= 0 && totalTokens < 1e9 ? totalTokens : (open.get(agent) ?? 0);
      told += tokens;
      open.delete(agent);
      before.set(agent, tokens);
    } else if ('delta' in event || event.type === 'text-delta' || event.type === 'reasoning-delta') {
      const text = 'delta' in event ? event.delta : event.text;
      if (open.has(agent)) open.set(agent, open.get(agent)! + text.length / 4);
    }
  }

  return { add, total: () => Math.ceil([...open.values()].reduce((sum, tokens) => sum + tokens, told)) };
}
