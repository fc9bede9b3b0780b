// one file, so that a bundler puts all of it into one chunk
export { askForLabel, askYesOrNo } from './ask-for-label.ts';
export { callAgent, prepareCall } from './call-agent.ts';
