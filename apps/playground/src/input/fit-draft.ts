import { isVariant, memberOf, readDraft, toDraft, type Draft } from './draft.ts';
import { isSameJson } from './same-json.ts';
import type { Field } from './schema-fields.ts';

type Union = Extract<Field, { kind: 'union' }>;

/**
 * The draft for `now` of what was typed into `before`. Positions of choices and variants become those of the same
 * options, or undefined if the options are gone. Texts stay as they were typed. Undefined in place of `before`: the
 * draft's field is unknown.
 */
export function fitDraft(draft: Draft, before: Field | undefined, now: Field): Draft {
  if (draft === undefined || isSameJson(before, now)) return draft;
  if (before?.kind === 'union' && now.kind === 'union') return fitVariant(draft, before, now);
  if (isByValue(before) || isByValue(now)) {
    return before && toDraft(now, readDraft(before, draft).input);
  }
  if (now.kind === 'list' && Array.isArray(draft)) {
    const item = before?.kind === 'list' ? before.item : undefined;
    return (draft as readonly Draft[]).map((one) => fitDraft(one, item, now.item));
  }
  if (now.kind === 'object' && typeof draft === 'object' && !Array.isArray(draft)) {
    const members = before?.kind === 'object' ? before.fields : [];
    return Object.fromEntries(
      Object.keys(draft).map((name) => {
        const typed = memberOf(draft, name);
        const member = now.fields.find((one) => one.name === name);
        // the schema may get the member back
        if (member === undefined) return [name, typed];
        return [name, fitDraft(typed, members.find((one) => one.name === name)?.field, member.field)];
      }),
    );
  }
  return draft;
}

/** True for a field whose draft is no text or container, so that it means another value in another field. */
function isByValue(field: Field | undefined): boolean {
  return field?.kind === 'choice' || field?.kind === 'union' || field?.kind === 'fixed';
}

function fitVariant(draft: Draft, before: Union, now: Union): Draft {
  const old = isVariant(draft) ? before.variants[draft.variant] : undefined;
  if (!isVariant(draft) || old === undefined) return undefined;
  const variant = sameVariant(draft.variant, before, now);
  const next = variant === undefined ? undefined : now.variants[variant];
  if (variant === undefined || next === undefined) return undefined;
  return { variant, value: fitDraft(draft.value, old.field, next.field) };
}

/**
 * The position of a variant in the edited union: that of an equal one, or of the one with its label or in its place.
 */
function sameVariant(at: number, before: Union, now: Union): number | undefined {
  const old = before.variants[at]!;
  const equal = now.variants.findIndex((one) => isSameJson(one, old));
  if (equal >= 0) return isSameJson(now.variants[at], old) ? at : equal;
  const isLabelled = ({ label }: { label: string }): boolean => label === old.label;
  const isUnique = [before, now].every(({ variants }) => variants.filter(isLabelled).length === 1);
  if (isUnique) return now.variants.findIndex(isLabelled);
  // an untitled variant is labelled by its members, which may have been edited
  const inPlace = now.variants[at];
  const isEdited =
    inPlace !== undefined &&
    now.variants.length === before.variants.length &&
    (isLabelled(inPlace) || !before.variants.some(({ label }) => label === inPlace.label));
  return isEdited ? at : undefined;
}
