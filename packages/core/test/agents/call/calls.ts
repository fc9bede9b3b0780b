import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { CuelineError, tool } from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import * as z from 'zod';
import { call, json } from '../../support.ts';

/** Messages as lines that are read at a glance. */
export function lines(messages: readonly ModelMessage[] | LanguageModelV4CallOptions['prompt']): string[] {
  return (json(messages) as { role: string; content: string | Part[] }[]).map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : content.map(shown).join(' ')}`,
  );
}

type Part = { type: string; text?: string; toolName?: string; input?: unknown; output?: { value?: unknown } };

function shown({ type, text, toolName, input, output }: Part): string {
  if (text !== undefined) return text;
  if (type === 'tool-call') return `${toolName}(${JSON.stringify(input)})`;
  if (type === 'tool-result') return `= ${JSON.stringify(output?.value)}`;
  return type;
}

/** What a call rejects with; it must be a CuelineError. */
export async function faultOf(call: Promise<unknown>): Promise<CuelineError> {
  try {
    await call;
  } catch (error) {
    if (CuelineError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('did not reject');
}

export const look = tool('look', 'Look at something', z.object({ at: z.string() }), ({ at }) => `seen ${at}`);

/** A turn that looks at this. */
export const looks = (at: string, id?: string): ScriptedTurn => [call('look', { at }, id)];

/** What an agent needs at least. */
export const talks = { name: 'it', instructions: 'Talk.' };
