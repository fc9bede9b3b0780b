import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';

/** The check of a setting, and how to write it; `value` is what was written instead. */
type SettingForm = { fits: (value: unknown) => boolean; write: (value: unknown) => string };

/** A setting with a value of the wrong form. */
export type WrongSetting = {
  name: string;
  /** The value, in its short form. */
  value: string;
  /** What to write instead. */
  instead: string;
};

/** Null is no value, as for the AI SDK. */
const orNull = (form: SettingForm): SettingForm => ({
  ...form,
  fits: (value) => value === null || form.fits(value),
});

const number = (example: string): SettingForm => orNull({ fits: Number.isFinite, write: () => example });

const texts = (example: string): SettingForm => ({
  fits: (value) => Array.isArray(value) && value.every((text) => typeof text === 'string'),
  write: (value) => `[${typeof value === 'string' ? quoteValue(value) : example}]`,
});

/** By name. */
export type SettingForms = Readonly<Record<string, SettingForm>>;

/**
 * The settings of a step that the AI SDK takes in any form, so that a wrong one reaches the provider or does nothing.
 */
export const stepForms: SettingForms = {
  activeTools: texts("'search'"),
  frequencyPenalty: number('0.5'),
  presencePenalty: number('0.5'),
  stopSequences: orNull(texts("'END'")),
  temperature: number('0.5'),
  toolChoice: orNull({
    fits: (value) =>
      ['auto', 'none', 'required'].includes(value as string) ||
      (isRecord(value) && value['type'] === 'tool' && typeof value['toolName'] === 'string'),
    write: (value) =>
      `{ type: 'tool', toolName: ${typeof value === 'string' ? quoteValue(value) : "'search'"} }, or 'auto', 'none' or 'required'`,
  }),
  topK: number('40'),
  topP: number('0.9'),
};

/** Those of a step, and those of a whole run. */
export const settingForms: SettingForms = {
  ...stepForms,
  headers: orNull({
    // a Headers object would be sent as no headers
    fits: (value) => isRecord(value) && !(Symbol.iterator in value),
    write: () => "{ 'x-name': 'value' }",
  }),
  stopWhen: {
    fits: (value) => [value].flat().every((condition) => typeof condition === 'function'),
    write: (value) => `isStepCount(${typeof value === 'number' ? value : 5}), with isStepCount from 'ai'`,
  },
  toolApproval: {
    fits: (value) => typeof value === 'function' || isRecord(value),
    write: () => "{ search: 'user-approval' }, or approval: true for all tools that change something",
  },
};

/** Returns the first setting whose value has the wrong form, if there is one. */
export function findWrongSetting(settings: object, forms: SettingForms): WrongSetting | undefined {
  for (const [name, value] of Object.entries(settings)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form === undefined || value === undefined || form.fits(value)) continue;
    return { name, value: quoteValue(value), instead: `Write ${name}: ${form.write(value)}.` };
  }
  return undefined;
}
