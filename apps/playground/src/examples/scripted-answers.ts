import { call, callAfterPause, type ScriptedAnswer } from './scripted-answer.ts';
import { sessionAnswers } from './session-answers.ts';

const researcher = (topic: string, fact: string): ScriptedAnswer[] => {
  const when = new RegExp(`You are a researcher.*Look up ${topic}`, 's');
  return [
    { when, turn: [call('searchArchive', { topic })] },
    { when, turn: JSON.stringify({ facts: [fact], sure: true }, null, 2) },
  ];
};
const editor = /You edit a local paper/;
const lighthouse = 'The lighthouse of Bugio stands on a round fort in the mouth of the Tagus.';
const ferry = 'Ferries have crossed the Tagus at Lisbon since long before there was a bridge.';

/**
 * The simulated model's answers in each unedited example: each scripted answer is used once, the first that matches.
 * When the user leaves the scripted path, the rule-based model continues.
 */
export const scriptedAnswers: Readonly<Record<string, readonly ScriptedAnswer[]>> = {
  weather: [
    ['Let me look at the sky over Lisbon first.', call('getWeather', { city: 'Lisbon', unit: 'celsius' })],
    'It is **24 °C and sunny** in Lisbon, with a light breeze from the sea. A T-shirt and comfortable shoes will do; take ' +
      'sunglasses, and a thin jacket for when the wind picks up by the river in the evening.',
  ],
  'trip-planner': [
    [
      'I will look for places that fit what Ada likes.',
      call('findPlaces', { city: 'Porto', kind: 'nature' }),
      call('findPlaces', { city: 'Porto', kind: 'food' }),
    ],
    [
      call('checkOpeningHours', { place: 'Serralves park', date: '2026-05-16' }),
      call('checkOpeningHours', { place: 'Port cellars in Gaia', date: '2026-05-16' }),
    ],
    [call('addUp', { costs: [12, 22, 0], budget: 50 })],
    '### Saturday in Porto\n\n- **10:00** Serralves park, two unhurried hours among the trees\n- **13:00** Lunch in Ribeira, ' +
      'then a walk along the river\n- **15:30** Port cellars in Gaia, with a tasting\n- **17:30** Back over the bridge in the ' +
      'evening light\n\nBoth places are open until 19:00. The day costs **34 €**, which leaves 16 € for lunch.',
  ],
  'research-notes': [
    [
      {
        reasoning:
          'The question is about the height of high tides, not about how often they come. Sun and moon must play together ' +
          'here, so the notes on the moon alone will not be enough. I should search for “tides” and read the ones about ' +
          'spring tides first.',
      },
      call('searchNotes', { word: 'tides' }),
    ],
    [
      { reasoning: 'Two of these matter: one says why there are tides at all, one why they differ.' },
      call('readNote', { id: 'tides-1' }),
      call('readNote', { id: 'tides-3' }),
    ],
    'High tides are higher when **sun and moon stand in line**, at new and full moon: their pulls add up, which is called a ' +
      '*spring tide* [tides-3]. When they stand at right angles the pulls partly cancel out, and the *neap tides* are lower ' +
      '[tides-3].\n\nThe moon does most of the work, because it pulls the nearer ocean more than the farther one [tides-1].',
  ],
  invoice: [
    [
      call('saveInvoice', {
        number: 'AB-2041',
        issued: '2026-05-02',
        seller: { name: 'Moinho Lda', country: 'PT' },
        lines: [
          { text: 'Bag of flour', quantity: 3, unitPrice: 4.2, vat: 6 },
          { text: 'Delivery', quantity: 1, unitPrice: 9, vat: 23 },
        ],
        payment: { by: 'transfer', iban: 'PT50000201231234567890154' },
      }),
    ],
    'Invoice **AB-2041** from Moinho Lda is saved. To be paid by transfer:\n\n| | € |\n| --- | --- |\n| Net | 21.60 |\n| VAT ' +
      '| 2.83 |\n| **Total** | **24.43** |',
  ],
  'failing-tool': [
    ['I will count the black tea.', call('countStock', { product: 'tea-black' })],
    ['The till had locked the list, so I try once more.', call('countStock', { product: 'tea-black' })],
    [call('orderMore', { product: 'tea-black', packets: 20 })],
    'There was **no black tea left**: the first count failed because the till had locked the list, the second one said 0 ' +
      'packets. I ordered 20 packets; they arrive on Thursday.',
  ],
  'file-notes': [
    [
      'I ask for everything at once.',
      call('notes', {
        calls: [
          { name: 'read', args: { path: 'todo.md' } },
          { name: 'append', args: { path: 'todo.md', line: '- pick the beans' } },
          { name: 'read', args: { path: 'diary.md' } },
        ],
      }),
    ],
    'Left to do: **water the tomatoes** and **mend the gate**. I added *pick the beans*. About yesterday I can say ' +
      'nothing: there is no `diary.md`, only `todo.md` and `garden.md`.',
  ],
  'ask-first': [
    [call('findBooking', { guest: 'Ada' })],
    [
      'Ada arrives on 12 June and has left an address. I write to her, if I may.',
      call('sendMail', {
        to: 'ada@example.com',
        subject: 'Your room on 12 June',
        text: 'Dear Ada,\n\nyour room will be ready for you at noon.\n\nSee you soon!',
      }),
    ],
    { when: /"sent":true/, turn: 'The mail is on its way: Ada knows that room 7 will be ready at noon.' },
    {
      when: /was not run, because the user did not approve it/,
      turn: 'I have **not** written to Ada. Tell me what the mail should say, and I will ask again.',
    },
  ],
  newsroom: [
    {
      when: editor,
      turn: [
        'Two things to look up, side by side.',
        call('researcher', { topic: 'lighthouses' }),
        call('researcher', { topic: 'ferries' }),
      ],
    },
    ...researcher('lighthouses', lighthouse),
    ...researcher('ferries', ferry),
    {
      when: editor,
      turn: [
        'Both are sure of their facts. Now the piece.',
        call('writer', { headline: 'What crosses the Tagus, and what watches', facts: [lighthouse, ferry] }),
      ],
    },
    {
      when: /You are a writer/,
      turn:
        'A fort stands round in the mouth of the Tagus and carries the lighthouse of Bugio. Upstream the ferries cross, ' +
        'as they did before there was a bridge.',
    },
    {
      when: editor,
      turn:
        '### What crosses the Tagus, and what watches\n\nA fort stands round in the mouth of the Tagus and carries the ' +
        'lighthouse of Bugio. Upstream the ferries cross, as they did before there was a bridge.\n\n*Both facts are from ' +
        'the archive.*',
    },
  ],
  'moving-house': [
    {
      when: /\[Task 1\/\d+\] Count the boxes/,
      turn: [
        'I count room by room.',
        call('countBoxes', { room: 'kitchen' }),
        call('countBoxes', { room: 'books' }),
        call('countBoxes', { room: 'tools' }),
      ],
    },
    {
      when: /\[Task 1\/\d+\] Count the boxes/,
      turn: [callAfterPause('finishTask', { result: 'There are 40 boxes.' })],
    },
    {
      when: /\[Task 1\/\d+\] Count the boxes/,
      turn: [
        'I added up wrongly: 14, 22 and 6 make 42.',
        callAfterPause('finishTask', {
          result: 'There are 42 boxes: 14 of the kitchen, 22 of books, 6 of tools.',
        }),
      ],
    },
    { when: /\[Task 2\/\d+\] Pick a van/, turn: [call('findVans', {})] },
    {
      when: /\[Task 2\/\d+\] Pick a van/,
      turn: [
        'The small one is too small.',
        callAfterPause('finishTask', { result: 'The large van: it takes 60 boxes and costs 65 €.' }),
      ],
    },
    {
      when: /\[Task 3\/\d+\] Write a message/,
      turn: [
        callAfterPause('finishTask', {
          result:
            'Dear friends, on Saturday at ten we move 42 boxes with a large van. Bring gloves; there will be cake.',
        }),
      ],
    },
    {
      when: /All tasks are completed\. Give your final answer/,
      turn:
        'The move is planned: **42 boxes**, the **large van** for 65 €, and a message to your friends:\n\n> Dear friends, ' +
        'on Saturday at ten we move 42 boxes with a large van. Bring gloves; there will be cake.',
    },
  ],
  'own-plan': [
    {
      when: /^(?!.*(?:Pending tasks|Current task):)/s,
      turn: [
        'I make a plan first.',
        call('createTask', { description: 'See what is in the pantry' }),
        call('createTask', { description: 'Find a recipe that fits' }),
        call('createTask', { description: 'Write down what to buy' }),
      ],
    },
    { when: /Pending tasks:.*- task-1:/s, turn: [callAfterPause('startTask', { taskId: 'task-1' })] },
    { when: /Current task: \[task-1\]/, turn: [callAfterPause('lookInPantry', {})] },
    {
      when: /Current task: \[task-1\]/,
      turn: [
        callAfterPause('completeTask', {
          taskId: 'task-1',
          result: 'Rice, two leeks, a lemon and parmesan.',
        }),
      ],
    },
    { when: /Pending tasks:.*- task-2:/s, turn: [callAfterPause('startTask', { taskId: 'task-2' })] },
    {
      when: /Current task: \[task-2\]/,
      turn: ['Leeks go well with rice.', callAfterPause('findRecipes', { ingredient: 'leeks' })],
    },
    {
      when: /Current task: \[task-2\]/,
      turn: [
        callAfterPause('completeTask', {
          taskId: 'task-2',
          result: 'Risotto with leeks, lemon and parmesan.',
        }),
      ],
    },
    { when: /Pending tasks:.*- task-3:/s, turn: [callAfterPause('startTask', { taskId: 'task-3' })] },
    {
      when: /Current task: \[task-3\]/,
      turn: [
        callAfterPause('completeTask', {
          taskId: 'task-3',
          result: 'An onion, white wine, vegetable stock.',
        }),
      ],
    },
    {
      when: /All tasks are completed\. Give your final answer/,
      turn:
        'Tonight: **risotto with leeks**, with lemon and parmesan from the pantry.\n\nTo buy: an onion, white wine and ' +
        'vegetable stock.',
    },
  ],
  'ticket-desk': [
    ['I look at the order first.', call('findOrder', { id: 'A-17' })],
    ['It is late indeed.', call('refund', { id: 'A-17', euros: 32 })],
    'Your kettle is late, and we are sorry for it. **32 €** are on their way back to you.',
  ],
  memory: [
    [
      call('recall', { person: 'Grace' }),
      call('remember', { person: 'Grace', note: 'Likes a seat by the window.' }),
    ],
    'Grace drinks her coffee **black**. I have noted that she likes a seat by the window.',
  ],
  ...sessionAnswers,
};
