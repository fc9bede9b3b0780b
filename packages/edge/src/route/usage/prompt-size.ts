import { utf8Length } from '../../base/utf8-length.ts';
import { estimateTokens } from '../../limits/charge.ts';
import { fileBytes, kindOfFile, type InputSize } from '../../limits/input-size.ts';
import type { ModelCall } from './metered-model.ts';

/** The size of a model call. */
export type PromptSize = InputSize & {
  /** An estimate of its minimum tokens: its text, without what providers may leave out. */
  text: number;
  /** The number of its files that are not text. */
  files: number;
};

/** An image of middling size, because a few bytes of one color are a large image, too. */
const LEAST_FILE_TOKENS = 1_500;

const empty: PromptSize = { bytes: 0, pictures: 0, isUnbounded: false, text: 0, files: 0 };

/** Measured messages. Messages are never modified in place. */
const measured = new WeakMap<object, PromptSize>();

/** Measures a call: system prompt, messages with their files, tools and the schema of the answer. */
export function promptSize({ prompt, tools = [], responseFormat }: ModelCall): PromptSize {
  const bytes = utf8Length(JSON.stringify([tools, responseFormat ?? null]));
  return prompt.map(messageSize).reduce(addSizes, { ...empty, bytes, isUnbounded: tools.some(readsMore) });
}

/** The tools of providers whose calls run here, so that the next call contains all that they return. */
const runHere =
  /\.(?:apply_patch|bash|computer|computer_toolset|custom|local_shell|memory|text_editor)(?:_\d+)?$/;

/**
 * True for a tool that a provider runs while it answers: the model reads pages and files that the call does not
 * contain.
 */
function readsMore(tool: NonNullable<ModelCall['tools']>[number]): boolean {
  return tool.type === 'provider' && !runHere.test(tool.id);
}

/**
 * Returns an estimate of the tokens that a call must use for its input: one for every four bytes, and little for each
 * file.
 */
export function leastInput({ bytes, files }: PromptSize): number {
  return Math.ceil(bytes / 4) + files * LEAST_FILE_TOKENS;
}

type Message = ModelCall['prompt'][number];
type ContentPart = Exclude<Message['content'], string>[number];
type ToolOutput = Extract<ContentPart, { type: 'tool-result' }>['output'];
type File = { mediaType: string; data: Extract<ContentPart, { type: 'file' }>['data'] };

function messageSize(message: Message): PromptSize {
  if (typeof message.content === 'string') return textSize(message.content, jsonBytes(message));
  const known = measured.get(message.content);
  if (known !== undefined) return known;
  const size = message.content.map(partSize).reduce(addSizes, { ...empty, bytes: 20 });
  measured.set(message.content, size);
  return size;
}

function partSize(part: ContentPart): PromptSize {
  switch (part.type) {
    case 'text':
      return textSize(part.text, jsonBytes(part));
    case 'file':
    case 'reasoning-file':
      return fileSize(part);
    case 'tool-result':
      return outputSize(part.output, part);
    default:
      return { ...empty, bytes: jsonBytes(part) };
  }
}

function outputSize(output: ToolOutput, part: object): PromptSize {
  if (output.type !== 'content') {
    const bytes = jsonBytes(part);
    return { ...empty, bytes, text: 'value' in output ? estimateTokens(lengthOf(output.value)) : 0 };
  }
  const sizes = output.value.map((item) => {
    if (item.type === 'text') return textSize(item.text, jsonBytes(item));
    return item.type === 'file' ? fileSize(item) : { ...empty, bytes: jsonBytes(item) };
  });
  return sizes.reduce(addSizes, { ...empty, bytes: jsonBytes({ ...part, output: null }) });
}

function fileSize(file: File & { providerOptions?: unknown }): PromptSize {
  const { data, mediaType, ...rest } = file;
  const about = { ...empty, bytes: jsonBytes(rest) };
  if (data.type === 'text') return addSizes(about, textSize(data.text, utf8Length(data.text)));
  const picture = { ...about, pictures: 1, files: 1 };
  const unbounded = { ...about, isUnbounded: true, files: 1 };
  // the size behind an address or a name is unknown
  if (data.type !== 'data') return /^image(?:\/|$)/i.test(mediaType) ? picture : unbounded;
  switch (kindOfFile(data.data, mediaType)) {
    case 'picture':
      return picture;
    case 'text':
      return { ...about, bytes: about.bytes + fileBytes(data.data) };
    default:
      return unbounded;
  }
}

function textSize(text: string, bytes: number): PromptSize {
  return { ...empty, bytes, text: estimateTokens(text.length) };
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : (JSON.stringify(value)?.length ?? 0);
}

function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

function addSizes(one: PromptSize, other: PromptSize): PromptSize {
  return {
    bytes: one.bytes + other.bytes,
    pictures: one.pictures + other.pictures,
    isUnbounded: one.isUnbounded || other.isUnbounded,
    text: one.text + other.text,
    files: one.files + other.files,
  };
}
