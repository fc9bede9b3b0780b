import { demoModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import { examples } from '../../src/examples/index.ts';
import { scriptedAnswers } from '../../src/examples/scripted-answers.ts';
import { scriptedModelOf } from '../../src/model/scripted-model.ts';
import { findDefinitions } from '../../src/sandbox/script/find-definitions.ts';
import { answerAll } from '../sessions.ts';
import { describeLine, runScript } from './run-script.ts';

const found = (source: string): string[] => findDefinitions(source).definitions.map(describeLine);

describe('the definitions in an example’s text are those that its run reports', () => {
  test.each(examples)('$id', async ({ id, source }) => {
    const model =
      scriptedAnswers[id] === undefined
        ? demoModel({ pace: 0 })
        : scriptedModelOf(scriptedAnswers[id], { hurried: true });
    const { lines } = await runScript(source, model, answerAll);
    const { definitions, promptLine } = findDefinitions(source);
    const ofRun = new Set(lines.map(describeLine));
    const ofText = definitions.filter(({ isSetting }) => !isSetting);
    expect(new Set(ofText.map(({ lastLine: _lastLine, ...line }) => describeLine(line)))).toEqual(ofRun);
    expect(source.split('\n')[promptLine! - 1]).toMatch(/^export default /);
  });
});

test.each<[source: string, lines: string[]]>([
  [
    // settings of a session and of an agent
    `export default defineSession('log', {
  systemPrompt: 'You keep' +
    ' the log.', initialMessage: \`It is
    six.\`,
  tools: [tool('read', 'Reads', none, () => 1)] });
const namer = defineAgent({ tools: [tool('look', '', none)], instructions: 'You name.', name: 'namer' });
namer.prompt('A café');`,
    [
      '2-3 system instructions',
      '3-4 message messages[0]',
      '5 tool read',
      '6 agent namer',
      '6 system namer: instructions',
      '6 tool namer: look',
      '7 message messages[0]',
    ],
  ],
  [
    // parts of composite tools, agents in agents, and their messages
    `prompt.defTool('files', 'Files', [
  tool('read', '', none, () => [tool('inner', '')]),
]);
prompt.defTool('other', '', none, () => {});
tool('alone', '', none);
prompt.defAgent('outer', '', none, (_, own) => {
  own.defAgent('inner', '', none, (_args, { $ }) => { $\`a\${'}'}\`; $\`b\`; });
  own.$\`c\`;
});
prompt.$\`d\`;
prompt.defMessage('user', 'e');`,
    [
      '1 tool files',
      '2 tool files.read',
      '2 tool files.inner',
      '4 tool other',
      '5 tool alone',
      '6 agent outer',
      '7 agent outer: inner',
      '7 message outer/inner: messages[0]',
      '7 message outer/inner: messages[1]',
      '8 message outer: messages[0]',
      '10 message messages[0]',
      '11 message messages[1]',
    ],
  ],
  [
    // names that only the run knows, comments, strings, and the script's own functions
    `// prompt.def('NO', '')
const text = "prompt.def('NO', '')"; const more = \`prompt.def('NO', '')\`;
prompt.def(name, ''); prompt.defTool(\`get\${x}\`, '');
function def(name: string) { return name; }
prompt.def(\`CITY\`, 'x'); prompt.defSystem('You are brief.',); prompt.defSystem('role', 'x');
export { prompt as default };`,
    ['5 variable CITY', '5 system ', '5 system role'],
  ],
  ['prompt.def(', []],
  ['', []],
])('definitions of %j', (source, lines) => {
  expect(found(source)).toEqual(lines);
});
