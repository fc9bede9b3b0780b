import { hideAndShow, remountById, startOnMount } from './lifetimes.tsx';
import { statusOnly, tasksOnly } from './renders.tsx';
import { transition } from './transition.tsx';

// for e2e/tests/react-probes.spec.ts, which builds this page for development and for production
Object.assign(window, {
  probes: { startOnMount, hideAndShow, remountById, statusOnly, tasksOnly, transition },
});
