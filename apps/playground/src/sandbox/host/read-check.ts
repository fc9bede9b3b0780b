import type { CompiledRequest, InputIssue, InstructionPart, RunEvent } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { createEventCounter, isRunEvent } from '@cueline/core/link';
import * as z from 'zod';
import type { InputReport, ScriptReport } from '../protocol.ts';

/** The first request of a script, and the warnings of making it. */
export type Preview = { readonly request: CompiledRequest; readonly warnings: readonly string[] };

const MAX_NAME_LENGTH = 200;
const MAX_WARNINGS = 50;
const MAX_WARNING_LENGTH = 1_000;
const MAX_ISSUES = 20;

/** A larger schema would make the form too long, so its input is edited as JSON. */
const schemaLimits = { eventLength: 200_000, values: 5_000, depth: 40 };

const report = z.object({
  name: z.string(),
  input: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('no-schema') }),
    z.object({ kind: z.literal('any') }),
    z.object({ kind: z.literal('schema'), schema: z.record(z.string(), z.unknown()) }),
  ]),
});

/** What a script says about itself, or undefined for anything else. */
export function readReport(value: unknown): ScriptReport | undefined {
  if (isTooLarge({ type: 'custom', report: value })) return undefined;
  const parsed = report.safeParse(value);
  if (!parsed.success) return undefined;
  const { name, input } = parsed.data;
  return { name: name.slice(0, MAX_NAME_LENGTH), input: boundInput(input) };
}

function boundInput(input: InputReport): InputReport {
  if (input.kind !== 'schema') return input;
  const excess = createEventCounter(schemaLimits)({ type: 'custom', schema: input.schema });
  return excess === undefined ? input : { kind: 'any' };
}

const request = z.object({
  model: z.string(),
  instructions: z.string(),
  messages: z.array(z.unknown()),
  tools: z.array(z.unknown()),
  settings: z.record(z.string(), z.unknown()),
});

/** A script's request, or undefined for one that cannot be shown. */
export function readPreview(value: unknown, warnings: unknown): Preview | undefined {
  if (isTooLarge({ type: 'step-start', request: value })) return undefined;
  if (!request.safeParse(value).success) return undefined;
  const given = value as CompiledRequest;
  // a step's request in a log is checked in the same way
  const event = { seq: 0, t: 0, type: 'step-start', step: 0, request: { keep: 0, ...given } };
  if (!isRunEvent(event)) return undefined;
  const { instructionParts, keep: _, ...rest } = (event as Extract<RunEvent, { type: 'step-start' }>).request;
  const checked = {
    ...(rest as CompiledRequest),
    instructionParts: boundParts(instructionParts ?? [], given.instructions.length),
  };
  if (!canBeCounted(checked)) return undefined;
  const list = Array.isArray(warnings) ? warnings : [];
  return {
    request: checked,
    warnings: list
      .filter((warning) => typeof warning === 'string')
      .slice(0, MAX_WARNINGS)
      .map((warning) => warning.slice(0, MAX_WARNING_LENGTH)),
  };
}

/** Measured before each check, because a check of a value of any size could block the page. */
function isTooLarge(event: object): boolean {
  return createEventCounter()(event) !== undefined;
}

/** Keeps the parts that are inside the text, in order and without overlaps. */
function boundParts(parts: readonly InstructionPart[], length: number): InstructionPart[] {
  let position = 0;
  return parts.filter(({ start, end }) => {
    const fits = start >= position && end >= start && end <= length;
    if (fits) position = end;
    return fits;
  });
}

/** False if a part of a message does not match its type. */
function canBeCounted(checked: CompiledRequest): boolean {
  try {
    return Number.isFinite(estimateTokens(checked).total);
  } catch {
    return false;
  }
}

const issues = z.array(z.object({ path: z.string().max(1_000), message: z.string().max(1_000) }));

/** The issues of an `invalid_input` error, from its details. */
export function readIssues(details: Readonly<Record<string, unknown>> | undefined): readonly InputIssue[] {
  const parsed = issues.safeParse(details?.['issues']);
  return parsed.success ? parsed.data.slice(0, MAX_ISSUES) : [];
}
