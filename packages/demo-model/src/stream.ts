// The building blocks of simulated models, also for the scripted model of @cueline/core/testing.
export { generateFrom, streamOf, wait } from './model-stream.ts';
export { countInput, countTokens, usageOf } from './usage.ts';
