import { runPrompt, type Prompt } from '@cueline/core';
import { createModels } from '@cueline/core/models';

const hello = (prompt: Prompt): void => prompt.$`Say hello.`;

// #region environment
const env = {
  LM_MODEL_FAST: 'zai:glm-4.6', // an alias: model: 'fast'
  ZAI_API_KEY: 'your-key', //      a provider of your own, for any OpenAI-compatible address
  ZAI_API_BASE: 'https://api.z.ai/api/coding/paas/v4',
  ZAI_API_TYPE: 'openai',
};
const model = await createModels({ env }).resolve('fast');
// #endregion
console.log(model.modelId);

// #region unknown
await runPrompt(hello, { model: 'larg', env }).catch((error: Error) => console.log(error.message));
// #endregion

// #region simulated
const { result } = await runPrompt(hello, { model: 'simulated:demo' });
console.log(await result.text);
// #endregion
// prints: glm-4.6
// prints: Unknown model alias "larg". Known aliases: fast.
// prints: simulated
