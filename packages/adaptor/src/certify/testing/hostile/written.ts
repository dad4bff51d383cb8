import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { HostileAdaptor, Names, Variant } from './adaptor.ts';
import { collector } from './money/destinations.ts';
import type { ClaimPattern } from './pattern.ts';

/** A written adaptor, with the claim that its certificate must have. */
interface Plant {
  plant: string;
  op: string;
  shownBy?: HostileAdaptor['shownBy'];
  rewrite?: HostileAdaptor['rewrite'];
  claim: (names: Names) => ClaimPattern;
  at?: (names: Names) => string;
}

const wallet = { kind: 'wallet', parameter: 0 };
const argument = { kind: 'argument', parameter: 0 };
const toCollector = { kind: 'constantAddress', address: collector };
const atOwn =
  (name: string) =>
  ({ self }: Names) =>
    `${self}::${name}`;

const droppedCheck = (plant: string, op: string, check: (names: Names) => string, at = op): Plant => ({
  plant,
  op,
  claim: (names) => ({ kind: 'droppedCheck', check: check(names) }),
  at: atOwn(at),
});

const witnessLeak = (plant: string, giver: string): Plant => ({
  plant,
  op: 'pay',
  claim: ({ self }) => ({ kind: 'witnessLeak', witness: `${self}::Service`, function: `${self}::${giver}` }),
});

const versionGate = (plant: string): Plant => ({
  plant,
  op: 'pay',
  shownBy: 'absent',
  claim: ({ self }) => ({ kind: 'upgrade', versionGates: [`${self}::Jar.version`] }),
});

const writesWallet = (plant: string, path: RegExp): Plant => ({
  plant,
  op: 'pay',
  claim: () => ({ kind: 'touches', access: 'writes', path }),
  at: atOwn('widen'),
});

const paysCollector = (plant: string, at = 'pay'): Plant => ({
  plant,
  op: 'pay',
  claim: () => ({ kind: 'goesTo', source: argument, sink: toCollector }),
  at: atOwn(at),
});

const keeps = (plant: string, path: RegExp): Plant => ({
  plant,
  op: 'pay',
  claim: () => ({ kind: 'goesTo', source: argument, sink: { kind: 'kept', path } }),
  at: atOwn('pay'),
});

/** The amount is taken several times. */
const takesRepeatedly = (plant: string, source: typeof wallet | typeof argument, at: string): Plant => ({
  plant,
  op: 'pay',
  claim: () => ({ kind: 'takes', source, repeated: true }),
  at: atOwn(at),
});

/** A stored field that anyone can set by `setter`. */
const steers = (
  plant: string,
  reaches: 'amount' | 'recipient',
  field: string | ((names: Names) => string),
  setter: string,
): Plant => ({
  plant,
  op: 'pay',
  claim: (names) => ({
    kind: 'steers',
    path: `${names.self}::${typeof field === 'string' ? field : field(names)}`,
    reaches,
    writers: { list: [{ function: `${names.self}::${setter}`, needs: [] }] },
  }),
  at: atOwn(setter),
});

/** Replaces instructions by `Nop`: those at some positions of a sequence that the code has once. */
const omit =
  (sequence: readonly string[], positions: readonly number[]): NonNullable<Plant['rewrite']> =>
  (code) => {
    const names = code.map((each) => instructionParts(each)[0]);
    const found = [...names.keys()].filter((at) => sequence.every((name, i) => names[at + i] === name));
    if (found.length !== 1) throw new Error(`The code has ${sequence.join(', ')} ${found.length} times.`);
    for (const position of positions) code[found[0]! + position] = 'Nop';
  };

/** A claim with `count` different bounds or more. */
const bounds = (count: number) => (list: unknown) => Array.isArray(list) && list.length >= count;

