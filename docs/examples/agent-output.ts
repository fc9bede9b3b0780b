import { defineAgent, tags } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region outputs
const reader = defineAgent({
  name: 'receipt-reader',
  instructions: 'You read receipts.',
  output: z.object({ shop: z.string(), total: z.number() }),
});
const editor = defineAgent({
  name: 'editor',
  instructions: 'You edit texts.',
  output: tags({ required: ['text'], optional: ['note'] }),
});
const analyst = defineAgent({
  name: 'analyst',
  instructions: 'You answer with findings and with the query that shows them.',
  output: tags({ required: ['finding', 'sql'], lists: ['finding'], markdown: ['sql'] }),
});
const lister = defineAgent({
  name: 'lister',
  instructions: 'You list facts, each in a line that begins with "- ".',
  output(text) {
    const facts = text.split('\n').filter((line) => line.startsWith('- '));
    if (facts.length === 0) throw new Error('there is no line that begins with "- "');
    return facts;
  },
});
// #endregion

// #region calls
const models = {
  reader: scriptedModel(['{"shop":"Pastelaria","total":3.5}']),
  editor: scriptedModel(['Here it is: <text>It is late.</text>']),
  analyst: scriptedModel([
    '<finding>Nails sell best.</finding> <finding>Lamps do not.</finding>\n```sql\nSELECT item FROM sales\n```',
  ]),
  lister: scriptedModel(['The moon pulls.', 'Again:\n- The moon pulls.\n- So does the sun.']),
};
const receipt = await reader.call('Pastelaria, 2 coffees, 3.50', { model: models.reader });
const edited = await editor.call('its late', { model: models.editor });
const analyzed = await analyst.call('What sells?', { model: models.analyst });
const listed = await lister.call('Why are there tides?', { model: models.lister });
console.log(receipt.output.total, edited.output.text, listed.output.length); // number, string, number
console.log(analyzed.output.finding, analyzed.output.sql); // string[], string
// #endregion
// prints: 3.5 It is late. 2
// prints: [ 'Nails sell best.', 'Lamps do not.' ] SELECT item FROM sales
