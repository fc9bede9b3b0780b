import { definePrompt, type PromptDefinition } from '@cueline/core';
import { pageSchema, readPage } from '../core/read-page-tool.ts';
import { turnsModel } from '../core/turns-model.ts';

/** A run of so many steps with one tool call each, and an answer. The model and the tool answer at once. */
export function readPages(pages: number): PromptDefinition<void> {
  return definePrompt(
    `read${pages}Pages`,
    (prompt) => {
      prompt.$`Read ${pages} pages.`;
      prompt.defTool('read', 'Reads a page', pageSchema, readPage, { effect: 'write' });
    },
    { model: modelOf(pages) },
  );
}

/** A run whose first tool call waits for an approval. */
export const askFirst: PromptDefinition<void> = definePrompt(
  'askFirst',
  (prompt) => {
    prompt.$`Read a page.`;
    prompt.defTool('read', 'Reads a page', pageSchema, readPage, { effect: 'write', needsApproval: true });
  },
  { model: modelOf(1) },
);

/** The answers in a request decide the next one, because any process may send it. */
function modelOf(pages: number): ReturnType<typeof turnsModel> {
  return turnsModel(
    (_step, { prompt }) => {
      const page = prompt.filter(({ role }) => role === 'assistant').length;
      return page < pages ? { name: 'read', input: { page } } : 'Done.';
    },
    () => {},
  );
}
