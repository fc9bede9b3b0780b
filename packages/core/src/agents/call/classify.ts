import type { AgentInput, BinaryClassification, Classification, ClassifyOptions } from './agent.ts';
import { loadCall } from './load-call.ts';

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
