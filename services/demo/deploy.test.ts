import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestSchema } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { describeAdaptors } from './deploy.ts';
import type { Call, Venue } from './publish.ts';
import type { Prices } from './trading.ts';

const id = `0x${'a'.repeat(64)}`;
const coin = `${id}::coin::COIN`;

function venue<Role extends string>(...roles: Role[]): Venue<Role> {
  const coins = Object.fromEntries(roles.map((role) => [role, coin])) as Record<Role, string>;
  return { packageId: id, objectId: id, coins };
}
const prices: Prices = { packageId: id, objectId: id, capId: id };

const adaptors = Object.values(
  describeAdaptors({
    prices,
    jar: venue('asset'),
    savings: venue('asset'),
    pool: venue('a', 'b'),
    vault: venue('asset', 'share'),
    flashPool: venue('asset', 'share'),
    creditPool: venue('asset', 'share'),
    moneyMarket: venue('asset', 'collateral'),
    supplyMarket: venue('asset'),
    issuer: venue('collateral', 'stablecoin'),
    stakePool: venue('asset', 'share'),
    concentratedPool: venue('a', 'b', 'reward'),
    perpetualMarket: venue('base', 'quote'),
  }),
);

test('every manifest is one that the index takes', () => {
  for (const { folder, witness, manifest } of adaptors) {
    const body = { ...manifest, packageId: id, serviceType: `${id}::${folder}::${witness}` };
    expect(manifestSchema.safeParse(body).error).toBeUndefined();
  }
});

const inTable = ({ args }: Call) =>
  args.map((argument) => {
    if (argument.role === 'pure') return `${argument.name}: ${argument.type.split('::').at(-1)}`;
    return argument.role;
  });
const roles = ['wallet', 'amount', 'minOut', 'clock'];

test('the table of move/adaptors/README.md says of every op of one call what its manifest says', async () => {
  const readme = await readFile(join(moveDir, 'adaptors/README.md'), 'utf8');
  let adaptor = '';
  const rows = [...readme.matchAll(/^\| (.*?) ?\| `(\w+)` \| (\w?) ?\| (.*?) ?\| (.*) \|$/gm)].map(
    ([, first = '', op, mode, types = '', args = '']) => {
      adaptor = /\[(\w+)\]/.exec(first)?.[1] ?? adaptor;
      // Only the table has the kind of an object.
      const named = args
        .split(', ')
        .map((one) => (roles.includes(one) || one.includes(':') ? one : 'object'));
      return { adaptor, op, mode, types: types ? types.split(', ').length : 0, args: named };
    },
  );
  const expected = adaptors.flatMap(({ folder, manifest }) =>
    manifest.ops.flatMap(({ entry, intentMode = '', call }) =>
      call
        ? { adaptor: folder, op: entry, mode: intentMode, types: call.typeArgs.length, args: inTable(call) }
        : [],
    ),
  );
  // Beside them: the functions of an op of several calls, and the package for visitors, whose manifest they write.
  const single = new Set(expected.map(({ adaptor }) => adaptor));
  expect(rows.filter((row) => single.has(row.adaptor))).toEqual(expected);
});
