import type { ModelStreamPart } from '@cueline/react-example/demo';

/**
 * A model's answer as the events of OpenAI's Responses API. `onEnd` is called once, with whether the whole answer was
 * read.
 */
export async function* writeEvents(
  parts: AsyncIterable<ModelStreamPart>,
  onEnd: (isWhole: boolean) => void,
): AsyncGenerator<string, void> {
  let isWhole = false;
  let index = -1;
  const id = crypto.randomUUID();
  let number = 0;
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...fields })}\n\n`;
  const response = {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    model: 'simulated',
  };
  try {
    yield event('response.created', { response: { ...response, status: 'in_progress', output: [] } });
    for await (const part of parts) {
      switch (part.type) {
        case 'text-start':
          index += 1;
          yield event('response.output_item.added', {
            output_index: index,
            item: message(`msg_${id}_${index}`, 'in_progress'),
          });
          break;
        case 'text-delta':
          yield event('response.output_text.delta', {
            item_id: `msg_${id}_${index}`,
            output_index: index,
            content_index: 0,
            delta: part.delta,
          });
          break;
        case 'text-end':
          yield event('response.output_item.done', {
            output_index: index,
            item: message(`msg_${id}_${index}`, 'completed'),
          });
          break;
        case 'tool-input-start':
          index += 1;
          yield event('response.output_item.added', {
            output_index: index,
            item: functionCall(part.id, part.toolName, ''),
          });
          break;
        case 'tool-input-delta':
          yield event('response.function_call_arguments.delta', {
            item_id: `fc_${part.id}`,
            output_index: index,
            delta: part.delta,
          });
          break;
        case 'tool-call':
          yield event('response.output_item.done', {
            output_index: index,
            item: functionCall(part.toolCallId, part.toolName, part.input),
          });
          break;
        case 'error':
          isWhole = true;
          yield event('error', { code: 'server_error', message: messageOf(part.error), param: null });
          return;
        case 'finish': {
          const input = part.usage.inputTokens.total ?? 0;
          const output = part.usage.outputTokens.total ?? 0;
          const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
          isWhole = true;
          yield event('response.completed', { response: { ...response, status: 'completed', usage } });
          break;
        }
        default: // this model produces nothing else that Responses can express
      }
    }
  } finally {
    onEnd(isWhole);
  }
}

function message(id: string, status: string): object {
  return { id, type: 'message', role: 'assistant', status, content: [] };
}

function functionCall(id: string, name: string, input: string): object {
  const status = input === '' ? 'in_progress' : 'completed';
  return { id: `fc_${id}`, type: 'function_call', call_id: id, name, arguments: input, status };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The server had an error.';
}
