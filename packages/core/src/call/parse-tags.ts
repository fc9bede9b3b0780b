import { CuelineError } from '../errors.ts';
import { readTags } from './read-tags.ts';
import type { Tags, TagValues } from './tags.ts';

/** What the system prompt says of the tags. */
export function tagsLine({ required, optional }: Tags): string {
  const shown = (names: readonly string[]): string => names.map((name) => `<${name}>…</${name}>`).join(', ');
  const lines = [
    ...(required.length > 0 ? [`Write your answer in these tags: ${shown(required)}.`] : []),
    ...(optional.length > 0 ? [`Where it is of use, add: ${shown(optional)}.`] : []),
  ];
  return lines.join(' ');
}

/** What an answer says in its tags. @throws CuelineError `parse_failed`, in words for the model */
export function parseTags<Required extends string, Optional extends string>(
  { required, optional }: Tags<Required, Optional>,
  text: string,
): TagValues<Required, Optional> {
  const found = readTags(text, [...required, ...optional]);
  const faults = [
    ...required.map((name) => [name, true] as const),
    ...optional.map((name) => [name, false] as const),
  ].flatMap(([name, isRequired]) => {
    const { value, opened, closed } = found.get(name)!;
    if (value !== undefined && value !== '') return [];
    if (value === undefined && opened) return [`<${name}> is opened and never closed`];
    if (!isRequired) return [];
    if (value !== undefined) return [`<${name}> is empty`];
    return [closed ? `<${name}> is closed and never opened` : `<${name}> is missing`];
  });
  if (faults.length > 0) {
    const [first] = required.length > 0 ? required : optional;
    throw new CuelineError('parse_failed', `${faults.join('; ')}. Write it as <${first}>…</${first}>.`);
  }
  const values = [...found].flatMap(([name, { value }]) => (value ? [[name, value] as const] : []));
  return Object.fromEntries(values) as TagValues<Required, Optional>;
}
