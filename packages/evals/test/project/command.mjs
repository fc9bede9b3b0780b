// The command from its sources, which bin/cueline.js runs from what was built.
import { main } from '../../src/cli/main.ts';

await main();
