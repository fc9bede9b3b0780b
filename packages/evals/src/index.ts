export { describeEval, type DescribeEvalOptions } from './describe-eval.ts';
export { openCassette, type FileCassette } from './file-cassette.ts';
export { fileEvalStore } from './file-eval-store.ts';
export { readCases } from './read-cases.ts';
export { saveDraft } from './save-draft.ts';
