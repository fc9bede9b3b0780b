export { Prompt } from '../prompt/prompt.ts';
export { demoModel, type DemoModelOptions } from './demo-model.ts';
export type { ScriptedFailure, ScriptedFinish, ScriptedPart, ScriptedTurn } from './script.ts';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
