import type { ServerResponse } from 'node:http';
import { stream } from './send-request.ts';

/** An answer of OpenAI's Responses, one piece after another. */
export type Talk = {
  say(text: string): void;
  /** Ends with what it cost. */
  end(): void;
};

/** Begins to answer, as a model that says something. */
export function talk(response: ServerResponse): Talk {
  const write = stream(response);
  const item = { type: 'message', id: 'msg_1', phase: null };
  write({ type: 'response.created', response: { id: 'r1', created_at: 1, model: 'gpt-x' } });
  write({ type: 'response.output_item.added', output_index: 0, item });
  return {
    say: (delta) => void write({ type: 'response.output_text.delta', item_id: item.id, delta }),
    end() {
      write({ type: 'response.output_item.done', output_index: 0, item });
      complete(write);
      response.end();
    },
  };
}

/** Answers with the call of a tool. */
export function callTool(response: ServerResponse, name: string, input: unknown): void {
  const write = stream(response);
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, status: 'completed' };
  write({ type: 'response.created', response: { id: 'r1', created_at: 1, model: 'gpt-x' } });
  write({
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...item, arguments: '', status: 'in_progress' },
  });
  const text = JSON.stringify(input);
  write({
    type: 'response.function_call_arguments.delta',
    item_id: item.id,
    output_index: 0,
    delta: text,
  });
  write({ type: 'response.output_item.done', output_index: 0, item: { ...item, arguments: text } });
  complete(write);
  response.end();
}

function complete(write: (data: unknown) => boolean): void {
  write({ type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 4 } } });
}
