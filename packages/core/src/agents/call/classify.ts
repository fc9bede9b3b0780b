import type { AgentInput, CallOptions } from './agent.ts';
import { loadCall } from './load-call.ts';

/** The options of a classifier. */
export type ClassifyOptions = Omit<CallOptions, 'dialog' | 'onRun'> & {
  /** The system prompt before the labels. */
  instructions?: string | undefined;
  /**
   * How often to ask if the provider reports no probabilities; the shares of the answers are used instead. Default 1:
   * the label alone.
   */
  samples?: number | undefined;
  /**
   * Whether to ask for the probabilities of tokens, which OpenAI's models report. Default: unless the model refuses.
   */
  logprobs?: boolean | undefined;
  /** How many more answers in a row may not be a label before the call fails. Default 3. */
  maxExceptionRetries?: number | undefined;
};

/** The options of an agent's classifier, which uses the agent's instructions. */
export type AgentClassifyOptions = Omit<ClassifyOptions, 'instructions'>;

/** The classification of a text. */
export type Classification<Label extends string = string> = {
  label: Label;
  /** The probability of each label; together they are 1. Missing if nothing reports them. */
  probabilities?: Record<Label, number>;
  /** The source of the probabilities: the model's tokens, the shares of several answers, or none. */
  source: 'logprobs' | 'samples' | 'label';
};

/** The answer to a question for yes or no. */
export type BinaryClassification = {
  value: boolean;
  /** The probability of yes. Missing if nothing reports it. */
  probability?: number;
  source: Classification['source'];
};

/**
 * Asks a model for one of several labels. An answer that is not a label is returned to the model, as in every agent
 * call.
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
 * Asks a model a question for yes or no.
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
