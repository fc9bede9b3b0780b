import { suggestion } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { isMessage } from '../messages/check-messages.ts';
import type { HookResult } from '../prompt/hook.ts';
import { findWrongSetting, stepForms, type SettingForms } from '../prompt/setting-forms.ts';

/** What a hook may change. The compiler compares the list with the AI SDK's own. */
const names: Record<keyof HookResult, true> = {
  activeTools: true,
  experimental_sandbox: true,
  frequencyPenalty: true,
  maxOutputTokens: true,
  messages: true,
  model: true,
  presencePenalty: true,
  providerOptions: true,
  reasoning: true,
  runtimeContext: true,
  seed: true,
  stopSequences: true,
  system: true,
  temperature: true,
  toolChoice: true,
  toolOrder: true,
  toolsContext: true,
  topK: true,
  topP: true,
  variables: true,
};
const known = Object.keys(names);

/** The fields whose form is checked. */
const forms: SettingForms = {
  ...stepForms,
  messages: {
    fits: Array.isArray,
    write: (value) => `[{ role: 'user', content: ${typeof value === 'string' ? quoteValue(value) : "'…'"} }]`,
  },
  system: {
    fits: (value) => typeof value === 'string' || [value].flat().every(isSystemMessage),
    write: () => "'…'",
  },
  model: {
    fits: (value) => typeof value === 'string' || isRecord(value),
    write: () => "'openai:gpt-4o', or a model of the AI SDK's",
  },
  variables: { fits: isRecord, write: () => "{ NAME: { type: 'string', value: '…' } }" },
};

/**
 * Returns a hook's result without undefined and null fields. An unknown name is a warning.
 * @throws CuelineError `script_error` if a field has the wrong form
 */
export function readHookResult(result: unknown, warn: (message: string) => void): HookResult {
  if (result === undefined || result === null) return {};
  if (!isRecord(result)) {
    throw invalidHookResultError(
      `A hook returned ${quoteValue(result)}. Return an object, such as { activeTools: ['search'] }, or nothing.`,
    );
  }
  const fields = Object.fromEntries(
    Object.entries(result).filter(([, value]) => value !== undefined && value !== null),
  );
  for (const name of Object.keys(fields)) {
    if (!known.includes(name))
      warn(`A hook returned ${name}, which hooks cannot change. ${suggestion(name, known)}`);
  }
  const wrong = findWrongSetting(fields, forms);
  if (wrong !== undefined)
    throw invalidHookResultError(`A hook returned ${wrong.name}: ${wrong.value}. ${wrong.instead}`);
  const { messages = [] } = fields as { messages?: unknown[] };
  const odd = messages.findIndex((message) => !isMessage(message));
  if (odd >= 0) {
    throw invalidHookResultError(
      `A hook returned messages[${odd}] without a role and content that fits the role. Write { role: 'user', content: '…' }.`,
    );
  }
  return fields;
}

function isSystemMessage(value: unknown): boolean {
  return isRecord(value) && value['role'] === 'system' && typeof value['content'] === 'string';
}

function invalidHookResultError(message: string): CuelineError {
  return new CuelineError('script_error', message);
}
