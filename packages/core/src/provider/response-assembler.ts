import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Reasoning,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { contentFiltered } from './content-filtered.ts';
import { createCallIds } from './call-ids.ts';
import { readableInput, readableResult } from '../tools/readable-call.ts';

/** A model's complete response. */
export type ModelResponse = {
  text: string;
  /** The calls that run here, in order, with unique ids. */
  toolCalls: { toolCallId: string; toolName: string; input: string }[];
  /** All content, in the order in which it started. */
  content: LanguageModelV4Content[];
  finishReason: LanguageModelV4FinishReason;
};

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;
type BlockPart = Part<`${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`>;
type Block = LanguageModelV4Text | LanguageModelV4Reasoning;

/**
 * Assembles the parts of a response and emits them as they come. `holdsCalls`: calls are emitted when the response is
 * complete, so
 * that a response which breaks off can be taken as one without calls.
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
  { holdsCalls }: { holdsCalls: boolean },
): ResponseAssembler {
  const content: LanguageModelV4Content[] = [];
  const open = { text: new Map<string, Block>(), reasoning: new Map<string, Block>() };
  const ids = createCallIds();
  /** Calls that run here. */
  const here: LanguageModelV4ToolCall[] = [];
  /** Those calls and the provider's approval requests, while they are held back. */
  const held: Part<'tool-call' | 'tool-result' | 'tool-approval-request'>[] = [];
  /** Calls that run at the provider and have no result yet. */
  const elsewhere = new Map<string, LanguageModelV4ToolCall>();

  function takeBlock(type: 'text' | 'reasoning', part: BlockPart): void {
    let block = open[type].get(part.id);
    if ('delta' in part) {
      block ??= begin(type, part.id, true);
      block.text += part.delta;
    } else if (part.type === `${type}-start`) {
      if (block !== undefined) emit({ type: `${type}-end`, id: part.id });
      block = begin(type, part.id, false);
    } else {
      // an end without a start
      if (block === undefined) return;
      open[type].delete(part.id);
      if ('citations' in part && part.citations !== undefined && block.type === 'text') {
        block.citations = part.citations;
      }
    }
    if (part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata;
    emit(part);
  }

  function begin(type: 'text' | 'reasoning', id: string, untold: boolean): Block {
    const block: Block = { type, text: '' };
    open[type].set(id, block);
    content.push(block);
    if (untold) emit({ type: `${type}-start`, id });
    return block;
  }

  function takeCall(part: LanguageModelV4ToolCall): void {
    const { id, saying } = ids.call(part.toolCallId);
    if (saying) emit({ type: 'tool-input-end', id });
    const input = readableInput(part.input);
    const call = id === part.toolCallId && input === part.input ? part : { ...part, toolCallId: id, input };
    content.push(call);
    if (call.providerExecuted === true) elsewhere.set(id, call);
    else here.push(call);
    if (holdsCalls && call.providerExecuted !== true) held.push(call);
    else emit(call);
  }

  /** A result comes after its call, and so waits with it. */
  function takeResult(given: Part<'tool-result' | 'tool-approval-request'>): void {
    const part = given.type === 'tool-result' ? readableResult(given) : given;
    const toolCallId = ids.called(part.toolCallId);
    const named = toolCallId === part.toolCallId ? part : { ...part, toolCallId };
    content.push(named);
    if (named.type === 'tool-result' && named.preliminary !== true) elsewhere.delete(toolCallId);
    const waits =
      named.type === 'tool-approval-request' || held.some((call) => call.toolCallId === toolCallId);
    if (holdsCalls && waits) held.push(named);
    else emit(named);
  }

  return {
    add(part) {
      switch (part.type) {
        case 'text-start':
        case 'text-delta':
        case 'text-end':
          return takeBlock('text', part);
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end':
          return takeBlock('reasoning', part);
        case 'tool-input-start':
          return emit(withId(part, ids.begin(part.id)));
        case 'tool-input-delta':
          return emitWith(part, ids.current(part.id));
        case 'tool-input-end':
          return emitWith(part, ids.end(part.id));
        case 'tool-call':
          return takeCall(part);
        case 'tool-result':
        case 'tool-approval-request':
          return takeResult(part);
        case 'file':
        case 'reasoning-file':
        case 'source':
        case 'custom':
          content.push(part);
          return emit(part);
        default:
          return emit(part);
      }
    },

    errorOf({ unified, raw }) {
      const calls = here.length + ids.begun.length;
      const details = { finishReason: raw ?? unified };
      const broken = (what: string): CuelineError => new CuelineError('stream_truncated', what, { details });
      if (unified === 'error' || unified === 'interrupted') {
        return broken('The model broke off its answer without saying why. Try again.');
      }
      if (calls > 0 && unified === 'length') {
        return broken(
          'The answer was cut off at the limit of tokens, so none of its tool calls were made. ' +
            'Raise maxOutputTokens, or ask for less at once.',
        );
      }
      if (unified === 'length' && content.length === 0) {
        return new CuelineError(
          'stream_truncated',
          'The model used up its limit of tokens before it said anything. Raise maxOutputTokens.',
          { details: { ...details, limit: 'maxOutputTokens' } },
        );
      }
      if (unified === 'content-filter') return contentFiltered(details);
      return ids.begun.length > 0
        ? broken('The answer ended inside the arguments of a tool call. Try again.')
        : undefined;
    },

    read(finishReason) {
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        toolCalls: here.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })),
        content,
        finishReason: { ...finishReason, unified: reasonFor(finishReason.unified) },
      };
    },

    close(as) {
      for (const type of ['text', 'reasoning'] as const) {
        for (const id of open[type].keys()) emit({ type: `${type}-end`, id });
      }
      if (as === 'whole') return held.forEach(emit);
      for (const { id, saying } of ids.begun) if (saying) emit({ type: 'tool-input-end', id });
      // they are visible already, and a call without its result makes the next request invalid
      for (const { toolCallId, toolName } of elsewhere.values()) {
        emit({
          type: 'tool-result',
          toolCallId,
          toolName,
          result: 'The answer broke off before the result came.',
          isError: true,
        });
      }
    },
  };

  function emitWith(part: Part<'tool-input-delta' | 'tool-input-end'>, id: string | undefined): void {
    if (id !== undefined) emit(withId(part, id));
  }

  /** Models name the finish of a response with calls differently, and the AI SDK relies on the name. */
  function reasonFor(unified: LanguageModelV4FinishReason['unified']): typeof unified {
    if (here.length > 0) return unified === 'stop' ? unified : 'tool-calls';
    return unified === 'tool-calls' && !content.some(({ type }) => type === 'tool-call') ? 'stop' : unified;
  }
}

function withId<Given extends { id: string }>(part: Given, id: string): Given {
  return part.id === id ? part : { ...part, id };
}
