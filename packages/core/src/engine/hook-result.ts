import { CuelineError } from '../base/errors.ts';
import type { HookResult } from '../prompt/hook.ts';
import { suggestion } from '../base/check-names.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { isMessage } from '../messages/check-messages.ts';

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

/** For each field, its check and how to write it. */
const forms: Readonly<
  Record<string, { fits: (value: unknown) => boolean; write: (value: unknown) => string }>
> = {
  activeTools: {
    fits: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
    write: (value) => `[${typeof value === 'string' ? quoteValue(value) : "'search'"}]`,
  },
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
  for (const [name, value] of Object.entries(fields)) {
    if (!known.includes(name)) {
      warn(`A hook returned ${name}, which hooks cannot change. ${suggestion(name, known)}`);
      continue;
    }
    const form = forms[name];
    if (form === undefined || form.fits(value)) continue;
    throw invalidHookResultError(
      `A hook returned ${name}: ${quoteValue(value)}. Write ${name}: ${form.write(value)}.`,
    );
  }
  const { messages = [] } = fields as { messages?: unknown[] };
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong >= 0) {
    throw invalidHookResultError(
      `A hook returned messages[${wrong}] without a role and content that fits the role. Write { role: 'user', content: '…' }.`,
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
