import { createMemoryLimits } from '@cueline/edge';
import { describeLimitStore } from './limits-conformance.ts';

const clock = { at: Date.UTC(2026, 0, 2, 12) };
const store = createMemoryLimits({ now: () => clock.at });

describeLimitStore('memory', { open: () => store, clock });
