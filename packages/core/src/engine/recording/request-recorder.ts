import type { ModelMessage } from 'ai';
import { isSameJson } from '../../json/is-same-json.ts';
import type { CompiledRequest, InstructionPart, RequestChange, RequestTool } from '../../log/events.ts';
import { toJson } from '../../messages/to-json.ts';

/** What the AI SDK reports about a step just before it calls the model. */
export type StepStart = {
  provider: string;
  modelId: string;
  instructions?: unknown;
  messages: readonly ModelMessage[];
  toolChoice?: unknown;
  stepTools?: readonly unknown[] | undefined;
};

/**
 * Records each step's request as the change since the step before, so that a log grows with what is new in it.
 * `locate` returns what each definition makes of a system prompt; `earlier` is the last request in the log, if another
 * process sent it.
 */
export function createRequestRecorder(
  secrets: readonly string[],
  locate: (instructions: string) => InstructionPart[],
  earlier?: CompiledRequest,
): (step: StepStart, settings: Record<string, unknown>) => RequestChange {
  let messagesBefore: readonly ModelMessage[] = [];
  const before = new Map<string, string>();
  let toolsBefore: readonly StepTool[] | undefined;
  let earlierMessages = earlier?.messages ?? [];
  for (const key of ['model', 'instructions', 'tools', 'settings'] as const) {
    if (earlier !== undefined) before.set(key, JSON.stringify(earlier[key]));
  }

  function isLogged(message: ModelMessage | undefined, logged: ModelMessage): boolean {
    if (message === undefined) return false;
    if (isSameJson(message, logged)) return true;
    return JSON.stringify(toJson(withoutLargeFiles(message), secrets)) === JSON.stringify(logged);
  }

  function changed<Key extends keyof CompiledRequest>(key: Key, value: CompiledRequest[Key]): object {
    const text = JSON.stringify(value);
    if (before.get(key) === text) return {};
    before.set(key, text);
    return { [key]: value };
  }

  function changedTools(tools: readonly StepTool[]): object {
    if (toolsBefore !== undefined && isSameList(tools, toolsBefore)) return {};
    toolsBefore = tools;
    return changed('tools', tools.map(requestTool));
  }

  function changedInstructions(text: string): object {
    const change = changed('instructions', text);
    const parts = 'instructions' in change ? locate(text) : [];
    return parts.length === 0 ? change : { ...change, instructionParts: parts };
  }

  return (step, settings) => {
    // messages are never changed in place, so the same object is the same message
    let keep = 0;
    while (keep < messagesBefore.length && messagesBefore[keep] === step.messages[keep]) keep++;
    if (keep === 0) {
      // the messages that another process logged are other objects, so their content is compared
      while (keep < earlierMessages.length && isLogged(step.messages[keep], earlierMessages[keep]!)) keep++;
    }
    const added = toJson(step.messages.slice(keep).map(withoutLargeFiles), secrets) as ModelMessage[];
    messagesBefore = step.messages.slice();
    earlierMessages = [];
    return {
      keep,
      messages: added,
      ...changed('model', `${step.provider}:${step.modelId}`),
      ...changedInstructions(instructionText(step.instructions)),
      ...changedTools((step.stepTools ?? []) as readonly StepTool[]),
      ...changed('settings', toJson({ ...settings, toolChoice: step.toolChoice }) as Record<string, unknown>),
    };
  };
}

/** Longer files are left out of the log, in characters of base64, because logs are stored and links are sent. */
const MAX_FILE = 350_000;

function withoutLargeFiles(message: ModelMessage): ModelMessage {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map(withoutLargeFile) } as ModelMessage;
}

function withoutLargeFile(part: { type: string; data?: unknown; output?: unknown }): unknown {
  const { output } = part as { output?: { type: string; value: unknown } };
  if (part.type === 'tool-result' && output?.type === 'content' && Array.isArray(output.value)) {
    return { ...part, output: { ...output, value: output.value.map(withoutLargeFile) } };
  }
  const { data } = (part.data ?? {}) as { data?: unknown };
  if (part.type !== 'file' || typeof data !== 'string' || data.length <= MAX_FILE) return part;
  return {
    type: 'text',
    text: `[A file of ${Math.round((data.length * 3) / 4)} bytes, left out of the log]`,
  };
}

function instructionText(instructions: unknown): string {
  if (instructions === undefined || instructions === null) return '';
  if (typeof instructions === 'string') return instructions;
  const messages = (Array.isArray(instructions) ? instructions : [instructions]) as { content: string }[];
  return messages.map((message) => message.content).join('\n\n');
}

/** A tool as the AI SDK gives it to the model. It creates the object for each step, but keeps the schema. */
type StepTool = { name: string; description?: string; inputSchema?: unknown };

function isSameList(tools: readonly StepTool[], others: readonly StepTool[]): boolean {
  return (
    tools.length === others.length &&
    tools.every(({ name, description, inputSchema }, index) => {
      const other = others[index]!;
      return name === other.name && description === other.description && inputSchema === other.inputSchema;
    })
  );
}

function requestTool({ name, description, inputSchema }: StepTool): RequestTool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    // a provider's own tool has no schema here
    inputSchema: toJson(inputSchema ?? {}),
  };
}
