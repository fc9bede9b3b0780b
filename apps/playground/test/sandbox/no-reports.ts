import type { DefinitionReporter } from '../../src/sandbox/worker/report-definitions.ts';

/** Reports nothing, for tests that do not need reports. */
export const noReports: DefinitionReporter = {
  report: () => {},
  reportTools: () => {},
  during: (_tell, define) => define(),
  made: (value) => value,
};
