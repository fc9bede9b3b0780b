import { anySignal } from '../../base/any-signal.ts';
import { checkNames } from '../../base/check-names.ts';
import { CuelineError } from '../../base/errors.ts';
import { quoteValue } from '../../base/quote-value.ts';
import { withoutUndefined } from '../../base/without-undefined.ts';
import type { AgentConfig } from './agent-config.ts';
import type { AgentInput, BinaryClassification, Classification, ClassifyOptions } from './agent.ts';
import { answerCall, type AnsweredCall } from './call-agent.ts';
import { asWord, labelProbabilities, labelShares } from './label-probabilities.ts';

const optionNames = [
  'instructions',
  'samples',
  'logprobs',
  'maxExceptionRetries',
  'signal',
  'model',
  'models',
  'context',
  'options',
];

/** The maximum number of tokens that OpenAI reports for one position. */
const MAX_LOGPROBS = 20;

/** Asks for one of several labels, and for its probability. @throws CuelineError */
export async function askForLabel<const Label extends string>(
  input: AgentInput,
  labels: readonly Label[],
  options: ClassifyOptions = {},
): Promise<Classification<Label>> {
  checkNames('classify', options, optionNames, 'invalid_options');
  checkLabels(labels);
  const {
    samples = 1,
    instructions,
    logprobs,
    maxExceptionRetries,
    options: requestOptions,
    ...callOptions
  } = options;
  if (!Number.isSafeInteger(samples) || samples < 1) {
    throw new CuelineError(
      'invalid_options',
      `samples is ${quoteValue(samples)}. Give a whole number of at least 1.`,
    );
  }
  let asksLogprobs = logprobs ?? true;
  const ask = (signal = options.signal): Promise<AnsweredCall<Label, never>> => {
    const config = classifierConfig(labels, {
      instructions,
      logprobs: asksLogprobs,
      maxExceptionRetries,
      options: requestOptions,
    });
    return answerCall<Label, never>(config, { kind: 'prompt', name: config.name, run: () => {} }, input, {
      ...callOptions,
      signal,
    });
  };
  const first = await ask().catch((error: unknown) => {
    if (logprobs !== undefined || !refusesLogprobs(error)) throw error;
    asksLogprobs = false;
    return ask();
  });
  const probabilities = labelProbabilities(first.providerMetadata, labels);
  if (probabilities !== undefined) return { label: first.output, probabilities, source: 'logprobs' };
  if (samples === 1) return { label: first.output, source: 'label' };
  const others = await allOrAbort(samples - 1, ask, options.signal);
  const answers = [first, ...others].map(({ output }) => output);
  const shares = labelShares(answers, labels);
  // of labels with the same share, the one that came first
  const label = answers.reduce((best, answer) => (shares[answer] > shares[best] ? answer : best));
  return { label, probabilities: shares, source: 'samples' };
}

/**
 * Reasoning models, such as OpenAI's, report no probabilities of tokens, and some refuse a request that asks for
 * them.
 */
function refusesLogprobs(error: unknown): boolean {
  return CuelineError.isInstance(error) && error.code === 'bad_request' && /logprobs/i.test(error.message);
}

/** Makes several calls at once. If one fails, the others are useless and are stopped. */
async function allOrAbort<Value>(
  count: number,
  make: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value[]> {
  const own = new AbortController();
  const either = anySignal(own.signal, signal);
  try {
    return await Promise.all(Array.from({ length: count }, () => make(either)));
  } catch (error) {
    own.abort();
    throw error;
  }
}

function classifierConfig(
  labels: readonly string[],
  {
    instructions,
    logprobs,
    maxExceptionRetries,
    options: { headers, providerOptions, telemetry } = {},
  }: ClassifyOptions & { logprobs: boolean },
): AgentConfig {
  const list = labels.join(', ');
  const instruction = `Answer with one of these words and nothing else: ${list}`;
  const openai = {
    ...providerOptions?.['openai'],
    logprobs: Math.min(MAX_LOGPROBS, 2 * labels.length + 3),
  };
  const config: AgentConfig = {
    name: 'classify',
    instructions: instructions === undefined ? instruction : `${instructions}\n\n${instruction}`,
    onException: `Please respond with one and only one word from [${list}]`,
    maxExceptionRetries,
    maxInterrupts: 0,
    output: (text) => labelOf(text, labels),
    options: withoutUndefined({
      headers,
      telemetry,
      providerOptions: logprobs ? { ...providerOptions, openai } : providerOptions,
    }),
  };
  return config;
}

function labelOf<Label extends string>(text: string, labels: readonly Label[]): Label {
  const word = asWord(text);
  const label = labels.find((one) => asWord(one) === word);
  if (label !== undefined) return label;
  throw new CuelineError('parse_failed', `${quoteValue(text)} is not one of: ${labels.join(', ')}.`);
}

function checkLabels(labels: unknown): asserts labels is readonly string[] {
  const words = Array.isArray(labels)
    ? (labels as unknown[]).map((label) => (typeof label === 'string' ? asWord(label) : ''))
    : [];
  if (words.length < 2 || words.includes('')) {
    throw new CuelineError(
      'invalid_options',
      "A classifier needs at least two labels, each of them a string: classify(input, ['positive', 'negative'], { … }).",
    );
  }
  const twice = words.find((word, index) => words.indexOf(word) !== index);
  if (twice === undefined) return;
  throw new CuelineError(
    'invalid_options',
    `Two labels are read as "${twice}", because case, quotes and full stops are ignored. Use labels that differ in their letters.`,
  );
}

/** Asks a model a question for yes or no. */
export async function askYesOrNo(
  question: AgentInput,
  options: ClassifyOptions,
): Promise<BinaryClassification> {
  const { label, probabilities, source } = await askForLabel(question, ['yes', 'no'], options);
  return {
    value: label === 'yes',
    ...(probabilities === undefined ? {} : { probability: probabilities.yes }),
    source,
  };
}
