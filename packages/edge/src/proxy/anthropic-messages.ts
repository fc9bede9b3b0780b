import { isRecord } from '../base/is-record.ts';
import { countOf, sumOf, type ReportedUsage } from '../limits/charge.ts';
import type { Api } from './api.ts';
import {
  capOutputTokens,
  capThinking,
  invalidBodyError,
  type JsonObject,
  objectsOf,
  pick,
  pickCached,
  readStream,
  refuseFields,
  refuseForeignSchemas,
  refuseSeveral,
  toolDeniedError,
} from './body-fields.ts';
import { base64, type Media } from './media.ts';

// Betas that change the format of an answer, but neither its cost nor what the provider does by itself.
const betas =
  /^(?:fine-grained-tool-streaming|interleaved-thinking|structured-outputs|pdfs)-\d{4}-\d\d-\d\d$/;

const nested = {
  thinking: ['type', 'budget_tokens', 'display'],
  output_config: ['effort', 'format'],
};

/** Anthropic's Messages. */
export const messagesApi: Api = {
  fields: [
    'messages',
    'system',
    'temperature',
    'top_p',
    'top_k',
    'stop_sequences',
    'tools',
    'tool_choice',
    'thinking',
    'output_config',
    'output_format',
    'max_tokens',
  ],
  authorize: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  passedHeader: {
    name: 'anthropic-beta',
    read: (value) => {
      const known = value.split(',').flatMap((name) => (betas.test(name.trim()) ? [name.trim()] : []));
      return known.length === 0 ? undefined : known.join(',');
    },
  },
  check: (body, rules) => {
    for (const name of ['mcp_servers', 'container']) {
      const value = Object.hasOwn(body, name) ? body[name] : undefined;
      if (value !== undefined && value !== null) throw toolDeniedError(name);
    }
    refuseFields(body, rules.fields, {
      context_management: 'it makes the provider call a further model.',
      fallbacks: 'it names other models.',
      speed: 'it changes the price.',
    });
    refuseSeveral(body, ['n', 'best_of']);
    const stream = readStream(body);
    const clean = pick(body, rules.fields);
    const { media } = rules;
    clean['messages'] = objectsOf(body['messages'], 'messages').map((message) =>
      checkMessage(message, media),
    );
    if (clean['system'] !== undefined) clean['system'] = checkContent(clean['system'], media);
    if (clean['tools'] !== undefined) clean['tools'] = objectsOf(clean['tools'], 'tools').map(checkTool);
    for (const [name, known] of Object.entries(nested)) {
      const value = clean[name];
      if (value === undefined) continue;
      if (!isRecord(value)) throw invalidBodyError(`${name} is not an object.`);
      clean[name] = pick(value, known);
    }
    const outputTokens = capOutputTokens(clean, ['max_tokens'], rules.maxOutputTokens);
    const { thinking } = clean;
    if (isRecord(thinking)) clean['thinking'] = capThinking(thinking, 'budget_tokens', outputTokens);
    refuseForeignSchemas([clean['tools'], clean['output_format'], clean['output_config']]);
    return { body: { model: rules.model, ...clean, stream }, stream, outputTokens };
  },
  deltas: ['text', 'thinking', 'partial_json'],
  usage: (data) => {
    if (data['type'] === 'message_start') {
      // the count so far; only message_delta has the total
      const usage = isRecord(data['message']) ? data['message']['usage'] : undefined;
      return isRecord(usage) ? inputOf(usage) : undefined;
    }
    const { usage } = data;
    if (!isRecord(usage)) return undefined;
    const reported = { output: countOf(usage['output_tokens']) };
    const sent = inputOf(usage);
    return sent.input === undefined || sent.input === 0 ? reported : { ...reported, ...sent };
  },
};

function inputOf(usage: JsonObject): ReportedUsage {
  const { cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  return {
    input: sumOf(usage['input_tokens'], written, read),
    cachedInput: countOf(read),
    cacheWrite: countOf(written),
  };
}

function checkTool(tool: JsonObject): JsonObject {
  const type = tool['type'] ?? 'custom';
  if (type !== 'custom' || !isRecord(tool['input_schema']))
    throw toolDeniedError('A tool that is not a function');
  return pickCached(tool, ['type', 'name', 'description', 'input_schema', 'strict', 'eager_input_streaming']);
}

function checkMessage(message: JsonObject, media: Media): JsonObject {
  const { role } = message;
  if (typeof role !== 'string') throw invalidBodyError('A message has no role.');
  return { role, content: checkContent(message['content'], media) };
}

function checkContent(content: unknown, media: Media): unknown {
  if (typeof content === 'string') return content;
  return objectsOf(content, 'content').map((block) => checkBlock(block, media));
}

function checkBlock(block: JsonObject, media: Media): JsonObject {
  switch (block['type']) {
    case 'text':
      return pickCached(block, ['type', 'text']);
    case 'thinking':
      return pick(block, ['type', 'thinking', 'signature']);
    case 'redacted_thinking':
      return pick(block, ['type', 'data']);
    case 'tool_use':
      return pickCached(block, ['type', 'id', 'name', 'input']);
    case 'tool_result': {
      const clean = pickCached(block, ['type', 'tool_use_id', 'content', 'is_error']);
      const { content } = clean;
      return content === undefined ? clean : { ...clean, content: checkContent(content, media) };
    }
    case 'image':
    case 'document':
      return {
        ...pickCached(block, ['type', 'title', 'context', 'citations']),
        source: checkSource(block['source'], media),
      };
    default:
      throw invalidBodyError('messages has a block of a type that is not forwarded.');
  }
}

function checkSource(source: unknown, media: Media): JsonObject {
  const clean = isRecord(source) ? source : {};
  switch (clean['type']) {
    case 'base64':
      base64(clean['data'], clean['media_type'], 'source', media);
      return pick(clean, ['type', 'media_type', 'data']);
    case 'text':
      return pick(clean, ['type', 'media_type', 'data']);
    case 'content':
      return { type: 'content', content: checkContent(clean['content'], media) };
    default:
      throw invalidBodyError('A file by its URL or id is refused. Send the file itself, in base64.');
  }
}
