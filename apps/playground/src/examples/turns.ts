import type { ScriptedTurn } from '@cueline/core/testing';

/** How a scripted answer arrives: as many characters at a time, each after a pause in milliseconds; a quick reader's pace. */
export const scriptedPace = { chunkSize: 4, delay: 16 };

const call = (name: string, input: unknown) => ({ toolCall: { name, input }, delay: 120 });

/** What the simulated model says to each example, as long as nobody has edited it. */
export const scriptedTurns: Readonly<Record<string, readonly ScriptedTurn[]>> = {
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
};
