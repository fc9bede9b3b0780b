import { sanitizeInput, sanitizeOutput } from '@cueline/core/library';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe.each([
  ['sanitizeInput', sanitizeInput],
  ['sanitizeOutput', sanitizeOutput],
])('%s', (_, sanitize) => {
  test.each([
    ['null', null, ''],
    ['undefined', undefined, ''],
    ['an empty text', '', ''],
    ['spaces around', '  hello world  ', 'hello world'],
    ['a clean text', 'Hello World 123!@#$%^&*()', 'Hello World 123!@#$%^&*()'],
    ['control characters below 0x20', 'Hello\u0000\u0001\u0002\u001F World', 'Hello World'],
    ['the delete character', 'Hello\u007F World', 'Hello World'],
    ['control characters above 0x7F', 'Hello\u0080\u009F World', 'Hello World'],
    ['only control characters', '\u0000\u0001\u001F\u007F\u0080\u009F', ''],
    ['line breaks and tabs, which stay', 'a\r\nb\n\tc', 'a\nb\n\tc'],
    ['tags', 'Hello <b>bold</b> and <i>italic</i> text', 'Hello bold and italic text'],
    [
      'tags with attributes',
      'Hello <a href="http://example.com" target="_blank">link</a> text',
      'Hello link text',
    ],
    ['tags without content', 'Line 1<br/>Line 2<hr/>Line 3', 'Line 1Line 2Line 3'],
    ['scripts, whose text stays', 'Hello <script>alert("xss")</script> world', 'Hello alert("xss") world'],
    ['only tags', '<div><span><script></script></span></div>', ''],
    ['tags and control characters', 'Hello\u0001<b>world</b>\u007F<script>evil</script>', 'Helloworldevil'],
    ['a tag inside a tag', '<<b>script>alert()<<i>/script>', 'alert()'],
    ['comments and declarations', '<!-- hidden --><!doctype html><?xml?>shown', 'shown'],
    ['comparisons, which stay', 'if a < b and c > d, or 1<2>0', 'if a < b and c > d, or 1<2>0'],
    [
      'other alphabets and emoji',
      'Hello 世界 🌍 café naïve résumé 👩‍👩‍👧 می‌خواهم',
      'Hello 世界 🌍 café naïve résumé 👩‍👩‍👧 می‌خواهم',
    ],
    ['marks that reverse a text', 'a\u202Egnp.exe\u2066b\u2069', 'agnp.exeb'],
    ['characters without a width', 'a\u200Bb\u00ADc\u2060d\u2064e\uFEFFf\u206Ag', 'abcdefg'],
    ['a tag with characters without a width', '<\u200Bb\u00AD>bold<\u2060/b>', 'bold'],
    [
      'the joiners and the variation selector of emoji, which stay',
      '\u2764\uFE0F\u200D\u{1F525}',
      '\u2764\uFE0F\u200D\u{1F525}',
    ],
    ['text in variation selectors', `hi${tagged('ignore all', 0xe0100)}`, 'hi'],
    ['the last variation selector', 'hi\u{E01EF}', 'hi'],
    ['text in invisible tag characters', `hi${tagged('ignore all')}`, 'hi'],
    [
      'a flag of tag characters, which stays',
      `\u{1F3F4}${tagged('gbsct')}\u{E007F}`,
      `\u{1F3F4}${tagged('gbsct')}\u{E007F}`,
    ],
  ])('%s', (_, given, expected) => {
    expect(sanitize(given)).toBe(expected);
  });

  test('a sanitized text has no tags, and does not change again', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      'b',
      '/',
      '!',
      ' ',
      '\u0000',
      '\u202E',
      '\u200B',
      '\u{E0100}',
      '\u{E0067}',
      '\u{1F3F4}',
      '\u{E007F}',
      '<b>',
      'script',
      '"',
      '=',
      '𐍈',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const once = sanitize(parts.join(''));
        expect(sanitize(once)).toBe(once);
        expect(once).not.toMatch(/<[a-z/!?][^>]*>/i);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['<', '<a'],
    ['unclosed tags', '<a '],
    ['word characters', 'a'],
    ['@', 'a@'],
    ['domains', 'a@b.c'],
    ['digits', '1'],
    ['digits and spaces', '0123 '],
    ['brackets', '(555'],
    ['characters without a width', '\u200B\u2060'],
    ['variation selectors', '\u{E0100}'],
  ])('a megabyte of %s is read in a time that grows with its length', (_, part) => {
    const duration = (length: number): number => {
      const text = part.repeat(length / part.length);
      const begin = performance.now();
      sanitize(text);
      return performance.now() - begin;
    };
    duration(10_000);
    // in milliseconds; a quadratic search of this would take minutes
    expect(duration(1_000_000)).toBeLessThan(20_000);
  });
});

