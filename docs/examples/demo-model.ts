// #region demo
import { demoModel } from '@cueline/demo-model';
import { generateText } from 'ai';

const { text } = await generateText({ model: demoModel(), prompt: 'Plan a day in Lisbon.' });
console.log(text);
// #endregion
// prints: simulated
