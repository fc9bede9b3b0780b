export { bullmqDriver, type BullmqDriverOptions } from './bullmq-driver.ts';
