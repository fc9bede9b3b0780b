import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { CuelineError } from '@cueline/core';
import { createEventCounter } from '@cueline/core/link';
import * as z from 'zod';

/** Kept only if the host has issued them; see {@link checkCall}. */
const providerOptions = z.record(z.string(), z.record(z.string(), z.unknown())).optional();

const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64');

// No `url`, which the provider would fetch, and no `reference`, which would name a file in the user's account.
const fileData = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('data'), data: base64 }),
  z.strictObject({ type: z.literal('text'), text: z.string() }),
]);

const text = z.strictObject({ type: z.literal('text'), text: z.string(), providerOptions });
const reasoning = z.strictObject({ type: z.literal('reasoning'), text: z.string(), providerOptions });
const file = z.strictObject({
  type: z.literal('file'),
  data: fileData,
  mediaType: z.string(),
  filename: z.string().optional(),
  providerOptions,
});
const reasoningFile = z.strictObject({
  type: z.literal('reasoning-file'),
  data: fileData,
  mediaType: z.string(),
  providerOptions,
});
const toolCall = z.strictObject({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  providerExecuted: z.literal(false).optional(),
  providerOptions,
});

const toolOutput = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(['text', 'error-text']), value: z.string(), providerOptions }),
  z.strictObject({ type: z.literal(['json', 'error-json']), value: z.unknown(), providerOptions }),
  z.strictObject({ type: z.literal('execution-denied'), reason: z.string().optional(), providerOptions }),
  z.strictObject({
    type: z.literal('content'),
    value: z.array(z.discriminatedUnion('type', [text, file])),
  }),
]);
const toolResult = z.strictObject({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  toolName: z.string(),
  output: toolOutput,
  providerOptions,
});

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string(), providerOptions }),
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.discriminatedUnion('type', [text, file])),
    providerOptions,
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(
      z.discriminatedUnion('type', [text, file, reasoning, reasoningFile, toolCall, toolResult]),
    ),
    providerOptions,
  }),
  z.strictObject({ role: z.literal('tool'), content: z.array(toolResult), providerOptions }),
]);

const tool = z.strictObject({
  // Not `provider`: those run on the provider's side, with the user's account and network.
  type: z.literal('function'),
  name: z.string().max(128),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  inputExamples: z.array(z.strictObject({ input: z.record(z.string(), z.unknown()) })).optional(),
  strict: z.boolean().optional(),
  providerOptions,
});

const toolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(['auto', 'none', 'required']) }),
  z.strictObject({ type: z.literal('tool'), toolName: z.string() }),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({
    type: z.literal('json'),
    schema: z.record(z.string(), z.unknown()).optional(),
    name: z.string().optional(),
    description: z.string().optional(),
  }),
]);

const number = z.number().optional();

const callOptions = z.strictObject({
  prompt: z.array(message),
  maxOutputTokens: number,
  temperature: number,
  topP: number,
  topK: number,
  presencePenalty: number,
  frequencyPenalty: number,
  seed: number,
  stopSequences: z.array(z.string()).max(64).optional(),
  responseFormat: responseFormat.optional(),
  tools: z.array(tool).max(128).optional(),
  toolChoice: toolChoice.optional(),
  reasoning: z
    .enum(['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .optional(),
  providerOptions,
});

/** A conversation may be longer than one event. */
const optionLimits = { values: 300_000 };

/** A permitted call, and the parts of it that were dropped. */
export type CheckedCall = { options: LanguageModelV4CallOptions; dropped: string[] };

/**
 * Returns the options of a model call that a script may set: known fields only, no headers, no tools on the provider's
 * side, no files by address. Provider options could reach anything in the user's account, so they are dropped, with two
 * exceptions. One is metadata that `isIssued` recognizes as the provider's own from earlier in this conversation: the
 * provider needs it to continue (signatures of reasoning, ids of items). The other is the request for token
 * probabilities, which classifiers need. Throws `sandbox_refused`.
 */
export function checkCall(
  value: unknown,
  isIssued: (provider: string, options: unknown) => boolean,
): CheckedCall {
  // measured first, because a check of options of any size could block the page
  const excess = createEventCounter(optionLimits)({ type: 'custom', options: value });
  if (excess !== undefined) {
    throw new CuelineError(
      'sandbox_refused',
      `The model call was refused: it has ${excess.replace('an event', 'options')}. Send less at once.`,
    );
  }
  const parsed = callOptions.safeParse(value);
  if (!parsed.success) {
    const issue = deepest(parsed.error.issues[0]);
    throw new CuelineError(
      'sandbox_refused',
      `The model call was refused: ${issue.path.join('.') || 'the options'}: ${issue.message}. ` +
        'The playground sends messages, settings and function tools; files only as data.',
      { details: { path: issue.path.map(String) } },
    );
  }
  const dropped = new Set<string>();
  const options = filterProviderOptions(parsed.data, isIssued, dropped);
  return { options: options as unknown as LanguageModelV4CallOptions, dropped: [...dropped] };
}

type Issue = { path: PropertyKey[]; message: string };

/** The innermost reason: for a union that does not match, zod lists the reasons of each branch. */
function deepest(issue: z.core.$ZodIssue | undefined): Issue {
  if (issue === undefined) return { path: [], message: 'not understood' };
  return { path: [...issue.path], message: issue.message };
}

type Node = Record<string, unknown>;

function filterProviderOptions(
  call: z.infer<typeof callOptions>,
  isIssued: (provider: string, options: unknown) => boolean,
  dropped: Set<string>,
): Node {
  const filter = (node: Node, keeps: (provider: string, options: unknown) => boolean): Node => {
    const { providerOptions: given, ...rest } = node;
    const kept = Object.entries((given ?? {}) as Node).filter(([provider, options]) => {
      if (keeps(provider, options)) return true;
      dropped.add(provider);
      return false;
    });
    return kept.length === 0 ? rest : { ...rest, providerOptions: Object.fromEntries(kept) };
  };
  // Metadata belongs to parts of an answer, and may come back only with them.
  const drop = (node: Node): Node => filter(node, () => false);
  const part = (node: Node): Node => {
    const filtered = filter(node, isIssued);
    return filtered['type'] === 'tool-result'
      ? { ...filtered, output: toolOutputWithout(filtered['output'] as Node, drop) }
      : filtered;
  };
  return {
    ...filter(call, isLogprobsOption),
    prompt: call.prompt.map((entry) =>
      typeof entry.content === 'string' ? drop(entry) : { ...drop(entry), content: entry.content.map(part) },
    ),
    ...(call.tools === undefined ? {} : { tools: call.tools.map(drop) }),
  };
}

const logprobs = z.strictObject({ logprobs: z.number().int().min(0).max(20) });

function isLogprobsOption(provider: string, options: unknown): boolean {
  return provider === 'openai' && logprobs.safeParse(options).success;
}

function toolOutputWithout(output: Node, drop: (node: Node) => Node): Node {
  return output['type'] === 'content'
    ? { ...output, value: (output['value'] as Node[]).map(drop) }
    : drop(output);
}