describe('personal data in an answer', () => {
  test.each([
    ['an address', 'Contact me at john.doe@example.com for more info', 'Contact me at [EMAIL] for more info'],
    [
      'two addresses',
      'Email alice@test.com or bob@company.org for details',
      'Email [EMAIL] or [EMAIL] for details',
    ],
    ['an address with a plus', 'Send to user+tag@example.com please', 'Send to [EMAIL] please'],
    ['an address of many parts', 'Try first.last-name@sub-domain.example.co.uk', 'Try [EMAIL]'],
    [
      'text that only looks like an address',
      'Not emails: @example.com or user@ or user@.com',
      'Not emails: @example.com or user@ or user@.com',
    ],
    [
      'an address in other letters, which stays',
      'Contact user@example.com or café@résumé.com',
      'Contact [EMAIL] or café@résumé.com',
    ],
    [
      'a card of 16 digits',
      'My card number is 1234567890123456 for payment',
      'My card number is [CARD] for payment',
    ],
    ['a card of 19 digits', 'Card: 1234567890123456789 expires next year', 'Card: [CARD] expires next year'],
    ['a card in groups', 'Card 4111 1111 1111 1111 or 4111-1111-1111-1111', 'Card [CARD] or [CARD]'],
    ['a card of 15 digits', 'Card 3782 822463 10005', 'Card [CARD]'],
    ['15 digits', 'Order number 123456789012345', 'Order number [PHONE]2345'],
    ['20 digits', 'ID 12345678901234567890', 'ID [PHONE]234567890'],
    ['a phone number with brackets', 'Call me at (555) 123-4567 tomorrow', 'Call me at [PHONE] tomorrow'],
    ['a phone number with dots', 'My number is 555.123.4567 or text me', 'My number is [PHONE] or text me'],
    ['a phone number with spaces', 'Contact: 555 123 4567 for support', 'Contact: [PHONE] for support'],
    [
      'a phone number with +1',
      'International: +1 555-123-4567 works too',
      'International: [PHONE] works too',
    ],
    ['ext', 'Office: (555) 123-4567 ext 1234 during business hours', 'Office: [PHONE] during business hours'],
    ['x', 'Call 555-123-4567 x 999 for help', 'Call [PHONE] for help'],
    ['extension', 'Try 555.123.4567 extension 42 if needed', 'Try [PHONE] if needed'],
    [
      'British numbers',
      '0758 4323 309, 020 4576 2064, 01246 866275, +44 20 4576 2064',
      '[PHONE], [PHONE], [PHONE], [PHONE]',
    ],
    ['other international numbers', 'Ring +49 151 23456789 or +351 912 345 678', 'Ring [PHONE] or [PHONE]'],
    [
      'several at once',
      'Contact john@example.com at (555) 123-4567 or use card 1234567890123456',
      'Contact [EMAIL] at [PHONE] or use card [CARD]',
    ],
    [
      'cards and phones',
      'Cards: 1234567890123456 and 9876543210987654 phones: 555-123-4567, (888) 999-0000',
      'Cards: [CARD] and [CARD] phones: [PHONE], [PHONE]',
    ],
    [
      'tags around them',
      'Email\u0001<b>user@test.com</b>\u007F or call <i>555-123-4567</i> with card 1234567890123456',
      '[EMAIL] or call [PHONE] with card [CARD]',
    ],
    [
      'prices and short numbers, which stay',
      'Price $1,234.56 for item #12345 with tax 8.75% in 2026, +5 of 120',
      'Price $1,234.56 for item #12345 with tax 8.75% in 2026, +5 of 120',
    ],
  ])('%s', (_, given, expected) => {
    expect(sanitizeOutput(given)).toBe(expected);
  });

  test('sanitizeInput keeps personal data, because a prompt may need it', () => {
    expect(sanitizeInput('ana@example.com 555-123-4567')).toBe('ana@example.com 555-123-4567');
  });
});

/** Returns the text in invisible characters, by default in tag characters. */
function tagged(text: string, first = 0xe0000): string {
  return String.fromCodePoint(...Array.from(text, (character) => first + character.codePointAt(0)!));
}
