import { transition } from './transition.tsx';

// for e2e/tests/react-probes.spec.ts, which builds this page for production
Object.assign(window, { probes: { transition } });
