export { demoModel, type DemoModelOptions } from './demo-model.ts';
