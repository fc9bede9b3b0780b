import type { ModelCall } from '@cueline/react-example/demo';
import * as z from 'zod';

/** Text, or parts of which only those with text count. */
const content = z.union([
  z.string(),
  z.array(z.object({ text: z.string() })).transform((parts) => parts.map(({ text }) => text).join('\n')),
]);

const item = z.union([
  z.object({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal('function_call_output'), call_id: z.string(), output: content }),
  z.object({
    type: z.literal('message').optional(),
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content,
  }),
]);

const body = z.object({ stream: z.literal(true), input: z.array(item) });

/** The body of `POST /responses` as a call of an AI SDK model; undefined if it is not understood. */
export function readCall(text: string): ModelCall | undefined {
  const parsed = body.safeParse(parseJson(text));
  return parsed.success ? { prompt: parsed.data.input.map(toMessage) } : undefined;
}

type Message = ModelCall['prompt'][number];

/** Each item becomes a message of its own: the boundaries make no difference to the reader. */
function toMessage(given: z.infer<typeof item>, _index: number, all: z.infer<typeof item>[]): Message {
  if ('role' in given) {
    const { role, content: text } = given;
    if (role === 'system' || role === 'developer') return { role: 'system', content: text };
    return { role, content: [{ type: 'text', text }] };
  }
  const { call_id: toolCallId } = given;
  if (given.type === 'function_call') {
    const { name: toolName, arguments: input } = given;
    return { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] };
  }
  const call = all.find((one) => 'name' in one && one.call_id === toolCallId);
  const toolName = call !== undefined && 'name' in call ? call.name : '';
  const output = { type: 'text' as const, value: outputOf(given.output) };
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
}

/** A failed tool's output is `{"error":"…"}`; any other output is unchanged. */
function outputOf(text: string): string {
  const failed = z.strictObject({ error: z.string() }).safeParse(parseJson(text));
  return failed.success ? failed.data.error : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
