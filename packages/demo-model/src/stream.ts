// What simulated models are made of, for others such as the scripted model of @cueline/core/testing.
export { generateFrom, streamOf, wait } from './model-stream.ts';
export { countTokens, promptLength, usageOf } from './usage.ts';
