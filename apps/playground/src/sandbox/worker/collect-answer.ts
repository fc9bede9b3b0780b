import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

/** Collects the whole answer from a stream of its parts, for callers that do not stream. */
export async function collectAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>();
  const result: Pick<LanguageModelV4GenerateResult, 'response' | 'warnings'> = { warnings: [] };
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) throw new Error('The answer ended early: its stream has no finish part. Try again.');
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const block = {
          type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const),
          text: '',
        };
        open.set(part.id, block);
        content.push(block);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const block = open.get(part.id);
        if (block) block.text += part.delta;
        break;
      }
      case 'stream-start':
        result.warnings = part.warnings;
        break;
      case 'response-metadata': {
        const { type: _type, ...response } = part;
        result.response = response;
        break;
      }
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'reasoning-file':
      case 'source':
        content.push(part);
        break;
      case 'error':
        throw part.error;
      case 'finish':
        return { ...result, content, usage: part.usage, finishReason: part.finishReason };
      default:
    }
  }
}
