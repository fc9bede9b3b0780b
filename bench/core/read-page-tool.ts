import { jsonSchema, tool, type Tool } from 'ai';

/** The arguments of the tool that every long run calls, with a different page each time. */
export const pageSchema = jsonSchema<{ page: number }>({
  type: 'object',
  properties: { page: { type: 'number' } },
  required: ['page'],
  additionalProperties: false,
});

/** The tool itself: some four hundred characters, different for each page. */
export async function readPage({ page }: { page: number }): Promise<{ page: number; text: string }> {
  return { page, text: `This is what page ${page} says of it. `.repeat(12) };
}

/** The same tool as the AI SDK takes it. */
export const pageTool: Tool<{ page: number }> = tool({
  description: 'Reads a page',
  inputSchema: pageSchema,
  execute: readPage,
});
