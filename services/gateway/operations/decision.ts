import { z } from 'zod';

/** Text of one line: no control characters. */
export const lineOfText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected no control characters');

/** Name of the operator who decides. */
export const operatorName = lineOfText(64).meta({
  description: 'Your name, for the record: the admin secret names no person. Only operators see it.',
});
