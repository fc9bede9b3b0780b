import * as z from 'zod';

// The page's policy forbids `new Function`, and a browser reports the attempt of the first schema.
z.config({ jitless: true });