/** The adaptors in `written`, by name. */
const plants: Record<string, Plant> = {
  dropped_owner_check: droppedCheck(
    'The owner is checked, and the result is thrown away.',
    'empty',
    atOwn('is_owner'),
  ),
  dropped_cap_check: droppedCheck(
    'A key of any jar opens this one: the result of its check is thrown away.',
    'empty',
    atOwn('fits'),
  ),
  dropped_list_check: droppedCheck(
    'The list of keepers is searched, and the result is thrown away.',
    'empty',
    () => `0x${'2'.padStart(64, '0')}::vec_set::contains`,
  ),
  dropped_price_check: droppedCheck(
    'The age of a price is checked in a helper, and the result is thrown away.',
    'sell',
    atOwn('is_fresh'),
    'read',
  ),
  witness_returned: witnessLeak('Anyone gets the witness as a result.', 'service'),
  witness_in_ticket: witnessLeak('Anyone gets the witness out of a ticket that anyone gets.', 'tear'),
  witness_into_option: witnessLeak('Anyone gets the witness in an option.', 'sign'),
  witness_in_vector: witnessLeak('Anyone gets the witness in a vector.', 'badges'),
  version_not_checked: versionGate('The version in the jar does not disable older packages.'),
  version_at_least: versionGate('Newer versions in the jar do not disable older packages.'),
  version_checked_on_one_path: versionGate('The version in the jar is only checked for small payments.'),
  takes_whole_coin: {
    plant: 'Takes the whole coin for whatever amount.',
    op: 'pay',
    claim: () => ({ kind: 'takes', source: argument, bounds: [{ kind: 'all' }] }),
    at: atOwn('pay'),
  },
  takes_twice: {
    plant: 'Takes the amount twice.',
    op: 'pay',
    claim: () => ({ kind: 'takes', source: wallet, bounds: bounds(2) }),
    at: atOwn('take'),
  },
  takes_in_loop: takesRepeatedly('Takes the amount one to three times.', wallet, 'take'),
  takes_more_than_asked: {
    plant: 'Takes more than the amount, by a stored value.',
    op: 'pay',
    claim: ({ self }) => ({
      kind: 'takes',
      source: wallet,
      bounds: [{ kind: 'unbounded', from: [{ kind: 'state', path: `${self}::Jar.extra` }] }],
    }),
    at: atOwn('pay'),
  },
  takes_other_coin: {
    plant: 'Takes a second coin, of a type that the caller names.',
    op: 'pay',
    claim: () => ({ kind: 'takes', source: wallet, type: /T0/ }),
    at: atOwn('take'),
  },
  takes_asset: {
    plant: 'Takes an asset out of the wallet and sends it to an address in the code.',
    op: 'appraise',
    claim: ({ self }) => ({ kind: 'goesTo', source: wallet, sink: toCollector, type: `${self}::Deed` }),
    at: atOwn('appraise'),
  },
  withdraws_as_owner: {
    plant: "Withdraws everything in the owner's own transaction.",
    op: 'pay',
    claim: () => ({ kind: 'goesTo', source: wallet, sink: toCollector, decidedBy: [{ kind: 'sender' }] }),
    at: atOwn('pay'),
  },
  pulls_unmetered: {
    plant: 'A function that only reports pulls everything within its pull.',
    op: 'check',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: wallet,
      sink: { kind: 'kept', path: `${self}::Jar.money` },
      decidedBy: [{ kind: 'time' }],
    }),
    at: atOwn('pull'),
  },
  grants_itself_more: writesWallet(
    "Widens its own grant in the owner's transaction.",
    /::wallet::Wallet\.grants$/,
  ),
  offers_ownership: writesWallet(
    "Offers the wallet to an address in the code in the owner's transaction.",
    /::wallet::Wallet\.offered_to/,
  ),
  adds_delegate: writesWallet(
    "Makes itself a delegate in the owner's transaction.",
    /::delegate::Delegate\.entries/,
  ),
  trusts_rule: writesWallet("Makes itself an auth rule in the owner's transaction.", /::policy::/),
  anyone_drains: {
    plant: 'Anyone takes everything out of the jar.',
    op: 'rescue',
    shownBy: 'absent',
    claim: ({ self }) => ({ kind: 'gate', on: { kind: 'state', path: `${self}::Jar.owner` } }),
  },
  shares_for_free: {
    plant: 'Shares are minted without a payment.',
    op: 'buy',
    shownBy: 'absent',
    claim: () => ({ kind: 'takes', verdict: 'may', source: argument }),
  },
  savings_without_way_back: {
    plant: 'Savings are written off, and nothing is paid.',
    op: 'withdraw',
    shownBy: 'absent',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'state', path: `${self}::Jar.money` },
      sink: { kind: 'returned', index: 0 },
    }),
  },
  books_debt: {
    plant: 'A payment books a debt on the sender.',
    op: 'pay',
    claim: ({ self }) => ({ kind: 'touches', access: 'writes', path: `${self}::Jar.debts[address]` }),
    at: atOwn('pay'),
  },
  takes_over_treasury: steers(
    'Who pays a certain amount gets all later payments.',
    'recipient',
    'Jar.treasury',
    'pay',
  ),
  sends_on_received: {
    plant: 'What was sent to the jar goes to an address in the code.',
    op: 'collect',
    claim: () => ({ kind: 'goesTo', source: { kind: 'received' }, sink: toCollector }),
    at: atOwn('collect'),
  },
  empties_object_balance: {
    plant: "The balance of the jar's address goes to an address in the code.",
    op: 'collect',
    claim: () => ({ kind: 'goesTo', source: { kind: 'funds' }, sink: toCollector }),
    at: atOwn('collect'),
  },
  burns_shares: {
    plant: 'Shares are burned where the caller expects a lock.',
    op: 'lock',
    claim: () => ({ kind: 'goesTo', source: argument, sink: { kind: 'burned' } }),
    at: atOwn('lock'),
  },
  returns_a_part: {
    plant: 'A tenth is returned to the transaction, whose author may be a delegate.',
    op: 'pay',
    claim: () => ({ kind: 'goesTo', source: wallet, sink: { kind: 'returned', index: 0 } }),
    at: atOwn('pay'),
  },
  keeps_part_of_proceeds: {
    plant: 'What a swap brings beyond the minimum goes to an address in the code.',
    op: 'swap',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'state', path: `${self}::Pool.b` },
      sink: toCollector,
    }),
    at: atOwn('swap'),
  },
  order_loses_a_part: {
    plant: 'The second call of an op sends what the first set aside to an address in the code.',
    op: 'finish',
    claim: () => ({ kind: 'goesTo', source: argument, sink: toCollector }),
    at: atOwn('finish'),
  },
  steals_object: {
    plant: 'Valuable objects go to an address in the code.',
    op: 'store',
    claim: ({ self }) => ({ kind: 'goesTo', source: argument, sink: toCollector, type: `${self}::Deed` }),
    at: atOwn('store'),
  },
  liquidates_for_the_sender: {
    plant: 'Anyone takes the savings of others.',
    op: 'close',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'state', path: `${self}::Jar.shares[address]` },
      sink: { kind: 'sender' },
    }),
    at: atOwn('close'),
  },
  sends_key: {
    plant: 'A second key of the safe goes to an address in the code.',
    op: 'deposit',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'made' },
      sink: toCollector,
      type: `${self}::Key`,
    }),
    at: atOwn('deposit'),
  },
  attaches_to_sent_object: paysCollector('A tenth is a dynamic field of a note that is sent.'),
  address_from_number: {
    plant: 'A tenth goes to an address that is a number in the code.',
    op: 'pay',
    claim: () => ({
      kind: 'goesTo',
      source: argument,
      sink: { kind: 'computedAddress', from: [{ kind: 'constant', value: '2989' }] },
    }),
    at: atOwn('pay'),
  },
  address_from_bytes: {
    plant: 'A tenth goes to an address that is stored as bytes, with each bit turned around.',
    op: 'pay',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: argument,
      sink: { kind: 'computedAddress', from: [{ kind: 'state', path: `${self}::Jar.seed[]` }] },
    }),
    at: atOwn('pay'),
  },
  address_from_id: {
    plant: 'A tenth goes to an address that is stored as an id.',
    op: 'pay',
    claim: () => ({
      kind: 'goesTo',
      source: argument,
      sink: { kind: 'storedAddress', path: /::Jar\.partner/ },
    }),
    at: atOwn('pay'),
  },
  one_of_two_addresses: {
    plant: 'Withdrawals go to an address in the code once a week.',
    op: 'withdraw',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'state', path: `${self}::Jar.money` },
      sink: toCollector,
    }),
    at: atOwn('withdraw'),
  },
  object_to_generic_function: paysCollector(
    'A generic function sends a tenth to an address in the code.',
    'give',
  ),
  pays_by_library: paysCollector("A function of the framework's library for payments sends a tenth."),
  swapped_in_vector: paysCollector('The payment is moved within vectors, and sent.'),
  changed_in_enum: keeps(
    'The payment goes into another field of the same variant of an enum.',
    /::State\.Open\.spare/,
  ),
  kept_below_dynamic_field: keeps('The payment goes into an object below the jar.', /::Pocket\.inner/),
  versioned_content: keeps('A tenth goes into another field of versioned content.', /::Content\.rest/),
  kiosk_item: {
    plant: 'The deed goes to an address in the code if the kiosk has seven items.',
    op: 'list',
    claim: ({ self }) => ({ kind: 'goesTo', source: argument, sink: toCollector, type: `${self}::Deed` }),
    at: atOwn('list'),
  },
  mints_for_itself: {
    plant: 'The same number of shares is minted for an address in the code.',
    op: 'buy',
    claim: () => ({ kind: 'goesTo', source: { kind: 'made' }, sink: toCollector }),
    at: atOwn('buy'),
  },
  takes_by_type: {
    plant: 'A tenth of one coin goes to an address in the code.',
    op: 'pay',
    claim: () => ({ kind: 'goesTo', source: argument, sink: toCollector, decidedBy: [{ kind: 'type' }] }),
    at: atOwn('pay'),
  },
  flash_loan_keeps_payment: {
    plant: 'Repayments of large loans go back to the sender.',
    op: 'repay',
    claim: () => ({ kind: 'goesTo', source: argument, sink: { kind: 'sender' } }),
    at: atOwn('repay'),
  },
  recipient_by_position: paysCollector('Change goes to an address in the code in each third round.'),
  returns_withdrawal: {
    plant: "Anyone gets the right to the balance of the jar's address.",
    op: 'ticket',
    claim: () => ({ kind: 'goesTo', source: { kind: 'funds' }, sink: { kind: 'returned', index: 0 } }),
    at: atOwn('ticket'),
  },
  takes_withdrawal: {
    plant: "A function that only reads a limit takes the money of the caller's address.",
    op: 'check',
    claim: () => ({ kind: 'takes', verdict: 'may', source: argument }),
    at: atOwn('check'),
  },
  lends_its_id: {
    plant: 'Anyone gets the id of the jar, and with it the money in its dynamic fields.',
    op: 'extend',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'state', path: `${self}::Jar.id` },
      sink: { kind: 'returned', index: 0 },
    }),
    at: atOwn('extend'),
  },
  check_passed_to_nothing: droppedCheck(
    'The result of the check of the owner is passed to a function that does nothing.',
    'empty',
    atOwn('is_owner'),
  ),
  check_in_tuple: droppedCheck(
    'The age of a price is checked, and that one of two results is thrown away.',
    'sell',
    atOwn('read'),
  ),
  version_of_own_object: {
    ...versionGate('Anyone can make the object whose version is checked.'),
    claim: ({ self }) => ({ kind: 'upgrade', versionGates: [`${self}::Version.number`] }),
  },
  takes_by_recursion: takesRepeatedly(
    'Takes the amount until the jar has a round number, by recursion.',
    wallet,
    'take',
  ),
  amount_raised_by_reference: {
    plant: 'A helper raises the amount through a reference.',
    op: 'pay',
    claim: ({ self }) => ({
      kind: 'takes',
      source: argument,
      bounds: [{ kind: 'unbounded', from: [{ kind: 'state', path: `${self}::Jar.extra` }] }],
    }),
    at: atOwn('pay'),
  },
  witness_to_lookalike: witnessLeak('A second package that looks like the wallet gets the witness.', 'pay'),
  rate_by_branches: steers('Anyone chooses between two rates by a mode.', 'amount', 'Jar.mode', 'set_mode'),
  times_by_stored_number: steers(
    'Anyone sets how often a payment is taken.',
    'amount',
    'Jar.times',
    'set_times',
  ),
  rate_replaced_in_dynamic_field: steers(
    'Anyone replaces the dynamic field with the rate.',
    'amount',
    'Jar.id[vector<u8>]',
    'renew',
  ),
  rate_below_lent_id: steers(
    'Anyone gets the id of the jar, with the rate below it.',
    'amount',
    'Jar.id[vector<u8>]',
    'extend',
  ),
  forgets_savings: {
    plant: 'A function that only reads savings removes them.',
    op: 'check',
    claim: ({ self }) => ({ kind: 'touches', access: 'writes', path: `${self}::Jar.id[address]` }),
    at: atOwn('check'),
  },
  asks_for_mark: {
    plant: 'The result says if the jar has a mark.',
    op: 'pay',
    claim: ({ self }) => ({ kind: 'touches', access: 'reads', path: `${self}::Jar.id[bool]` }),
    at: atOwn('pay'),
  },
  splits_what_it_weighs: {
    plant: 'A function that only weighs a purse splits it.',
    op: 'weigh',
    claim: () => ({ kind: 'touches', access: 'writes', path: /::coin::Coin\.balance$/ }),
    at: atOwn('weigh'),
  },
  returns_early: {
    plant: 'A payment of a certain amount gets all money of the jar.',
    op: 'pay',
    claim: ({ self }) => ({
      kind: 'goesTo',
      source: { kind: 'state', path: `${self}::Jar.money` },
      sink: { kind: 'returned', index: 0 },
    }),
    at: atOwn('pay'),
  },
  writes_into_returned_deed: {
    plant: 'The deed is worth less when it comes back.',
    op: 'pay',
    claim: ({ self }) => ({ kind: 'touches', access: 'writes', path: `${self}::Deed.worth` }),
    at: atOwn('devalue'),
  },
  recipient_after_rounds: paysCollector('The last two of eight coins go to an address in the code.'),
  crate_of_coins: {
    plant: 'All coins go to an address in the code, in an object.',
    op: 'pay',
    claim: () => ({ kind: 'goesTo', source: argument, sink: toCollector, type: /::Crate$/ }),
    at: atOwn('pay'),
  },
  takes_kept_coin: {
    plant: 'Takes a coin that the wallet keeps as an asset, beside the amount.',
    op: 'pay',
    claim: () => ({ kind: 'takes', source: wallet, bounds: [{ kind: 'all' }] }),
    at: atOwn('pay'),
  },
  recipient_by_branches: steers(
    'Anyone chooses between two recipients by a mode.',
    'recipient',
    'Jar.mode',
    'set_mode',
  ),
  rate_of_held_office: steers(
    'The holder of an office sets the rate of its payments.',
    'amount',
    'Office.fee',
    'set_fee',
  ),
  admin_checked_for_large_rates: {
    plant: 'Anyone sets a small rate, since only large ones compare the sender.',
    op: 'pay',
    claim: ({ self }) => ({
      kind: 'steers',
      path: `${self}::Jar.fee`,
      reaches: 'amount',
      writers: {
        list: [
          {
            function: `${self}::set_fee`,
            needs: [{ kind: 'checksSender', paths: [`${self}::Jar.admin`] }],
          },
        ],
      },
    }),
    at: atOwn('store'),
  },
  address_in_constant_list: paysCollector('A tenth goes to an address of a list in the code.'),
  joined_into_sent_coin: paysCollector('A tenth is joined into an empty coin that is sent.'),
  witness_through_generic: witnessLeak(
    'A second package gets the witness from a function that does not name it.',
    'pay',
  ),
  witness_through_two_generics: witnessLeak(
    'A second package gets the witness from a generic function that another one calls.',
    'pay',
  ),
  witness_in_badge: witnessLeak('Anyone gets the witness inside of a badge.', 'badge'),
  version_of_two_fields: versionGate('The version in the jar is compared with a second field of it.'),
  taken_each_round: takesRepeatedly('Takes the amount in each of several rounds.', argument, 'pay'),
  rate_of_a_list: {
    plant: 'Takes one of several rates of a list.',
    op: 'pay',
    claim: ({ self }) => ({
      kind: 'takes',
      source: argument,
      bounds: [{ kind: 'unbounded', from: [{ kind: 'state', path: `${self}::Jar.rates[]` }] }],
    }),
    at: atOwn('pay'),
  },
  sends_the_vault: {
    plant: 'The vault goes to an address in the code, with all savings that are left in it.',
    op: 'collect',
    claim: ({ self }) => ({
      kind: 'goesTo',
      verdict: 'may',
      source: { kind: 'state', path: `${self}::Vault.savings` },
      sink: { kind: 'kept', path: `${self}::Jar.money` },
    }),
    at: atOwn('collect'),
  },
  rate_by_any_key: steers(
    'Anyone sets the dynamic field with the rate by its key.',
    'amount',
    ({ self }) => `Jar.id[${self}::RateKey]`,
    'note',
  ),
  rates_replaced: steers('Anyone replaces the list of rates.', 'amount', 'Rates.fee', 'renew'),
  rates_of_any_type: steers(
    'Anyone replaces a dynamic field by a value of any type, of rates among others.',
    'amount',
    'Rates.fee',
    'put',
  ),
  admin_checked_for_small_rates: steers(
    'Anyone sets a large rate, since only small ones compare the sender.',
    'amount',
    'Terms.fee',
    'set_fee',
  ),
  toll_after_some_rounds: {
    ...steers(
      'Anyone turns a toll on, and the condition is on the stack while its local gets another value.',
      'amount',
      'Jar.has_toll',
      'set_toll',
    ),
    rewrite: omit(['StLoc', 'MoveLoc', 'StLoc', 'MoveLoc', 'LdTrue', 'Eq'], [0, 3]),
  },
  check_in_unread_local: {
    ...droppedCheck(
      'The result of the check of the owner is in a local that nothing reads.',
      'empty',
      atOwn('is_owner'),
    ),
    rewrite: omit(['MoveLoc', 'Pop'], [0, 1]),
  },
};

/** Returns the adaptors that are written by hand. */
export function readWritten(): HostileAdaptor[] {
  return Object.entries(plants).map(([name, { shownBy = 'present', ...plant }]) => ({
    name,
    ...plant,
    shownBy,
    write: (module, variant) => ({
      [module]: chooseLines(readSource(name), variant).replace(`hostile::${name};`, `hostile::${module};`),
    }),
  }));
}

const readSource = (name: string) =>
  readFileSync(join(import.meta.dirname, 'written', `${name}.move`), 'utf8');

/** Leaves out the lines of the other variant: a line that ends in `//! planted` or `//! honest` is in one alone. */
export function chooseLines(source: string, variant: Variant): string {
  const [own, other] = variant === 'hostile' ? ['planted', 'honest'] : ['honest', 'planted'];
  return source
    .split('\n')
    .filter((line) => !line.endsWith(`//! ${other}`))
    .map((line) => line.replace(` //! ${own}`, ''))
    .join('\n');
}
