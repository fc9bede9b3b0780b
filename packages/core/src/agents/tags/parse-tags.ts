import { CuelineError } from '../../base/errors.ts';
import { readBlocks } from './read-blocks.ts';
import { readTags, type FoundTag } from './read-tags.ts';
import type { Tags, TagValues } from './tags.ts';

/** Returns the line about the tags for the system prompt. */
export function tagsLine(tags: Tags): string {
  const { required, optional } = tags;
  const shown = (names: readonly string[], often: string): string =>
    names.map((name) => `${shapeOf(tags, name)}${tags.lists.includes(name) ? ` (${often})` : ''}`).join(', ');
  const lines = [
    ...(required.length > 0 ? [`Write your answer in these tags: ${shown(required, 'one or more')}.`] : []),
    ...(optional.length > 0 ? [`Where it is of use, add: ${shown(optional, 'as many as you need')}.`] : []),
  ];
  return lines.join(' ');
}

/** Returns the content of an answer's tags. @throws CuelineError `parse_failed`, with a message for the model */
export function parseTags<Required extends string, Optional extends string, List extends string>(
  tags: Tags<Required, Optional, List>,
  text: string,
): TagValues<Required, Optional, List> {
  const names = namesOf(tags);
  const lists: readonly string[] = tags.lists;
  const found = findTags(tags, text);
  const issues = names.flatMap((name) => {
    const issue = issueOf(found.get(name)!, (tags.required as readonly string[]).includes(name));
    return issue === undefined ? [] : [{ name, text: `${openingMark(tags, name)} ${issue}` }];
  });
  if (issues.length > 0) {
    const texts = issues.map(({ text }) => text).join('; ');
    const shapes = issues.map(({ name }) => shapeOf(tags, name)).join(', ');
    throw new CuelineError(
      'parse_failed',
      `${texts}. Write ${issues.length === 1 ? 'it' : 'them'} as ${shapes}.`,
    );
  }
  const values = names.flatMap((name): [string, string | string[]][] => {
    const values = found.get(name)!.values.filter((value) => value !== '');
    if (lists.includes(name)) return [[name, values]];
    return values.length === 0 ? [] : [[name, values.at(-1)!]];
  });
  return Object.fromEntries(values) as TagValues<Required, Optional, List>;
}

/** True if a text that was cut off ends neither inside a tag nor where more tags may follow. */
export function isWhole(tags: Tags, text: string): boolean {
  if (tags.lists.length > 0 || tags.optional.length > 0) return false;
  return [...findTags(tags, text).values()].every(({ opened }) => !opened);
}

function namesOf({ required, optional }: Tags): readonly string[] {
  return [...required, ...optional];
}

function findTags(tags: Tags, text: string): Map<string, FoundTag> {
  const inTags = namesOf(tags).filter((name) => !isBlock(tags, name));
  return new Map([...readTags(text, inTags), ...readBlocks(text, tags.markdown)]);
}

/** Returns what is wrong with a tag in the text. */
function issueOf({ values, opened, closed }: FoundTag, isRequired: boolean): string | undefined {
  if (values.some((value) => value !== '')) return undefined;
  if (values.length === 0 && opened) return 'is opened and never closed';
  if (!isRequired) return undefined;
  if (values.length > 0) return 'is empty';
  return closed ? 'is closed and never opened' : 'is missing';
}

function isBlock(tags: Tags, name: string): boolean {
  return tags.markdown.includes(name);
}

function openingMark(tags: Tags, name: string): string {
  return isBlock(tags, name) ? `\`\`\`${name}` : `<${name}>`;
}

function shapeOf(tags: Tags, name: string): string {
  return isBlock(tags, name) ? `\`\`\`${name} … \`\`\`` : `<${name}>…</${name}>`;
}
