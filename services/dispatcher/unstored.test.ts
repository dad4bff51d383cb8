import { expect, test } from 'vitest';
import { UnstoredResults } from './unstored.ts';

test.each([1, 2])(
  'of a subscription at most fifty answers wait to be stored, while %i of its deliveries run at a time',
  (senders) => {
    const { promise: neverStored } = Promise.withResolvers<void>();
    const recorder = { add: () => neverStored, hurry: () => undefined, close: async () => undefined };
    const unstored = new UnstoredResults(recorder);
    let answered = 0;
    for (let sending = Array.from({ length: senders }); sending.length > 0; ) {
      sending = sending.filter(() => {
        answered += 1;
        return unstored.add(undefined) === undefined;
      });
    }
    expect(answered).toBeGreaterThan(40);
    expect(answered).toBeLessThanOrEqual(50);
  },
);
