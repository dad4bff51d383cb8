import { join } from 'node:path';
import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../../../lib/contracts/move-dir.ts';
import { folders, type PackageName } from './world.ts';

/** A contract without one of its checks. A run must find that it is missing. */
interface Mutant {
  name: string;
  /** `package::module`. */
  module: string;
  /** Text of the check, which occurs once in the module. */
  check: string;
  instead: string;
}

const without = (module: string, name: string, check: string, instead = ''): Mutant => ({
  name,
  module,
  check,
  instead,
});

export const mutants: readonly Mutant[] = [
  without(
    'wallet::wallet',
    'a grant does not run down',
    '    grant.allowance = allowance::less(grant.allowance, amount);\n',
  ),
  without(
    'wallet::wallet',
    'a pull does not run down',
    '    grant.pull = allowance::less(grant.pull, amount);\n',
  ),
  without(
    'wallet::wallet',
    'a paused wallet pays services',
    '    assert!(!wallet.paused, EPaused);\n    let service',
    '    let service',
  ),
  without(
    'wallet::wallet',
    'a paused wallet pays policy spends',
    '    assert!(!wallet.paused, EPaused);\n    lock::assert_none',
    '    lock::assert_none',
  ),
  without(
    'wallet::wallet',
    'anyone acts as the owner',
    '    assert!(ctx.sender() == wallet.owner, ENotYourWallet);\n',
  ),
  without(
    'wallet::wallet',
    'anyone accepts the ownership',
    '    assert!(wallet.offered_to == option::some(owner), ENotOffered);\n',
  ),
  without(
    'wallet::wallet',
    'a service without a grant takes an asset',
    '    wallet.assert_serves<ServiceT>();\n    let asset',
    '    let asset',
  ),
  without(
    'wallet::wallet',
    'a service without a grant binds an account',
    '    wallet.assert_serves<AccountT>();\n',
  ),
  without(
    'wallet::wallet',
    'a closed version of a wallet works',
    'assert!(wallet.version == VERSION, EWrongVersion)',
    'assert!(wallet.version <= 255, EWrongVersion)',
  ),
  without(
    'wallet::wallet',
    'only an open version returns coins',
    'wallet.assert_owner_acts(ctx);\n    wallet.debit',
    'wallet.assert_owner(ctx);\n    wallet.debit',
  ),
  without(
    'wallet::wallet',
    'a deposit is lost',
    'wallet.credit(coin.into_balance(), option::none())\n}\n\n/// Deposits a coin that was sent',
    'field::add(&mut wallet.id, coin.value(), coin.into_balance())\n}\n\n/// Deposits a coin that was sent',
  ),
  without(
    'wallet::action',
    'an action need not end',
    'public struct Ticket {',
    'public struct Ticket has drop {',
  ),
  without(
    'wallet::lock',
    'an action takes without a bound',
    'assert!(amount <= flow.may_take.destroy_or!(0) - flow.taken, ETakesTooMuch);',
    '',
  ),
  without(
    'wallet::lock',
    'an action need not bring anything',
    'assert!(flow.brought >= (*min as u128) + (flow.taken as u128), EBringsTooLittle)',
    'let _ = min;',
  ),
  without(
    'wallet::delegate',
    'a budget for a service does not run down',
    '    *budget = allowance::less(*budget, amount);\n    let remaining = *budget;\n    event::emit(ServiceAllowanceDebited',
    '    let remaining = *budget;\n    event::emit(ServiceAllowanceDebited',
  ),
  without(
    'wallet::delegate',
    'a budget for a coin does not run down',
    '    *budget = allowance::less(*budget, amount);\n    let remaining = *budget;\n    event::emit(CoinAllowanceDebited',
    '    let remaining = *budget;\n    event::emit(CoinAllowanceDebited',
  ),
  without(
    'wallet::delegate',
    'an expired delegate spends',
    '    assert!(!entry.is_over(clock), EExpired);\n',
  ),
  without(
    'wallet::policy',
    'a revoked cap spends',
    '        assert!(!revoked, ECapRevoked)\n',
    '        let _ = revoked;\n',
  ),
  without(
    'wallet::sub_delegate',
    'a cap of before the revocation of all spends',
    'assert!(cap.policy_version == request.spend_policy_version(), ECapRevoked);',
  ),
  without(
    'wallet::sub_delegate',
    'the budget of a cap does not run down',
    '    cap.remaining = cap.remaining - amount;\n    policy::add_cap_receipt',
    '    policy::add_cap_receipt',
  ),
  without(
    'wallet::sub_delegate',
    'a part of a cap is in both',
    '    cap.remaining = cap.remaining - amount;\n    let child',
    '    let child',
  ),
  without(
    'wallet::sub_delegate',
    'a cap spends from another wallet',
    '    assert!(cap.wallet_id == request.spend_wallet_id(), EWrongWallet);\n',
  ),
  without(
    'wallet::policy',
    'a spend needs no caveat',
    '|rule| policy.caveats_of(rule).all!(|caveat| request.caveat_receipts.contains(caveat)),',
    '|_rule| true,',
  ),
  without(
    'rules::rule',
    'a spend goes anywhere',
    '    assert!(list.is_allowed(request.spend_recipient()), ENotAllowed);\n',
  ),
  without(
    'rules::rule',
    'a retired list allows',
    '    assert!(active == option::some(object::id(list)), ENotActive);\n',
    '    let _ = active;\n',
  ),
  without(
    'rules::rule',
    'anyone edits a list',
    '    assert!(ctx.sender() == wallet.owner(), ENotOwner);\n    wallet.assert_owner_acts(ctx)',
    '    let _ = wallet;\n    let _ = ctx;',
  ),
  without('escrow::job', 'anyone submits', '    assert!(ctx.sender() == job.provider, ENotProvider);\n'),
  without(
    'escrow::job',
    'anyone cancels',
    '    job.assert_payer(wallet, ctx);\n    job.refund',
    '    let _ = wallet;\n    job.refund',
  ),
  without(
    'escrow::job',
    'a job expires early',
    '    assert!(clock.timestamp_ms() >= job.deadline_ms + review_ms, EDeadlineNotPassed);\n',
    '    let _ = clock;\n    let _ = review_ms;\n',
  ),
  without(
    'escrow::job',
    'the sender is paid for the work',
    '    let provider = job.provider;\n    let (amount',
    '    let provider = ctx.sender();\n    let (amount',
  ),
  without(
    'escrow::job',
    'the sender gets the refund',
    'let refunded_to = job.refund_to;',
    'let refunded_to = ctx.sender();',
  ),
  without(
    'escrow::job',
    'submitted work is cancelled',
    'assert!(job.state == OPEN || job.state == FUNDED, EWrongState);',
    '',
  ),
  without(
    'escrow::job',
    'a job is funded twice',
    '    assert!(job.state == OPEN, EWrongState);\n    assert!(coin.value()',
    '    assert!(coin.value()',
  ),
  without(
    'escrow::job',
    'only an open version is cancelled',
    '    job.assert_payer(wallet, ctx);\n    job.refund',
    '    job.assert_version();\n    job.assert_payer(wallet, ctx);\n    job.refund',
  ),
  without(
    'escrow::job',
    'a closed version of a job works',
    'assert!(job.version == VERSION, EWrongVersion)',
    'assert!(job.version <= 255, EWrongVersion)',
  ),
  without(
    'escrow::cap_assessor',
    'any assessor judges',
    '    assert!(cap.job_id == request.request_job_id(), EWrongJob);\n',
  ),
  without(
    'adaptor_registry::registry',
    'anyone updates a listing',
    '    let publisher = ctx.sender();\n    let listing',
    '    let publisher = *registry.services[service_type].live.front().borrow();\n    let listing',
  ),
  without(
    'adaptor_registry::registry',
    'a listing gets an old version again',
    'service.unlisted.remove(publisher) + 1',
    'service.unlisted.remove(publisher)',
  ),
  without(
    'adaptor_registry::registry',
    'a closed version of the registry works',
    'assert!(registry.version == VERSION, EWrongVersion)',
    'assert!(registry.version <= 255, EWrongVersion)',
  ),
  without(
    'rules::registry',
    'anyone unlists a rule',
    '    let publisher = ctx.sender();\n    let rule = registry.rule_of_publisher',
    '    let publisher = *registry.rules[rule_type].live.front().borrow();\n    let rule = registry.rule_of_publisher',
  ),
  without(
    'agents::registry',
    'an agent cannot unlist',
    '    let Agent { version, .. } = registry.live.remove(agent);\n',
    '    let Agent { version, .. } = registry.live.remove(agent);\n    assert!(version > 1, ENotRegistered);\n',
  ),
];

/** The sources of the mutant's package, by the package's name. @throws Error if the check does not occur once */
export async function removeCheck({
  module,
  check,
  instead,
}: Mutant): Promise<Partial<Record<PackageName, PackageFiles>>> {
  const [name, moduleName] = module.split('::') as [PackageName, string];
  const files = await readPackage(join(moveDir, folders[name]));
  const path = `sources/${moduleName}.move`;
  const parts = files[path]?.split(check) ?? [];
  if (parts.length !== 2) throw new Error(`${check} occurs ${parts.length - 1} times in ${path}`);
  return { [name]: { ...files, [path]: parts.join(instead) } };
}
