import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel([
  [
    { toolCall: { name: 'createTask', input: { description: 'Choose a password hash' } } },
    { toolCall: { name: 'createTask', input: { description: 'Write the sign-up form' } } },
  ],
  [{ toolCall: { name: 'completeTask', input: { taskId: 'task-1', result: 'argon2id' } } }],
  [{ toolCall: { name: 'completeTask', input: { taskId: 'task-2', result: 'src/sign-up.tsx' } } }],
  [{ toolCall: { name: 'completeTask', input: { taskId: 'task-3', result: 'src/sign-in.tsx' } } }],
  'Sign-up and sign-in are done.',
]);

const { run } = await runPrompt(
  (prompt) => {
    prompt.defDynamicTaskList();
    prompt.$`Plan and build a sign-up for our site.`;
  },
  { model },
);

// #region edit
run.listen((event) => {
  if (event.type !== 'task-update' || event.status !== 'completed' || event.taskId !== 'task-1') return;
  console.log(run.edit({ type: 'add', title: 'Write the sign-in form' }));
  console.log(run.edit({ type: 'remove', taskId: 'task-1' }));
});
// #endregion

const { tasks, steps } = await run.finished;
console.log(tasks.map(({ id, title, origin }) => `${id}, by the ${origin}: ${title}`).join('\n'));
console.log(steps[2]?.request.messages[1]?.content); // the list, as the model reads it after that
// prints: { accepted: true }
// prints: task-1 is completed and cannot be removed. It can be retried.
// prints: task-3, by the user: Write the sign-in form
// prints: Changes by the user:
// prints: - The user added task-3 “Write the sign-in form” after task-2.
