import { summarize } from '../ui/format.ts';
import type { Draft } from './draft.ts';
import type { Field } from './schema-fields.ts';

/** A field of one kind. */
export type FieldOf<Kind extends Field['kind']> = Extract<Field, { kind: Kind }>;

/** The props of every field of the form. */
export type InputFieldProps<One extends Field = Field> = {
  name: string;
  field: One;
  draft: Draft;
  path: string;
  /** Messages by path. */
  problems: ReadonlyMap<string, string>;
  /** Called with the field's new draft and the path of the change in it. */
  onDraft: (draft: Draft, path: string) => void;
};

/** The label of a field: its title, else its name. */
export function labelOf({ name, field }: Pick<InputFieldProps, 'name' | 'field'>): string {
  return field.title ?? name;
}

/** The placeholder of an empty field: its default, or that it may stay empty. */
export function placeholderOf({ optional, nullable, ...field }: Field): string | undefined {
  if (field.default !== undefined) return summarize(field.default);
  return optional ? 'optional' : nullable ? 'none' : undefined;
}
