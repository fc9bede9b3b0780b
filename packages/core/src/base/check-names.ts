import { CuelineError, type CuelineErrorCode } from './errors.ts';
import { isRecord } from './is-record.ts';
import { nearestName } from './nearest-name.ts';
import { quoteValue } from './quote-value.ts';
import { successorOf, whyDropped } from './replaced-options.ts';

/**
 * Refuses an unknown name, which would otherwise be ignored. `instead` returns what to write, if it knows.
 * @throws CuelineError
 */
export function checkNames(
  whose: string,
  options: unknown = {},
  known: readonly string[],
  code: CuelineErrorCode,
  instead: (name: string) => string | undefined = () => undefined,
): void {
  if (!isRecord(options)) {
    throw new CuelineError(code, `${whose} takes an object, but got ${quoteValue(options)}. Write { … }.`);
  }
  const name = Object.keys(options).find((key) => options[key] !== undefined && !known.includes(key));
  if (name === undefined) return;
  throw new CuelineError(code, instead(name) ?? `${whose} has no "${name}". ${suggestion(name, known)}`);
}

/** Returns what to write instead of an unknown name. */
export function suggestion(name: string, known: readonly string[]): string {
  const successor = successorOf(name, known);
  if (successor !== undefined) return `It is now ${successor.name}: { ${successor.write} }.`;
  const dropped = whyDropped(name);
  if (dropped !== undefined) return dropped;
  // a common prefix does not make names similar
  const bare = (full: string): string => full.replace(/^experimental_/, '');
  const nearest = nearestName(bare(name), known.map(bare));
  if (nearest === undefined) return `There are: ${known.join(', ')}.`;
  return `Did you mean ${known.find((full) => bare(full) === nearest)!}?`;
}
