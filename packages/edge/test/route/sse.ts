/** The content of an event stream: comments, and raw events. */
export async function* createEventSource(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ comment: true } | { id: string | undefined; data: unknown }, void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      if (block.startsWith(':')) {
        yield { comment: true };
        continue;
      }
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
      yield { id: /^id: (.*)$/m.exec(block)?.[1], data: data === '[DONE]' ? data : JSON.parse(data) };
    }
  }
}
