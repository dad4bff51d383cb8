import { expect, test } from 'vitest';
import type { IntrospectedWitness, WitnessWarning } from '../introspect/types.ts';
import { chooseWitness } from './choose-witness.ts';
import { address } from './testing/ops.ts';

const witness = (module: string, name: string, ...codes: WitnessWarning['code'][]): IntrospectedWitness => ({
  module,
  name,
  serviceType: `${address('ad')}::${module}::${name}`,
  warnings: codes.map((code) => ({ code, detail: `What is wrong: ${code}.` })),
});
const spot = witness('spot', 'Venue');
const margin = witness('margin', 'Venue');
const jar = witness('jar', 'Jar');
const leaky = witness('leaky', 'Leaky', 'witness_returned');
const copied = witness('copied', 'Copied', 'witness_returned', 'witness_has_more_than_drop');
const generic = witness('generic', 'Generic', 'witness_not_usable');

test.each([
  ['the only one, where none is named', [jar], undefined, jar],
  ['its name', [spot, jar], 'Jar', jar],
  ['its module and name', [spot, margin], 'margin::Venue', margin],
  ['its service type, in any spelling', [spot, margin], '0xAD::spot::Venue', spot],
  ['the only one that can be listed, where none is named', [copied, jar, generic], undefined, jar],
  ['the only one, though others can get a value of it', [leaky], undefined, leaky],
])('a witness is found by %s', (_, witnesses, requested, found) => {
  expect(chooseWitness(witnesses, requested)).toBe(found);
});

test.each([
  ['no_witness', [], undefined],
  ['several_witnesses', [spot, jar], undefined],
  ['several_witnesses', [spot, margin, jar], 'Venue'],
  ['witness_not_found', [jar], 'Jug'],
  ['witness_not_found', [jar], '0xae::jar::Jar'],
  ['witness_not_usable', [copied], undefined],
  ['witness_not_usable', [jar, generic], 'Generic'],
  ['several_witnesses', [copied, generic], undefined],
] as const)('%s: all there are is said', (code, witnesses, requested) => {
  const serviceTypes = witnesses.map(({ serviceType }) => serviceType);
  expect(() => chooseWitness(witnesses, requested)).toThrow(expect.objectContaining({ code, serviceTypes }));
});

test('a witness that no catalog shows is refused with what is wrong with it', () => {
  expect(() => chooseWitness([copied], 'Copied')).toThrow('What is wrong: witness_has_more_than_drop.');
});
