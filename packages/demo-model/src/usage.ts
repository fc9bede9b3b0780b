import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

/** What a file counts as: its pixels, pages or seconds cannot be known here. */
const FILE_TOKENS = 1_000;

/** A rough count of tokens: four characters each, as in English text. */
export function countTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/**
 * The tokens of a whole request, by the rule of `estimateTokens` in `@cueline/core/inspect`: the texts of the prompt,
 * each tool with its description and schema, and the schema of the answer.
 */
export function countInput({
  prompt,
  tools = [],
  responseFormat,
}: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'responseFormat'>): number {
  const lengths = [
    ...prompt.map(({ content }) => contentLength(content)),
    ...tools.map((tool) =>
      tool.type === 'function'
        ? tool.name.length + (tool.description ?? '').length + jsonLength(tool.inputSchema)
        : tool.name.length + jsonLength(tool.args),
    ),
    responseFormat?.type === 'json' ? jsonLength(responseFormat.schema) : 0,
  ];
  return lengths.reduce((sum, length) => sum + countTokens(length), 0);
}

type Content = LanguageModelV4Prompt[number]['content'];
type ContentPart = Exclude<Content, string>[number];
type ResultPart = Extract<
  Extract<ContentPart, { type: 'tool-result' }>['output'],
  { type: 'content' }
>['value'][number];

/** The characters of a message or of a tool's result. */
function contentLength(content: string | readonly (ContentPart | ResultPart)[]): number {
  return typeof content === 'string'
    ? content.length
    : content.reduce((sum, part) => sum + partLength(part), 0);
}

function partLength(part: ContentPart | ResultPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.length;
    case 'tool-call':
      return part.toolName.length + jsonLength(part.input);
    case 'tool-result':
      return part.output.type === 'content'
        ? contentLength(part.output.value)
        : jsonLength('value' in part.output ? part.output.value : part.output);
    case 'tool-approval-response':
    case 'custom':
      return 0;
    default:
      return FILE_TOKENS * 4;
  }
}

function jsonLength(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value ?? '').length;
}

/** Token counts in the form in which models report them. */
export function usageOf(counts: {
  input: number;
  cached?: number | undefined;
  written?: number | undefined;
  output: number;
  reasoning?: number | undefined;
}): LanguageModelV4Usage {
  const { input, cached = 0, written = 0, output, reasoning = 0 } = counts;
  return {
    inputTokens: { total: input, noCache: input - cached - written, cacheRead: cached, cacheWrite: written },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  };
}
