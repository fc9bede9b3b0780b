import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Length } from '../../../src/base/utf8-length.ts';

test("utf8Length equals the length of TextEncoder's output, including lone surrogates", () => {
  const unit = fc.integer({ min: 0, max: 0xff_ff }).map((code) => String.fromCharCode(code));
  const surrogate = fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff', '😀', 'é', '€', 'a');
  const texts = fc.array(fc.oneof(unit, surrogate), { maxLength: 600 }).map((units) => units.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).byteLength);
    }),
  );
});
