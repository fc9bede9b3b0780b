import { CuelineError, type PromptTypes, type RunFields, type RunState } from '@cueline/core';

/** A field of a run's state that a component can watch. */
export type WatchedField = keyof RunFields | 'status' | 'phase' | 'retrying';

/** Which fields a component watches; `false` for none. */
export type Watch = readonly WatchedField[] | false;

/** The fields that come with a status. */
type StatusField = 'error' | 'finishReason' | 'result';

type FieldOf<Watched extends Watch> = Watched extends readonly WatchedField[] ? Watched[number] : never;

type SeenField<Field> = Field | ('status' extends Field ? StatusField : never);

/** The watched part of each kind of state. */
type Seen<State, Field> = State extends unknown ? Pick<State, Extract<keyof State, SeenField<Field>>> : never;

/** The watched part of a run's state. Reading another field is a type error. */
export type WatchedState<Types extends PromptTypes, Watched extends Watch> = Seen<
  RunState<Types>,
  FieldOf<Watched>
>;

const statusFields: readonly StatusField[] = ['error', 'finishReason', 'result'];

/**
 * The watched part of a state; all of it without `watch`.
 * @throws CuelineError `invalid_options` for a `watch` that is not a list
 */
export function pickWatched(state: RunState, watch: Watch | undefined): object {
  if (watch === undefined) return state;
  const fields: readonly string[] = watch || [];
  if (!Array.isArray(fields)) throw new CuelineError('invalid_options', "watch takes a list: ['status'].");
  const part: Record<string, unknown> = {};
  for (const field of fields.includes('status') ? [...fields, ...statusFields] : fields) {
    if (field in state) part[field] = state[field as keyof RunState];
  }
  return part;
}

/** True if two objects have the same values under the same names. */
export function isShallowEqual(one: object, other: object): boolean {
  const names = Object.keys(one) as (keyof typeof one)[];
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name in other && Object.is(one[name], other[name]))
  );
}
