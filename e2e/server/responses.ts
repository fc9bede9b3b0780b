import type { Delta } from './model.ts';
import { created, records, requestOf, sse, textOf, type Wire } from './wire.ts';

/** `POST /v1/responses`. */
export const responses: Wire = {
  parse(body) {
    const request = requestOf(body);
    const items = typeof request.input === 'string' ? [] : records(request, 'input');
    const asked = items.findLastIndex((item) => item.role === 'user');
    return {
      model: request.model,
      tools: records(request, 'tools').flatMap(({ name }) => (typeof name === 'string' ? [name] : [])),
      question: typeof request.input === 'string' ? request.input : textOf(items[asked]?.content),
      toolResults: items
        .slice(asked + 1)
        .filter((item) => item.type === 'function_call_output')
        .map((item) => textOf(item.output)),
      usage: true,
    };
  },

  open(call, number) {
    let sequence = 0;
    const send = (type: string, fields: object): string =>
      sse({ type, sequence_number: sequence++, ...fields }, type);
    const head = { id: `resp_${number}`, object: 'response', created_at: created, model: call.model };
    const output: object[] = [];
    let message: { id: string; text: string } | undefined;

    function closeMessage(): string {
      if (message === undefined) return '';
      const { id, text } = message;
      message = undefined;
      const at = { item_id: id, output_index: output.length, content_index: 0 };
      const part = { type: 'output_text', text, annotations: [] };
      const item = { id, type: 'message', role: 'assistant', status: 'completed', content: [part] };
      output.push(item);
      return (
        send('response.output_text.done', { ...at, text }) +
        send('response.content_part.done', { ...at, part }) +
        send('response.output_item.done', { output_index: at.output_index, item })
      );
    }

    function openMessage(): string {
      if (message !== undefined) return '';
      message = { id: `msg_${number}_${output.length}`, text: '' };
      const item = { id: message.id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
      const part = { type: 'output_text', text: '', annotations: [] };
      const at = { output_index: output.length };
      return (
        send('response.output_item.added', { ...at, item }) +
        send('response.content_part.added', { ...at, item_id: item.id, content_index: 0, part })
      );
    }

    return {
      start: () =>
        send('response.created', { response: { ...head, status: 'in_progress', output: [] } }) +
        send('response.in_progress', { response: { ...head, status: 'in_progress', output: [] } }),
      delta(delta: Delta) {
        const at = { output_index: output.length };
        switch (delta.type) {
          case 'text': {
            const opening = openMessage();
            if (message !== undefined) message.text += delta.text;
            const place = { ...at, item_id: message?.id, content_index: 0 };
            return opening + send('response.output_text.delta', { ...place, delta: delta.text });
          }
          case 'tool-start': {
            const closing = closeMessage();
            const item = toolItem(delta, 'in_progress', '');
            return closing + send('response.output_item.added', { output_index: output.length, item });
          }
          case 'tool-input':
            return send('response.function_call_arguments.delta', {
              ...at,
              item_id: `fc_${delta.id}`,
              delta: delta.text,
            });
          case 'tool-end': {
            const item = toolItem(delta, 'completed', delta.input);
            output.push(item);
            return (
              send('response.function_call_arguments.done', {
                ...at,
                item_id: item.id,
                arguments: delta.input,
              }) + send('response.output_item.done', { ...at, item })
            );
          }
        }
      },
      end({ input, output: written }) {
        const closing = closeMessage();
        const usage = {
          input_tokens: input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: written,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input + written,
        };
        return (
          closing + send('response.completed', { response: { ...head, status: 'completed', output, usage } })
        );
      },
      fail: (text) => send('error', { code: 'server_error', message: text, param: null }),
    };
  },
};

function toolItem(call: { id: string; name: string }, status: string, input: string) {
  return {
    id: `fc_${call.id}`,
    type: 'function_call',
    call_id: call.id,
    name: call.name,
    arguments: input,
    status,
  };
}
