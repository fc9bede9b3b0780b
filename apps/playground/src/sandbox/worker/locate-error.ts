import type { ScriptPosition } from '../script/script-error.ts';

/** The first position in the code at `url` through which an error or its cause passed. */
export function locateInStack(error: unknown, url: string): ScriptPosition | undefined {
  try {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
      const stack = at.stack ?? '';
      const start = stack.indexOf(`${url}:`);
      const [, line, column] = start < 0 ? [] : (/^:(\d+):(\d+)/.exec(stack.slice(start + url.length)) ?? []);
      if (line !== undefined) return { line: Number(line), column: Number(column) };
    }
  } catch {
    // a getter or a proxy of the script throws
  }
  return undefined;
}

const located = new WeakSet<object>();

/** True for an error that was thrown again only to learn its position. */
export function isLocated(error: unknown): boolean {
  return typeof error === 'object' && error !== null && located.has(error);
}

/** A syntax error has no stack: browsers report its position only to `error` listeners, or in fields of their own. */
export function locateSyntaxError(error: unknown, url: string): ScriptPosition | undefined {
  let found: ScriptPosition | undefined;
  const listener = (event: ErrorEvent): void => {
    event.preventDefault();
    if (event.lineno > 0 && event.filename === url) found = { line: event.lineno, column: event.colno };
  };
  if (typeof error === 'object' && error !== null) located.add(error);
  addEventListener('error', listener, { capture: true });
  reportError(error);
  removeEventListener('error', listener, { capture: true });
  return found;
}
