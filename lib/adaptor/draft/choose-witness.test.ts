import { expect, test } from 'vitest';
import { chooseWitness } from './choose-witness.ts';
import { address } from './testing/ops.ts';

const witness = (module: string, name: string) => ({
  module,
  name,
  serviceType: `${address('ad')}::${module}::${name}`,
});
const spot = witness('spot', 'Venue');
const margin = witness('margin', 'Venue');
const jar = witness('jar', 'Jar');

test.each([
  ['the only one, where none is named', [jar], undefined, jar],
  ['its name', [spot, jar], 'Jar', jar],
  ['its module and name', [spot, margin], 'margin::Venue', margin],
  ['its service type, in any spelling', [spot, margin], '0xAD::spot::Venue', spot],
])('a witness is found by %s', (_, witnesses, asked, found) => {
  expect(chooseWitness(witnesses, asked)).toBe(found);
});

test.each([
  ['no_witness', [], undefined],
  ['several_witnesses', [spot, jar], undefined],
  ['several_witnesses', [spot, margin, jar], 'Venue'],
  ['witness_not_found', [jar], 'Jug'],
  ['witness_not_found', [jar], '0xae::jar::Jar'],
] as const)('%s: all there are is said', (code, witnesses, asked) => {
  const serviceTypes = witnesses.map(({ serviceType }) => serviceType);
  expect(() => chooseWitness(witnesses, asked)).toThrow(expect.objectContaining({ code, serviceTypes }));
});
