import { expect, test } from 'vitest';
import { attestersSetting, readAttesters } from './attesters.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const auditor = {
  name: 'Auditor',
  type: '0xA::audit::Audit',
  says: 'An audit of the package.',
  fields: { summary: 'description' },
};
const settings = { packageId: '0x1a', registryId: '0x1b', list: [auditor] };
const findFaults = (value: unknown) =>
  attestersSetting
    .safeParse(typeof value === 'string' ? value : JSON.stringify(value))
    .error?.issues.map(({ message }) => message);

test('ids and types are read in their whole form', () => {
  expect(findFaults(settings)).toBeUndefined();
  expect(readAttesters(JSON.stringify(settings))).toEqual({
    packageId: id('1a'),
    registryId: id('1b'),
    list: [{ ...auditor, type: `${id('a')}::audit::Audit` }],
  });
});

test('a wrong list is refused with the place of its fault', () => {
  expect(findFaults('[')?.[0]).toMatch(/^expected JSON: /);
  const refused = (change: object) => findFaults({ ...settings, list: [{ ...auditor, ...change }] })?.join();
  expect(refused({ type: '0xA::audit::Audit<u64>' })).toMatch(/^list: 0: type: expected a type such as/);
  expect(refused({ fields: { verdict: 'x' } })).toMatch(/^list: 0: fields: /);
  expect(refused({ fields: { report: 'a.b' } })).toBe('list: 0: fields: report: expected a field');
  expect(refused({ says: '' })).toMatch(/^list: 0: says: /);
  expect(refused({ icon: 'x' })).toMatch(/^list: 0: Unrecognized key: "icon"/);
  expect(findFaults({ ...settings, list: [] })?.join()).toMatch(/^list: /);
  expect(findFaults({ ...settings, list: [auditor, { ...auditor, type: '0x0a::audit::Audit' }] })).toEqual([
    'list: two attesters have the same type',
  ]);
  expect(findFaults({ ...settings, packageId: 'x' })?.join()).toMatch(/^packageId: expected an object id/);
});
