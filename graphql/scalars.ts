import { builder } from './builder.ts';

function wholeNumber(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new TypeError('expected a whole number below 2^53');
}

builder.scalarType('Milliseconds', {
  description: 'An instant in milliseconds since the epoch, as a JSON number.',
  serialize: wholeNumber,
  parseValue: wholeNumber,
});

builder.scalarType('Count', {
  description: 'A whole number that may exceed 32 bits, as a JSON number.',
  serialize: wholeNumber,
  parseValue: wholeNumber,
});

builder.scalarType('JSON', {
  description: 'Any JSON value, as it was published.',
  serialize: (value) => value,
  parseValue: (value) => value,
});
