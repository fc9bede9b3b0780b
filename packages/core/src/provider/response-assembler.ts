import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { readableInput, readableResult } from '../tools/readable-call.ts';
import { createCallIds } from './call-ids.ts';
import { contentFilteredError } from './content-filtered-error.ts';

/** A model's complete response. */
export type ModelResponse = {
  text: string;
  /** The calls that run here, in order, with unique ids. */
  toolCalls: { toolCallId: string; toolName: string; input: string }[];
  /** All content, in the order in which it started. */
  content: LanguageModelV4Content[];
  finishReason: LanguageModelV4FinishReason;
};

type StreamPart<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;
type BlockPart = StreamPart<`${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`>;
type Block = LanguageModelV4Text | LanguageModelV4Reasoning;

/**
 * Assembles the parts of a response and emits them as they come. `holdsCalls`: calls are emitted when the
 * response is complete, so that a response that is cut off can count as one without calls.
 */
export type ResponseAssembler = {
  /** Adds the next part, except errors and the end. */
  add(part: LanguageModelV4StreamPart): void;
  /** Returns why the response cannot be used although the model has finished it. */
  errorOf(reason: LanguageModelV4FinishReason): CuelineError | undefined;
  /** Returns the complete response. */
  read(reason: LanguageModelV4FinishReason): ModelResponse;
  /** Emits the ends of open blocks and, for a whole response, the calls. */
  close(as: 'whole' | 'broken'): void;
};

export function createResponseAssembler(
  emit: (part: LanguageModelV4StreamPart) => void,
  options: { holdsCalls: boolean },
): ResponseAssembler {
  return new Assembler(emit, options);
}

/** One response while it arrives. */
class Assembler implements ResponseAssembler {
  readonly #emit: (part: LanguageModelV4StreamPart) => void;
  readonly #holdsCalls: boolean;
  readonly #content: LanguageModelV4Content[] = [];
  readonly #open = { text: new Map<string, Block>(), reasoning: new Map<string, Block>() };
  readonly #ids = createCallIds();
  /** Calls that run here. */
  readonly #here: LanguageModelV4ToolCall[] = [];
  /** Those calls and the provider's approval requests, while they are held back. */
  readonly #held: StreamPart<'tool-call' | 'tool-result' | 'tool-approval-request'>[] = [];
  /** Calls that run at the provider and have no result yet. */
  readonly #elsewhere = new Map<string, LanguageModelV4ToolCall>();

