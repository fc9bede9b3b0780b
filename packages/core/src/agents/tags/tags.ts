import { CuelineError } from '../../base/errors.ts';

/** An answer that stands in tags, as {@link tags} makes it. Inert. */
export type Tags<
  Required extends string = string,
  Optional extends string = string,
  List extends string = string,
> = {
  readonly kind: 'tags';
  readonly required: readonly Required[];
  readonly optional: readonly Optional[];
  /** Of these, those that may stand there several times. */
  readonly lists: readonly List[];
  /** Of these, those that are code blocks in Markdown and no XML tags. */
  readonly markdown: readonly string[];
};

/** What the tags of an answer say, by name: a text, or of a list all texts in their order. */
export type TagValues<Required extends string, Optional extends string, List extends string = never> = Flat<
  Record<Exclude<Required, List>, string> &
    Partial<Record<Exclude<Optional, List>, string>> &
    Record<List, string[]>
>;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

type TagNames = Partial<Record<'required' | 'optional' | 'lists' | 'markdown', readonly string[]>>;

/** Names that every XML reader takes. */
const tagName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
/** Names of languages, such as `c++`. */
const blockName = /^[A-Za-z][A-Za-z0-9_.+#-]{0,63}$/;

/**
 * An answer that the model gives in tags, with any text around them: XML tags such as `<answer>42</answer>`, and those that
 * `markdown` names as code blocks that begin with the name, such as ```` ```json ````. Of each the last one that is whole and
 * not empty counts; of those that `lists` names each one does, and where there is none the list of an optional one is empty.
 * @throws CuelineError `invalid_definition`
 *
 * @example tags(['answer'])                                       // { answer: string }
 * @example tags({ required: ['answer'], optional: ['note'] })     // { answer: string; note?: string }
 * @example tags({ required: ['fact'], lists: ['fact'] })          // { fact: string[] }
 * @example tags({ required: ['json'], markdown: ['json'] })       // { json: string }
 */
export function tags<const Required extends string>(
  required: readonly Required[],
): Tags<Required, never, never>;
export function tags<
  const Required extends string = never,
  const Optional extends string = never,
  const List extends Required | Optional = never,
>(names: {
  readonly required?: readonly Required[];
  readonly optional?: readonly Optional[];
  readonly lists?: readonly List[];
  readonly markdown?: readonly NoInfer<Required | Optional>[];
  // what an agent takes says nothing of these
}): Tags<NoInfer<Required>, NoInfer<Optional>, NoInfer<List>>;
export function tags(names: readonly string[] | TagNames): Tags {
  const {
    required = [],
    optional = [],
    lists = [],
    markdown = [],
  } = isList(names) ? { required: names } : ((names as TagNames | null) ?? {});
  if (![required, optional, lists, markdown].every(isList)) throw wrongNames();
  const known = new Set<string>();
  for (const name of [...required, ...optional]) checkName(name, known, markdown.includes(name));
  if (known.size === 0) throw wrongNames();
  for (const name of [...lists, ...markdown]) {
    if (required.includes(name) || optional.includes(name)) continue;
    throw new CuelineError(
      'invalid_definition',
      `The tag ${JSON.stringify(name)} is among lists or markdown only. Name it in required or optional, too.`,
    );
  }
  return Object.freeze({
    kind: 'tags',
    required: Object.freeze([...required]),
    optional: Object.freeze([...optional]),
    lists: Object.freeze([...lists]),
    markdown: Object.freeze([...markdown]),
  });
}

/** True for what {@link tags} returns. */
export function isTags(value: unknown): value is Tags {
  return (value as { kind?: unknown } | null | undefined)?.kind === 'tags';
}

function isList(names: unknown): names is readonly string[] {
  return Array.isArray(names);
}

function checkName(name: unknown, known: Set<string>, isBlock: boolean): void {
  // an object has some names already
  if (typeof name !== 'string' || !(isBlock ? blockName : tagName).test(name) || name in {}) {
    throw new CuelineError(
      'invalid_definition',
      `${JSON.stringify(name)} cannot be the name of a tag. Use up to 64 letters, digits, _, . and -, and begin with a letter, such as 'answer'.`,
    );
  }
  // models do not keep to upper and lower case
  const lower = name.toLowerCase();
  if (known.has(lower)) {
    throw new CuelineError('invalid_definition', `The tag '${name}' is named twice. Name each tag once.`);
  }
  known.add(lower);
}

function wrongNames(): CuelineError {
  return new CuelineError(
    'invalid_definition',
    "tags takes the names of the tags: tags(['answer']), or tags({ required: ['answer'] }).",
  );
}
