import type { Upstream } from './upstream.ts';

/** What a check is made with: where the app answers, on which runtime, and the provider behind it. */
export type Tried = { name: string; url: string; port: number; upstream: Upstream };

/** The provider's key, which only the app has. */
export const key = 'sk-live-0123456789abcdef';
/** The page that may ask. */
export const page = 'https://play.example';
