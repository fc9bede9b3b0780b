import { call, callAfterPause, type ScriptedAnswer } from './scripted-answer.ts';

/** A mail's label, after a pause: the script asks for all labels at once. */
const sorted = (mail: RegExp, label: string, delay: number): ScriptedAnswer => ({
  when: new RegExp(`You sort the mail.*${mail.source}`, 's'),
  turn: [{ text: label, delay }],
});

/** The simulated model's answers in the examples of sessions and agent calls. */
export const sessionAnswers: Readonly<Record<string, readonly ScriptedAnswer[]>> = {
  'kitchen-garden': [
    ['I look at the beds first.', call('lookAtBeds', {})],
    ['Two of them are empty. What goes out in April?', callAfterPause('findSeeds', { month: 'April' })],
    [
      'Peas can climb the wall, and spinach does not mind the shade.',
      callAfterPause('sow', { bed: 'by the wall', seed: 'peas' }),
      call('sow', { bed: 'under the pear tree', seed: 'spinach' }),
    ],
    ['I make sure of it.', callAfterPause('lookAtBeds', {})],
    [
      callAfterPause('task_complete', {
        summary:
          'No bed is empty: **peas** climb the wall, **spinach** grows under the pear tree, and the garlic in the ' +
          'south bed stays where it is.',
        result: { sown: { 'by the wall': 'peas', 'under the pear tree': 'spinach' } },
      }),
    ],
  ],
  'weather-log': [
    ['Let me see.', call('readInstruments', {})],
    'The pressure is down to 998 hPa since noon, and the wind has picked up to SW 5. That should go into the log.',
    'It will be a wet night, with a gale perhaps before the morning. I think that is all for today!',
    [
      'Right, the line is still missing.',
      callAfterPause('writeLine', { line: '18:00: 998 hPa, wind SW 5, 2 mm rain.' }),
    ],
    [
      callAfterPause('task_complete', {
        summary:
          'The line for six in the evening is in the log: 998 hPa and falling, wind SW 5, 2 mm of rain.',
      }),
    ],
  ],
  'ships-cat': [
    {
      when: /Your summary will take its place/,
      turn:
        'Asked: where did the cat come aboard, and where did she leave? Pages 1 to 4 of 6 are read.\n\n- The cat, ' +
        '**Pilot**, came aboard at **Funchal** on 9 March.\n- On 20 April, at Horta, she was still with the ship.',
    },
    ['From the beginning.', callAfterPause('readPage', { page: 1 })],
    ['No cat yet, only mice.', callAfterPause('readPage', { page: 2 })],
    ['There she is: Pilot.', callAfterPause('readPage', { page: 3 })],
    ['Asleep on the Azores.', callAfterPause('readPage', { page: 4 })],
    ['Pages 5 and 6 are left.', callAfterPause('readPage', { page: 5 })],
    ['Still aboard, on a hat.', callAfterPause('readPage', { page: 6 })],
    [
      callAfterPause('task_complete', {
        summary:
          'The cat, Pilot, came aboard at **Funchal** on 9 March and left the ship at **Bristol** on 14 May, for the ' +
          'harbour master’s daughter.',
        result: { aboard: 'Funchal', ashore: 'Bristol' },
      }),
    ],
  ],
  'cafe-name': [
    'I would call it **Poste Restante**: that is where letters wait until somebody comes for them, and so may the ' +
      'guests.\n\n<why>Letters wait there until somebody comes for them, and so may the guests.</why>',
    '<name>Poste Restante</name>\n<why>Letters wait there until somebody comes for them, and so may the guests.</why>\n' +
      '<sign>A brass cat on a pair of scales</sign>',
  ],
  'mail-desk': [
    ['I sort it first.', call('sortMail', {})],
    sorted(/teapot came without its lid/, 'question', 700),
    sorted(/tastes as it did in Goa/, 'praise', 1_600),
    sorted(/in bags of a kilo/, 'question', 1_100),
    sorted(/parcel went to my neighbour/, 'complaint', 2_200),
    'Four mails came in. **Urgent** is the parcel that went to the neighbour for the third time: somebody should call. ' +
      'The teapot’s lid can go out with it today. One more asks for the smoked tea by the kilo, and a grandmother is happy.',
  ],
};
