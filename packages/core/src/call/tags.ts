import { CuelineError } from '../errors.ts';

/** An answer that stands in tags, as {@link tags} makes it. Inert. */
export type Tags<Required extends string = string, Optional extends string = string> = {
  readonly kind: 'tags';
  readonly required: readonly Required[];
  readonly optional: readonly Optional[];
};

/** What the tags of an answer say, by name. */
export type TagValues<Required extends string, Optional extends string> = Flat<
  Record<Required, string> & Partial<Record<Optional, string>>
>;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

/** Names that every XML reader takes, and that an object does not have already. */
const tagName = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/**
 * An answer that the model gives in tags, such as `<answer>42</answer>`, with any text around them. Of each tag the last
 * one that is whole and not empty counts.
 * @throws CuelineError `invalid_definition`
 *
 * @example tags(['answer'])                                       // { answer: string }
 * @example tags({ required: ['answer'], optional: ['note'] })     // { answer: string; note?: string }
 */
export function tags<const Required extends string>(required: readonly Required[]): Tags<Required, never>;
export function tags<const Required extends string = never, const Optional extends string = never>(names: {
  readonly required?: readonly Required[];
  readonly optional?: readonly Optional[];
}): Tags<Required, Optional>;
export function tags(
  names: readonly string[] | { readonly required?: readonly string[]; readonly optional?: readonly string[] },
): Tags {
  const { required = [], optional = [] } = isList(names)
    ? { required: names }
    : ((names as typeof names | null) ?? {});
  const known = new Set<string>();
  for (const list of [required, optional]) {
    if (!isList(list)) throw wrongNames();
    for (const name of list) checkName(name, known);
  }
  if (known.size === 0) throw wrongNames();
  return Object.freeze({
    kind: 'tags',
    required: Object.freeze([...required]),
    optional: Object.freeze([...optional]),
  });
}

/** True for what {@link tags} returns. */
export function isTags(value: unknown): value is Tags {
  return (value as { kind?: unknown } | null | undefined)?.kind === 'tags';
}

function isList(names: unknown): names is readonly string[] {
  return Array.isArray(names);
}

function checkName(name: unknown, known: Set<string>): void {
  if (typeof name !== 'string' || !tagName.test(name) || name in {}) {
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
    "tags takes the names of the tags: tags(['answer']), or tags({ required: ['answer'], optional: ['note'] }).",
  );
}
