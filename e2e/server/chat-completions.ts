import type { Delta } from './model.ts';
import { created, isRecord, records, requestOf, sse, textOf, type Wire } from './wire.ts';

/** `POST /v1/chat/completions`. */
export const chatCompletions: Wire = {
  parse(body) {
    const request = requestOf(body);
    const messages = records(request, 'messages');
    const asked = messages.findLastIndex((message) => message.role === 'user');
    return {
      model: request.model,
      tools: records(request, 'tools').flatMap(({ function: tool }) =>
        isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : [],
      ),
      question: textOf(messages[asked]?.content),
      toolResults: messages
        .slice(asked + 1)
        .filter((message) => message.role === 'tool')
        .map((message) => textOf(message.content)),
      usage: isRecord(request.stream_options) && request.stream_options.include_usage === true,
    };
  },

  open(call, number) {
    const head = { id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created, model: call.model };
    const choice = (delta: object, finish_reason: string | null = null): string =>
      sse({ ...head, choices: [{ index: 0, delta, finish_reason }] });
    const indexes = new Map<string, number>();
    const toolCall = (id: string, rest: object): string =>
      choice({ tool_calls: [{ index: indexes.get(id), ...rest }] });

    return {
      start: () => choice({ role: 'assistant', content: '' }),
      delta(delta: Delta) {
        switch (delta.type) {
          case 'text':
            return choice({ content: delta.text });
          case 'tool-start':
            indexes.set(delta.id, indexes.size);
            return toolCall(delta.id, {
              id: delta.id,
              type: 'function',
              function: { name: delta.name, arguments: '' },
            });
          case 'tool-input':
            return toolCall(delta.id, { function: { arguments: delta.text } });
          case 'tool-end':
            return '';
        }
      },
      end({ input, output }) {
        const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
        return (
          choice({}, indexes.size > 0 ? 'tool_calls' : 'stop') +
          (call.usage ? sse({ ...head, choices: [], usage }) : '') +
          sse('[DONE]')
        );
      },
      fail: (message) => sse({ error: { message, type: 'server_error', param: null, code: null } }),
    };
  },
};
