import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';

/** A setting whose text is JSON of this shape. An issue begins with the path of its fault. */
export const jsonSetting = (shape: z.ZodType) =>
  z.string().superRefine((text, context) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return context.addIssue(`expected JSON: ${getErrorMessage(error)}`);
    }
    for (const { path, message } of shape.safeParse(value).error?.issues ?? []) {
      context.addIssue([...path, message].join(': '));
    }
  });
