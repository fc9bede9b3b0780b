export { restateDriver, type RestateDriver, type RestateDriverOptions } from './restate-driver.ts';
