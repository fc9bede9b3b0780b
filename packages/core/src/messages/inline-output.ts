import { toDataOutput, type ToolResultContent, type ToolResultOutput } from './tool-output.ts';

type OutputPart = ToolResultContent[number];

/**
 * Returns the self-contained parts of an output: texts and complete files. Leaves out references to other files
 * and provider options. If no part is left, the result itself is sent as data.
 */
export function inlineOutput(output: ToolResultOutput, result: unknown): ToolResultOutput {
  if (output.type !== 'content') {
    const { providerOptions: _options, ...own } = output;
    return own;
  }
  const value = output.value.flatMap(inlinePart);
  return value.length === 0 ? toDataOutput(result) : { type: 'content', value };
}

function inlinePart(part: OutputPart): OutputPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'file': {
      const { data, mediaType, filename } = part;
      if (!isInline(data)) return [];
      return [{ type: 'file', data, mediaType, ...(filename === undefined ? {} : { filename }) }];
    }
    case 'file-data':
    case 'image-data': {
      const { providerOptions: _options, ...inline } = part;
      return [inline];
    }
    default:
      return [];
  }
}

/** True for bytes and text. An untagged string is not inline, because the AI SDK may read it as a URL. */
function isInline(data: unknown): boolean {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false;
  return data.type === 'data' || data.type === 'text';
}
