import { InvalidArgumentError } from 'commander';

/** Parses the value of an option of a command. @throws InvalidArgumentError unless it is a number of at least 0 */
export function toNumber(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('Expected a number.');
}
