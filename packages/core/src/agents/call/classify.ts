import type { AgentInput, CallOptions } from './agent.ts';
import { loadCall } from './load-call.ts';

/** How a classifier asks. */
export type ClassifyOptions = Omit<CallOptions, 'dialog' | 'onRun'> & {
  /** What the system prompt says before the labels. */
  instructions?: string | undefined;
  /**
   * How often it asks where the provider says nothing of probabilities; the shares of the answers then stand for them.
   * Default 1: the label alone.
   */
  samples?: number | undefined;
  /** Whether to ask for the probabilities of tokens, which OpenAI's models can tell. Default: unless the model refuses to. */
  logprobs?: boolean | undefined;
  /** How many answers in a row may be no label before the call fails, less one. Default 3. */
  maxExceptionRetries?: number | undefined;
};

/** How an agent's classifier asks: the instructions are the agent's. */
export type AgentClassifyOptions = Omit<ClassifyOptions, 'instructions'>;

/** What a text was classified as. */
export type Classification<Label extends string = string> = {
  label: Label;
  /** How likely each label was; over the labels they add up to 1. Missing where nothing says so. */
  probabilities?: Record<Label, number>;
  /** Where the probabilities come from: the model's own tokens, the shares of several answers, or nowhere. */
  source: 'logprobs' | 'samples' | 'label';
};

/** What a question was answered with. */
export type BinaryClassification = {
  value: boolean;
  /** How likely yes was. Missing where nothing says so. */
  probability?: number;
  source: Classification['source'];
};

/**
 * Asks a model for one of several labels. An answer that is no label is sent back, as in every agent call.
 *
 * @example
 * const { label } = await classify('I love it!', ['positive', 'negative'], { model: 'openai:gpt-4o' });
 */
export async function classify<const Label extends string>(
  input: AgentInput,
  labels: readonly Label[],
  options: ClassifyOptions,
): Promise<Classification<Label>> {
  return (await loadCall()).askForLabel(input, labels, options);
}

/**
 * Asks a model a question to be answered with yes or no.
 *
 * @example
 * const { value } = await classifyBinary('Is Lisbon a capital?', { model: 'openai:gpt-4o' });
 */
export async function classifyBinary(
  question: AgentInput,
  options: ClassifyOptions,
): Promise<BinaryClassification> {
  return (await loadCall()).askYesOrNo(question, options);
}
