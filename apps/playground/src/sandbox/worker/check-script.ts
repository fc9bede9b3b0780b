import { dryRun, type PromptDefinition } from '@cueline/core';
import * as z from 'zod';
import type { InputReport, ScriptReport, ToHost, ToWorker } from '../protocol.ts';

type Definition = PromptDefinition<unknown>;
type CheckOptions = {
  dryRun: Extract<ToWorker, { type: 'check' }>['dryRun'];
  send: (message: ToHost) => void;
};

/** Sends what a loaded script says about itself and, if asked, its first request. Throws what the script throws. */
export async function checkScript(
  watched: Definition,
  own: Definition,
  { dryRun: wanted, send }: CheckOptions,
): Promise<void> {
  send({ type: 'report', report: await describeScript(own) });
  if (wanted === undefined) return;
  const { request, warnings } = await dryRun(watched, { input: wanted.input });
  send({ type: 'dry-run', request, warnings });
}

/** The name of a prompt, and what it takes as input. */
export async function describeScript(definition: Definition): Promise<ScriptReport> {
  return { name: definition.name, input: await inputOf(definition) };
}

async function inputOf({ input, policySetup, run }: Definition): Promise<InputReport> {
  if (policySetup !== undefined) {
    // an agent takes a text, and a session takes nothing
    return input === undefined ? { kind: 'none' } : { kind: 'schema', schema: { type: 'string' } };
  }
  if (input === undefined) return { kind: run.length < 2 ? 'none' : 'no-schema' };
  const schema = await jsonSchemaOf(input).catch(() => undefined);
  return typeof schema === 'object' && schema !== null
    ? { kind: 'schema', schema: schema as Record<string, unknown> }
    : { kind: 'any' };
}

type Candidate = {
  _zod?: unknown;
  '~standard'?: { jsonSchema?: { input?: (options: { target: string }) => unknown } };
  jsonSchema?: unknown;
};

/** The JSON Schema of what may be passed, before defaults and transforms. Undefined if the schema cannot give one. */
async function jsonSchemaOf(schema: NonNullable<Definition['input']>): Promise<unknown> {
  const candidate = schema as Candidate;
  if (candidate._zod !== undefined) {
    return z.toJSONSchema(schema as z.core.$ZodType, { io: 'input', unrepresentable: 'any' });
  }
  const standard = candidate['~standard'];
  if (standard !== undefined) return standard.jsonSchema?.input?.({ target: 'draft-2020-12' });
  if (typeof schema === 'function') return undefined;
  // `jsonSchema()` of the AI SDK, or plain JSON Schema
  return 'jsonSchema' in candidate ? await candidate.jsonSchema : schema;
}
