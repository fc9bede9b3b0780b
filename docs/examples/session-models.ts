import process from 'node:process';
import { runAgentSession, type SessionModel } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';

// #region models
const openai: SessionModel = { provider: 'openai', model: 'gpt-4o', apiKey: process.env['OPENAI_API_KEY'] };
const anthropic: SessionModel = { provider: 'anthropic', model: 'claude-sonnet-4-5' }; // ANTHROPIC_API_KEY
const ollama: SessionModel = { provider: 'ollama', model: 'qwen2.5:7b' }; // on this machine, without a key
const named = 'mistral:mistral-large-latest'; // every name that a run takes
const object = scriptedModel(['…']); // any model of the AI SDK
// #endregion
console.log([openai, anthropic, ollama, named, object].length);

// #region key
const { completionReason, error } = await runAgentSession(anthropic, {
  systemPrompt: 'You work.',
  models: { env: {} }, // an environment without keys
});
console.log(completionReason, error?.code);
// #endregion
// prints: 5
// prints: error missing_key
