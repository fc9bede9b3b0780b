import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CompareVersions } from '../../src/prompts/compare-versions.tsx';
import { emptyPrompt } from '../../src/prompts/editable-prompt.ts';
import { ExpandedTexts } from '../../src/prompts/expanded-texts.tsx';
import { usePrompts } from '../../src/prompts/store.ts';

/** A text of a stranger's prompt that looks shorter than it is, and in another order. */
const text = 'de\u200blete\u202e';

test('the preview and the comparison of a prompt show its hidden characters', () => {
  const prompt = { ...emptyPrompt('one'), systemPrompt: text, userPrompt: text };
  const entries = [prompt, emptyPrompt('two')].map((each) => ({ key: each.id, prompt: each }));
  usePrompts.setState({ entries, selected: 'one' });
  for (const drawn of [
    createElement(ExpandedTexts, { expansion: { system: text, user: text } }),
    createElement(ExpandedTexts, { expansion: { problems: new Map([[text, text]]) } }),
    createElement(CompareVersions, { prompt, values: {} }),
  ]) {
    const html = renderToStaticMarkup(drawn);
    expect(html).toContain(String.raw`\u200b`);
    expect(html).toContain(String.raw`\u202e`);
    expect(html).not.toMatch(/[\u200b\u202e]/);
  }
});
