import { join } from 'node:path';
import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../../../lib/contracts/move-dir.ts';
import { folderByPackage, type PackageName, type Replaced, type WorldOptions } from './world.ts';

/** A package without one of its guards. The property test must find that it is missing. */
interface Mutant {
  name: string;
  package: PackageName;
  module: string;
  /** Text of the guard, which occurs once in the module. */
  guard: string;
  instead: string;
}

const inWallet = (module: string, name: string, guard: string, instead = ''): Mutant => ({
  name,
  package: 'wallet',
  module,
  guard,
  instead,
});

const mutants: readonly Mutant[] = [
  inWallet(
    'wallet',
    'a service pulls within an action',
    `    lock::assert_none(&wallet.id);
    let service = type_name::with_defining_ids<ServiceT>();`,
    '    let service = type_name::with_defining_ids<ServiceT>();',
  ),
  inWallet(
    'wallet',
    'a policy pays within an action',
    `    lock::assert_none(&wallet.id);
    let taker`,
    '    let taker',
  ),
  inWallet(
    'wallet',
    'the owner acts within an action',
    `    assert!(ctx.sender() == wallet.owner, ENotYourWallet);
    lock::assert_none(&wallet.id)`,
    '    assert!(ctx.sender() == wallet.owner, ENotYourWallet)',
  ),
  inWallet(
    'wallet',
    'the ownership is accepted within an action',
    `    lock::assert_none(&wallet.id);
    wallet.assert_version();
    let previous`,
    `    wallet.assert_version();
    let previous`,
  ),
  inWallet('wallet', 'another service acts', '    lock::assert_lets<ServiceT>(&wallet.id);\n'),
  inWallet(
    'wallet',
    'another service has an account',
    'wallet.lets<AccountT>() && wallet.has_binding',
    'wallet.has_binding',
  ),
  inWallet('wallet', "the owner's word counts for an account", ' && !lock::is_open(&wallet.id)'),
  inWallet(
    'lock',
    'another service takes',
    '    assert_lets<ServiceT>(wallet);\n    let coins',
    '    let coins',
  ),
  inWallet('lock', 'what was taken is forgotten', 'flow.taken = flow.taken + amount', '()'),
  inWallet(
    'lock',
    'a coin without a bound is taken',
    'destroy_or!(0) - flow.taken',
    'destroy_or!(1000) - flow.taken',
  ),
  inWallet(
    'lock',
    'what was taken counts as brought',
    '(*min as u128) + (flow.taken as u128)',
    '(*min as u128)',
  ),
  inWallet(
    'lock',
    'nothing need be brought',
    'flow.must_bring.do_ref!(|min| {',
    'if (false) flow.must_bring.do_ref!(|min| {',
  ),
  inWallet(
    'action',
    "a ticket of another wallet's ends the action",
    `    ticket.assert_of(wallet);
    let Ticket`,
    '    let Ticket',
  ),
  inWallet(
    'action',
    "a ticket of another wallet's lets more be taken",
    `    ticket.assert_of(wallet);
    lock::may_take`,
    '    lock::may_take',
  ),
  inWallet('delegate', 'the sender may act elsewhere', `    if (!wallet.lets<ServiceT>()) return false;\n`),
  inWallet(
    'delegate',
    'the sender has money to spend elsewhere',
    `    if (!wallet.lets<ServiceT>()) return 0;\n`,
  ),
  inWallet(
    'delegate',
    'budgets do not run down',
    '    if (spender == wallet.owner()) return;',
    '    if (true || spender == wallet.owner()) return;',
  ),
  {
    name: 'the owner changes a list within an action',
    package: 'rules',
    module: 'rule',
    guard: '    assert!(ctx.sender() == wallet.owner(), ENotOwner);\n    wallet.assert_owner_acts(ctx)',
    instead: '    assert!(ctx.sender() == wallet.owner(), ENotOwner)',
  },
  {
    name: 'the owner ends a job within an action',
    package: 'escrow',
    module: 'job',
    guard: '    assert!(ctx.sender() == wallet.owner(), ENotOwner);\n    wallet.assert_owner_acts(ctx)',
    instead: '    assert!(ctx.sender() == wallet.owner(), ENotOwner)',
  },
];

/** Reads the sources of a package, and takes the guard out. */
async function removeGuard({ package: name, module, guard, instead }: Mutant): Promise<Replaced> {
  const files = await readPackage(join(moveDir, folderByPackage[name]));
  const file = `sources/${module}.move`;
  const parts = files[file]?.split(guard) ?? [];
  if (parts.length !== 2) throw new Error(`${guard} occurs ${parts.length - 1} times in ${file}`);
  return { [name]: { ...files, [file]: parts.join(instead) } };
}

/** The sources of a second version of the wallet package. */
export async function secondVersion(): Promise<PackageFiles> {
  const files = await readPackage(join(moveDir, 'wallet'));
  const version = 'const VERSION: u64 = 1;';
  const wallet = files['sources/wallet.move']!;
  if (!wallet.includes(version)) throw new Error(`${version} is not in the wallet's module`);
  return {
    ...files,
    'sources/wallet.move': wallet.replace(version, 'const VERSION: u64 = 2;'),
  };
}

/** All worlds in which the property test must find a missing guard. */
export const brokenWorlds: readonly { name: string; options: () => Promise<WorldOptions> }[] = mutants.map(
  (mutant) => ({ name: mutant.name, options: async () => ({ replaced: await removeGuard(mutant) }) }),
);