  constructor(emit: (part: LanguageModelV4StreamPart) => void, { holdsCalls }: { holdsCalls: boolean }) {
    this.#emit = emit;
    this.#holdsCalls = holdsCalls;
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        return this.#takeBlock('text', part);
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        return this.#takeBlock('reasoning', part);
      case 'tool-input-start':
        return this.#emit(withId(part, this.#ids.begin(part.id)));
      case 'tool-input-delta':
        return this.#emitWith(part, this.#ids.current(part.id));
      case 'tool-input-end':
        return this.#emitWith(part, this.#ids.end(part.id));
      case 'tool-call':
        return this.#takeCall(part);
      case 'tool-result':
      case 'tool-approval-request':
        return this.#takeResult(part);
      case 'file':
      case 'reasoning-file':
      case 'source':
      case 'custom':
        this.#content.push(part);
        return this.#emit(part);
      default:
        return this.#emit(part);
    }
  }

  errorOf({ unified, raw }: LanguageModelV4FinishReason): CuelineError | undefined {
    const calls = this.#here.length + this.#ids.unfinished.length;
    const details = { finishReason: raw ?? unified };
    const broken = (what: string): CuelineError => new CuelineError('stream_truncated', what, { details });
    if (unified === 'error' || unified === 'interrupted') {
      const why = raw === undefined || raw === unified ? ' without a reason' : ` early: ${raw}`;
      return broken(`The model ended its answer${why}. Try again.`);
    }
    if (calls > 0 && unified === 'length') {
      return broken(
        'The answer was cut off at the token limit, so none of its tool calls were made. ' +
          'Raise maxOutputTokens, or ask for less at once.',
      );
    }
    if (unified === 'length' && !this.#content.some(isAnswer)) {
      return new CuelineError(
        'stream_truncated',
        'The model reached its token limit before it answered. Raise maxOutputTokens.',
        { details: { ...details, limit: 'maxOutputTokens' } },
      );
    }
    if (unified === 'content-filter') return contentFilteredError(details);
    return this.#ids.unfinished.length > 0
      ? broken('The answer ended inside the arguments of a tool call. Try again.')
      : undefined;
  }

  read(finishReason: LanguageModelV4FinishReason): ModelResponse {
    return {
      text: this.#content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      toolCalls: this.#here.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
      content: this.#content,
      finishReason: { ...finishReason, unified: this.#reasonFor(finishReason.unified) },
    };
  }

  close(as: 'whole' | 'broken'): void {
    for (const type of ['text', 'reasoning'] as const) {
      for (const id of this.#open[type].keys()) this.#emit({ type: `${type}-end`, id });
    }
    if (as === 'whole') return this.#held.forEach(this.#emit);
    for (const { id, streaming } of this.#ids.unfinished)
      if (streaming) this.#emit({ type: 'tool-input-end', id });
    // these calls are visible already, and a call without a result makes the next request invalid
    for (const { toolCallId, toolName } of this.#elsewhere.values()) {
      this.#emit({
        type: 'tool-result',
        toolCallId,
        toolName,
        result: 'The answer ended before the result arrived.',
        isError: true,
      });
    }
  }

  #takeBlock(type: 'text' | 'reasoning', part: BlockPart): void {
    let block = this.#open[type].get(part.id);
    if ('delta' in part) {
      block ??= this.#begin(type, part.id, true);
      block.text += part.delta;
    } else if (part.type === `${type}-start`) {
      if (block !== undefined) this.#emit({ type: `${type}-end`, id: part.id });
      block = this.#begin(type, part.id, false);
    } else {
      // an end without a start
      if (block === undefined) return;
      this.#open[type].delete(part.id);
      if ('citations' in part && part.citations !== undefined && block.type === 'text') {
        block.citations = part.citations;
      }
    }
    if (part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata;
    this.#emit(part);
  }

  #begin(type: 'text' | 'reasoning', id: string, lacksStart: boolean): Block {
    const block: Block = { type, text: '' };
    this.#open[type].set(id, block);
    this.#content.push(block);
    if (lacksStart) this.#emit({ type: `${type}-start`, id });
    return block;
  }

  #takeCall(part: LanguageModelV4ToolCall): void {
    const { id, streaming } = this.#ids.call(part.toolCallId);
    if (streaming) this.#emit({ type: 'tool-input-end', id });
    const input = readableInput(part.input);
    const call = id === part.toolCallId && input === part.input ? part : { ...part, toolCallId: id, input };
    this.#content.push(call);
    if (call.providerExecuted === true) this.#elsewhere.set(id, call);
    else this.#here.push(call);
    if (this.#holdsCalls && call.providerExecuted !== true) this.#held.push(call);
    else this.#emit(call);
  }

  /** A result comes after its call, and so waits with it. */
  #takeResult(received: StreamPart<'tool-result' | 'tool-approval-request'>): void {
    const part = received.type === 'tool-result' ? readableResult(received) : received;
    const toolCallId = this.#ids.idOf(part.toolCallId);
    const named = toolCallId === part.toolCallId ? part : { ...part, toolCallId };
    this.#content.push(named);
    if (named.type === 'tool-result' && named.preliminary !== true) this.#elsewhere.delete(toolCallId);
    const waits =
      named.type === 'tool-approval-request' || this.#held.some((call) => call.toolCallId === toolCallId);
    if (this.#holdsCalls && waits) this.#held.push(named);
    else this.#emit(named);
  }

  #emitWith(part: StreamPart<'tool-input-delta' | 'tool-input-end'>, id: string | undefined): void {
    if (id !== undefined) this.#emit(withId(part, id));
  }

  /** Models name the finish of a response with calls differently, and the AI SDK relies on the name. */
  #reasonFor(unified: LanguageModelV4FinishReason['unified']): typeof unified {
    if (this.#here.length > 0) return unified === 'stop' ? unified : 'tool-calls';
    return unified === 'tool-calls' && !this.#content.some(({ type }) => type === 'tool-call')
      ? 'stop'
      : unified;
  }
}

/** False for content before an answer: reasoning, an empty text, and what only the provider reads. */
function isAnswer(content: LanguageModelV4Content): boolean {
  return content.type === 'text'
    ? content.text !== ''
    : content.type !== 'reasoning' && content.type !== 'custom';
}

function withId<Given extends { id: string }>(part: Given, id: string): Given {
  return part.id === id ? part : { ...part, id };
}
