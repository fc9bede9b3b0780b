import { defineAgent, tags } from '@cueline/core/agents';

// An agent has instructions, perhaps tools, and the form of its answers: here, text in tags.
const namer = defineAgent({
  name: 'namer',
  instructions: 'You name small cafés. One name, no puns on coffee, and a sentence on why.',
  output: tags({ required: ['name', 'why'], optional: ['sign'] }),
  // Sent to the model if its answer cannot be used. Only the corrected answer stays in the conversation.
  onException: 'Nearly: {error_message} Give the whole answer again, please.',
});

// In an app: const { output } = await namer.call('…'), and output.name is a text.
export default namer.prompt(
  'A café in an old post office: slow mornings, a brass counter, and a cat that sleeps on the letter scales.',
);
