import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'plot', input: { series: 'sales' } } }],
  'Sales went up in spring.',
]);

await (
  await runPrompt(
    (prompt) => {
      // #region tool
      prompt.defTool('plot', 'Draws a series', z.object({ series: z.string() }), ({ series }) => [
        { type: 'text', text: `${series} by month` },
        { type: 'image', data: draw(series), mediaType: 'image/png' },
      ]);
      // #endregion
      prompt.$`How did sales go?`;
    },
    { model },
  )
).run.finished;

const [result] = model.calls[1]?.prompt.at(-1)?.content ?? [];
if (typeof result === 'object' && result.type === 'tool-result' && result.output.type === 'content') {
  for (const part of result.output.value) console.log(part.type, 'mediaType' in part ? part.mediaType : '');
}

/** Stands for a drawing: the first bytes of a PNG. */
function draw(_series: string): Uint8Array {
  return new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
}
// prints: text
// prints: file image/png
