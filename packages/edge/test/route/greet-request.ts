import { greet } from './routes.ts';

export const request = { definition: greet, input: { name: 'Ada' } };
