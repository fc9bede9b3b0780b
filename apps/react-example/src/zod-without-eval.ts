import * as z from 'zod';

// The page's policy forbids `new Function`, and a browser reports the attempt.
z.config({ jitless: true });
