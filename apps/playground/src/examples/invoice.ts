import { definePrompt } from '@cueline/core';
import { z } from 'zod';

const invoice = z.object({
  number: z
    .string()
    .regex(/^[A-Z]{2}-\d{4}$/)
    .describe('Invoice number, such as AB-1234'),
  issued: z.iso.date(),
  seller: z.object({ name: z.string(), country: z.string().length(2) }),
  lines: z
    .array(
      z.object({
        text: z.string(),
        quantity: z.number().int().positive(),
        unitPrice: z.number().nonnegative(),
        vat: z.union([z.literal(0), z.literal(6), z.literal(23)]).describe('VAT in per cent'),
      }),
    )
    .min(1),
  payment: z.discriminatedUnion('by', [
    z.object({ by: z.literal('transfer'), iban: z.string() }),
    z.object({ by: z.literal('card'), lastFour: z.string().length(4) }),
  ]),
});

export default definePrompt('invoice', async (prompt) => {
  const letter = prompt.def(
    'LETTER',
    `Invoice AB-2041, 2 May 2026. Moinho Lda, Portugal.
     3 bags of flour at 4.20 each (6 % VAT) and 1 delivery at 9.00 (23 % VAT).
     Please pay to PT50 0002 0123 1234 5678 9015 4.`,
  );

  prompt.defSystem('role', 'You turn letters into data. Copy it; never guess.');

  // The arguments have passed the schema before this function runs.
  prompt.defTool('saveInvoice', 'Stores one invoice', invoice, async ({ number, lines }) => {
    const net = lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);
    const vat = lines.reduce((sum, line) => sum + (line.quantity * line.unitPrice * line.vat) / 100, 0);
    return { saved: number, net: round(net), vat: round(vat), total: round(net + vat) };
  });

  prompt.$`Save the invoice in ${letter}, then tell me what is to be paid.`;
});

function round(amount: number): number {
  return Math.round(amount * 100) / 100;
}
