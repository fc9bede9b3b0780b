import { CuelineError } from '../../base/errors.ts';

/** An answer in tags, as {@link tags} returns it. */
export type Tags<
  Required extends string = string,
  Optional extends string = string,
  List extends string = string,
> = {
  readonly kind: 'tags';
  readonly required: readonly Required[];
  readonly optional: readonly Optional[];
  /** Names that may occur several times. */
  readonly lists: readonly List[];
  /** Names of code blocks in Markdown instead of XML tags. */
  readonly markdown: readonly string[];
};

/** The content of an answer's tags, by name: a text, or for a list all texts in order. */
export type TagValues<Required extends string, Optional extends string, List extends string = never> = Flat<
  Record<Exclude<Required, List>, string> &
    Partial<Record<Exclude<Optional, List>, string>> &
    Record<List, string[]>
>;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

type TagNames = Partial<Record<'required' | 'optional' | 'lists' | 'markdown', readonly string[]>>;

/** Names that every XML reader accepts. */
const tagName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
/** Names of languages, such as `c++`. */
const blockName = /^[A-Za-z][A-Za-z0-9_.+#-]{0,63}$/;

/**
 * An answer that the model gives in tags, with any text around them: XML tags such as `<answer>42</answer>`, and for
 * the names in `markdown` code blocks that begin with the name, such as ```` ```json ````. The last complete
 * occurrence that is not empty counts. For the names in `lists` each occurrence counts, and an optional one without
 * any is an empty list.
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
  // names of an agent's other settings
}): Tags<NoInfer<Required>, NoInfer<Optional>, NoInfer<List>>;
export function tags(names: readonly string[] | TagNames): Tags {
  const {
    required = [],
    optional = [],
    lists = [],
    markdown = [],
  } = isList(names) ? { required: names } : ((names as TagNames | null) ?? {});
  if (![required, optional, lists, markdown].every(isList)) throw invalidTagNamesError();
  const known = new Set<string>();
  for (const name of [...required, ...optional]) checkName(name, known, markdown.includes(name));
  if (known.size === 0) throw invalidTagNamesError();
  for (const name of [...lists, ...markdown]) {
    if (required.includes(name) || optional.includes(name)) continue;
    throw new CuelineError(
      'invalid_definition',
      `The tag ${JSON.stringify(name)} is only in lists or markdown. Add it to required or optional.`,
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

/** True for an answer that {@link tags} returned. */
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

function invalidTagNamesError(): CuelineError {
  return new CuelineError(
    'invalid_definition',
    "tags takes the names of the tags: tags(['answer']), or tags({ required: ['answer'] }).",
  );
}
