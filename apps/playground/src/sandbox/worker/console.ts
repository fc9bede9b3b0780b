import { CONSOLE_LINES } from '../limits.ts';
import type { ConsoleLevel, ToHost } from '../protocol.ts';

const levels: readonly ConsoleLevel[] = ['debug', 'log', 'info', 'warn', 'error'];
const lengthLimit = 2_000;

/** Sends what a script writes to the console to the page: the first lines, each cut at 2,000 characters. */
export function relayConsole(send: (message: ToHost) => void): void {
  let lines = 0;
  for (const level of levels) {
    const original = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      original(...values);
      lines += 1;
      if (lines > CONSOLE_LINES) return;
      send({ type: 'console', level, text: values.map(toText).join(' ').slice(0, lengthLimit) });
    };
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
