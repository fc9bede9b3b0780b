export { createCassette, type Cassette, type CassetteOptions } from './cassette.ts';
export type { CassetteData, Recording } from './cassette-file.ts';
export { Prompt } from './prompt.ts';
export { demoModel, type DemoModelOptions } from '@cueline/demo-model';
export type { ScriptedFailure, ScriptedFinish, ScriptedPart, ScriptedTurn } from './script.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
