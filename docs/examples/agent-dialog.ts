import { defineAgent } from '@cueline/core/agents';
import { createDialog, dialogFromJSON } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel(['Ada is noted.', 'It is Ada.', 'It is still Ada.']);
const friend = defineAgent({ name: 'friend', instructions: 'You remember names.', model });

// #region dialog
const hello = createDialog(['Hello.', { role: 'assistant', content: 'Hello!' }]);
const first = await friend.call('I am Ada.', { dialog: hello });
console.log(hello.messages.length, first.dialog.messages.length); // what was given stays as it is

const stored = JSON.stringify(first.dialog);
const again = await friend.call('Who am I?', { dialog: dialogFromJSON(JSON.parse(stored)) });
const other = await friend.call('And now?', { dialog: first.dialog.fork() });
console.log(again.output, again.dialog.id === first.dialog.id);
console.log(other.output, other.dialog.parentId === first.dialog.id);
// #endregion
// prints: 2 4
// prints: It is Ada. true
// prints: It is still Ada. true
