import { isRecord } from '../base/is-record.ts';
import { countOf, sumOf } from '../limits/charge.ts';
import type { Api, BodyRules, CheckedBody } from './api.ts';
import {
  capOutputTokens,
  capThinking,
  invalidBodyError,
  type JsonObject,
  objectsOf,
  pick,
  refuseFields,
  refuseForeignSchemas,
  refuseSeveral,
  toolDeniedError,
} from './body-fields.ts';
import { base64, type Media } from './media.ts';

// Google also accepts every name in snake_case; a name that is not in these lists, spelled exactly so, is not
// forwarded.
const generationFields = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
  'mediaResolution',
];

/** Google's generateContent, answered at once. */
export const generateContentApi: Api = {
  // safetySettings belong to the account; a client may not lower them
  fields: ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
  authorize: (key) => ({ 'x-goog-api-key': key }),
  check: (body, rules) => check(body, rules, false),
  deltas: ['text'],
  usage: ({ usageMetadata: usage }) =>
    isRecord(usage)
      ? {
          input: sumOf(usage['promptTokenCount'], usage['toolUsePromptTokenCount']),
          // Google omits a zero
          output: sumOf(0, usage['candidatesTokenCount'], usage['thoughtsTokenCount']),
          cachedInput: countOf(usage['cachedContentTokenCount']),
        }
      : undefined,
};

/**
 * Google's streamGenerateContent. Each event has usage, but only the one with the finish reason has the total. A
 * refused prompt has no candidates, and this event alone.
 */
export const streamGenerateContentApi: Api = {
  ...generateContentApi,
  check: (body, rules) => check(body, rules, true),
  usage: (data) => {
    const usage = generateContentApi.usage(data);
    const { candidates, promptFeedback } = data;
    const ended =
      (isRecord(promptFeedback) && typeof promptFeedback['blockReason'] === 'string') ||
      (Array.isArray(candidates) &&
        candidates.some((candidate) => isRecord(candidate) && typeof candidate['finishReason'] === 'string'));
    return ended || usage === undefined ? usage : { ...usage, output: undefined };
  },
};

function check(body: JsonObject, rules: BodyRules, stream: boolean): CheckedBody {
  const { media, fields, maxOutputTokens } = rules;
  refuseFields(body, fields, {
    cachedContent: 'it refers to data stored at the provider, which all users share.',
    cached_content: 'it refers to data stored at the provider, which all users share.',
  });
  const clean = pick(body, fields);
  clean['contents'] = objectsOf(body['contents'], 'contents').map((content) => checkContent(content, media));
  const system = clean['systemInstruction'];
  if (system !== undefined) {
    if (!isRecord(system)) throw invalidBodyError('systemInstruction is not an object.');
    clean['systemInstruction'] = checkContent(system, media);
  }
  if (clean['tools'] !== undefined) clean['tools'] = objectsOf(clean['tools'], 'tools').map(checkTools);
  if (clean['toolConfig'] !== undefined) {
    if (!isRecord(clean['toolConfig'])) throw invalidBodyError('toolConfig is not an object.');
    clean['toolConfig'] = pick(clean['toolConfig'], ['functionCallingConfig']);
  }
  const asked = body['generationConfig'] ?? {};
  if (!isRecord(asked)) throw invalidBodyError('generationConfig is not an object.');
  refuseSeveral(asked, ['candidateCount', 'candidate_count']);
  const config = pick(asked, generationFields);
  const outputTokens = capOutputTokens(config, ['maxOutputTokens'], maxOutputTokens);
  const thinking = config['thinkingConfig'];
  if (thinking !== undefined) {
    if (!isRecord(thinking)) throw invalidBodyError('thinkingConfig is not an object.');
    config['thinkingConfig'] = capThinking(thinking, 'thinkingBudget', outputTokens);
  }
  refuseForeignSchemas([clean['tools'], config]);
  clean['generationConfig'] = config;
  return { body: clean, stream, outputTokens };
}

function checkTools(tool: JsonObject): JsonObject {
  const names = Object.keys(tool);
  if (names.length !== 1 || names[0] !== 'functionDeclarations')
    throw toolDeniedError('A tool that is not a function');
  return { functionDeclarations: objectsOf(tool['functionDeclarations'], 'functionDeclarations') };
}

function checkContent(content: JsonObject, media: Media): JsonObject {
  const parts = objectsOf(content['parts'], 'parts').map((part) => checkPart(part, media));
  return { ...pick(content, ['role']), parts };
}

const partFields = new Set([
  'text',
  'inlineData',
  'functionCall',
  'functionResponse',
  'thought',
  'thoughtSignature',
]);

function checkPart(part: JsonObject, media: Media): JsonObject {
  for (const name of Object.keys(part)) {
    if (!partFields.has(name)) {
      throw invalidBodyError(
        'contents has a part of a kind that is not forwarded. Send files as inlineData.',
      );
    }
  }
  const clean = pick(part, partFields);
  if (clean['inlineData'] !== undefined) clean['inlineData'] = checkInline(clean['inlineData'], media);
  const response = clean['functionResponse'];
  if (response !== undefined) {
    if (!isRecord(response)) throw invalidBodyError('functionResponse is not an object.');
    const answered = pick(response, ['id', 'name', 'response', 'willContinue', 'scheduling']);
    const { parts } = response;
    clean['functionResponse'] =
      parts === undefined
        ? answered
        : {
            ...answered,
            parts: objectsOf(parts, 'functionResponse.parts').map((inner) => ({
              inlineData: checkInline(inner['inlineData'], media),
            })),
          };
  }
  return clean;
}

function checkInline(data: unknown, media: Media): JsonObject {
  if (!isRecord(data)) throw invalidBodyError('A file is not inlineData. Send the file itself, in base64.');
  base64(data['data'], data['mimeType'], 'inlineData', media);
  return pick(data, ['mimeType', 'data', 'displayName']);
}
