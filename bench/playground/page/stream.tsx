import { useState } from 'react';

/** Reads an answer of the model's server and shows it: the least between a click and the first word. */
export default function StreamPage() {
  const [text, setText] = useState('');
  const run = async (): Promise<void> => {
    const response = await fetch('/v1/chat/completions', { method: 'POST', body: '{}' });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let whole = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue;
        const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
        whole += choices[0]?.delta.content ?? '';
      }
      setText(whole);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void run()}>
        Run
      </button>
      <p aria-label="Answer">{text}</p>
    </>
  );
}
