import process from 'node:process';
// Prints what an agent call does in each state, as the Markdown table that docs/agent-calls.md shows:
//     pnpm exec node --conditions=@cueline/source scripts/transitions.mjs
import { pathToFileURL } from 'node:url';
import { transitions } from '../packages/core/src/agents/call/call-state.ts';

/** The table, one row for each state and one column for each event. */
export function transitionTable() {
  const states = Object.entries(transitions);
  const events = Object.keys(states[0]?.[1] ?? {});
  /** @param {readonly { to: string; when?: string }[]} rules */
  const cell = (rules) =>
    rules
      .map(({ to, when }, index) =>
        when === undefined ? `${index > 0 ? 'else ' : ''}${to}` : `${to} if ${when.replaceAll('<', '&lt;')}`,
      )
      .join(', ');
  const row = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return [
    row(['state', ...events]),
    row(['---', ...events.map(() => '---')]),
    ...states.map(([state, cells]) => row([`**${state}**`, ...Object.values(cells).map(cell)])),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(transitionTable());
