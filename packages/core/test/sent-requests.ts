import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';

/** What a model was sent in one call, as it is read at a glance. */
export type Sent = {
  /** The system messages, with a blank line between them; missing where there are none. */
  system?: string;
  /** A line per part: `user: …`, `assistant: …`, `assistant calls add {"a":1}`, `add answers 3`, `add fails: …`. */
  messages: string[];
  /** Names of the tools, in the order in which the model got them. */
  tools: string[];
};

/** What a scripted model was sent, call by call. */
export function sent(model: { readonly calls: readonly LanguageModelV4CallOptions[] }): Sent[] {
  return model.calls.map(sentIn);
}

/**
 * What was sent, call by call, as one text. From the second call on it leaves out what has not changed since the call
 * before: the system prompt, the tools, and the messages at the beginning.
 */
export function transcript(calls: readonly Sent[]): string {
  let before: Sent = { messages: [], tools: [] };
  const blocks = calls.map((call, index) => {
    const changed = call.messages.findIndex((message, at) => message !== before.messages[at]);
    const kept = changed === -1 ? call.messages.length : changed;
    const lines = [
      `--- call ${index + 1}`,
      ...(call.system === before.system ? [] : [`system: ${call.system ?? 'none'}`]),
      ...(String(call.tools) === String(before.tools) ? [] : [`tools: ${call.tools.join(', ') || 'none'}`]),
      ...(kept === 0 ? [] : [kept === 1 ? '1 message as before' : `${kept} messages as before`]),
      ...call.messages.slice(kept),
    ];
    before = call;
    return lines.join('\n');
  });
  return blocks.join('\n');
}

/** What a model was sent in this call. */
function sentIn({ prompt, tools = [] }: LanguageModelV4CallOptions): Sent {
  const system = prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []));
  return {
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    messages: prompt.flatMap((message) => {
      if (message.role === 'system') return [];
      return message.content.map((part) => partLine(message.role, part));
    }),
    tools: tools.map(({ name }) => name),
  };
}

type Part = Exclude<LanguageModelV4CallOptions['prompt'][number]['content'], string>[number];

function partLine(role: string, part: Part): string {
  switch (part.type) {
    case 'text':
      return `${role}: ${part.text}`;
    case 'tool-call':
      return `${role} calls ${part.toolName} ${JSON.stringify(part.input)}`;
    case 'tool-result': {
      const { output, toolName } = part;
      if (output.type === 'error-text') return `${toolName} fails: ${output.value}`;
      if (output.type === 'text') return `${toolName} answers ${output.value}`;
      return `${toolName} answers ${'value' in output ? JSON.stringify(output.value) : output.type}`;
    }
    default:
      return `${role} ${part.type} ${JSON.stringify(part)}`;
  }
}
