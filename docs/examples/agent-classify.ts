import { classify, classifyBinary, defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';

// #region classify
const model = scriptedModel(['I would say shipping.', 'Shipping', 'billing', 'billing', 'other', 'Yes.']);

const mail = await classify('Where is my parcel?', ['billing', 'shipping', 'other'], { model });
console.log(mail.label, mail.source); // 'billing' | 'shipping' | 'other'

const sampled = await classify('My bill is lost.', ['billing', 'other'], { model, samples: 3 });
console.log(sampled.label, sampled.probabilities?.billing.toFixed(2), sampled.source);

const angry = await classifyBinary('Is this customer angry? "WHERE IS IT"', { model });
console.log(angry.value, angry.source);
// #endregion

// #region agent
const clerk = defineAgent({
  name: 'clerk',
  instructions: 'You answer for a shop that sells nails.',
  model: scriptedModel(['yes']),
});
const { value } = await clerk.classifyBinary('Can I buy a nail here?');
console.log(value);
// #endregion
// prints: shipping label
// prints: billing 0.67 samples
// prints: true label
