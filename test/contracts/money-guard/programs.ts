import fc from 'fast-check';
import { max, type OpName, opCodes, type Step, step } from './steps.ts';

const within = (first: number, last: number) =>
  [...opCodes].filter(([, code]) => first <= code && code <= last).map(([name]) => name);
const alone = (ops: readonly OpName[]): OpName[][] => ops.map((op) => [op]);

const amount = fc.constantFrom(0n, 1n, 10n, 50n, 51n, 100n, 101n, 200n, 1000n, max - 1n, max);
const usual = fc.constantFrom(10n, 40n, 50n, 90n, 100n);

/** Random arguments of a step. */
const choices = (handed: boolean) =>
  fc.record({
    service: fc.constantFrom(0, 0, 0, 1),
    coin: fc.constantFrom(0, 0, 0, 1),
    other: fc.constantFrom(1, 1, 0),
    on: handed ? fc.constantFrom(0, 0, 0, 1, 2, 3) : fc.constant(0),
    // These are most often the address whose account is bound, and the one name that all assets have.
    who: fc.constantFrom(0, 1, 2, 3, 3, 3, 4, 5, 6),
    name: fc.constantFrom(0, 0, 1, 2, 3, 4, 5),
    amount: fc.oneof({ weight: 2, arbitrary: usual }, { weight: 1, arbitrary: amount }),
    extra: fc.constantFrom(1n, 1n, 10n, 100n, 0n, 3n, max),
  });

/** Names of ops that belong together. All ops of a sequence have the same arguments. */
type Sequences = readonly (readonly OpName[])[];

/** Takes money, and puts it back to take it again. */
const taking: Sequences = [
  ...[
    ['PAY'],
    ['SWAP'],
    ['SPEND'],
    ['CREDIT'],
    ['PAY', 'PAY'],
    ['SWAP', 'PAY'],
    ['CREDIT', 'PAY'],
    ['SPEND', 'PAY'],
  ],
  ...[
    ['PAY', 'CREDIT', 'PAY'],
    ['PAY', 'DEPOSIT', 'PAY'],
    ['PAY', 'CREDIT'],
  ],
  ['HOLD_PAYMENT', 'USE_PAYMENT', 'CLEAR'],
  ['HOLD_PAYMENT', 'HOLD_PAYMENT', 'USE_PAYMENT', 'USE_PAYMENT', 'CLEAR', 'CLEAR'],
  ['HOLD_SWAP', 'USE_SWAP', 'SETTLE_SWAP'],
];

const pulling: Sequences = [
  ...[['PAY_UNMETERED'], ['PAY_FOR_PAYER'], ['PAY_UNMETERED', 'CREDIT']],
  ['HOLD_UNMETERED', 'USE_UNMETERED', 'CLEAR'],
  ['HOLD_FOR_PAYER', 'USE_FOR_PAYER', 'CLEAR'],
];

const byPolicy: Sequences = [
  ['BEGIN_SPEND', 'STAMP_AUTH', 'STAMP_CAVEAT', 'CONFIRM_SPEND'],
  ['BEGIN_SPEND', 'STAMP_AUTH', 'STAMP_CAVEAT', 'CONFIRM_SPEND_INTO'],
  ['BEGIN_SPEND', 'PROVE', 'STAMP_CAVEAT', 'READ_REQUEST', 'CONFIRM_SPEND'],
  ['BEGIN_SPEND', 'SPEND_SCOPED', 'CONFIRM_SPEND'],
  ['BEGIN_SPEND', 'SPEND_SCOPED', 'CONFIRM_SPEND_INTO'],
];

const withCaps: Sequences = [
  ...alone(['SUBDELEGATE', 'SUBDELEGATE_TO', 'BURN_SCOPED', 'COLLECT_REFUND', 'BURN_CAP']),
  ['SUBDELEGATE', 'BURN_SCOPED', 'COLLECT_REFUND'],
];

const elsewhere: Sequences = alone([...within(190, 199), 'ASSERT_BOUND']);

const keeping: Sequences = [
  ...alone(['KEEP_ASSET', 'TAKE_ASSET', 'BIND_OWN', 'DEPOSIT', 'SEND', 'BEGIN']),
  ...[
    ['KEEP_ASSET', 'TAKE_ASSET'],
    ['TAKE_ASSET', 'KEEP_ASSET'],
  ],
];

const becoming: Sequences = [
  ...alone(['ACCEPT_OWNERSHIP', 'CREATE_WALLET', 'CREATE_AND_SHARE_WALLET']),
  ['CREATE_WALLET', 'SHARE_WALLET'],
  ['OFFER_OWNERSHIP', 'ACCEPT_OWNERSHIP'],
];

const reading: Sequences = alone(within(200, 219));

/** Withdrawals that an owner can make at any version of the wallet. */
const exits: Sequences = alone(['TAKE_COIN', 'WITHDRAW_COIN', 'RECLAIM_ASSET', 'RECLAIM_SERVICE_ASSET']);

/** The other ops that have no effect without the owner's signature. */
const owners: Sequences = alone([
  ...within(30, 69).filter((op) => op !== 'ACCEPT_OWNERSHIP' && !op.includes('WALLET')),
  ...within(70, 79),
  ...['MINT_CAP', 'MINT_CAP_TO', 'REVOKE_CAP', 'MINT_ROOT', 'MINT_ROOT_TO', 'REVOKE_SCOPED', 'CREATE_LIST'],
]);

/** The owner's ops on objects that an op should not receive. */
const ownersElsewhere: Sequences = alone([
  ...['ALLOW', 'DISALLOW', 'MIGRATE_LIST', 'CREATE_JOB', 'CREATE_JOB_WITH_REVIEW', 'CREATE_AND_SHARE_JOB'],
  ...['CREATE_JOB_WITH_CAP', 'CANCEL', 'MINT_ASSESSOR'],
]);

/** Anyone's ops on the same objects. */
const anyonesElsewhere: Sequences = alone([
  ...['READ_LIST', 'FUND', 'SUBMIT', 'EXPIRE', 'BEGIN_RELEASE', 'MIGRATE_JOB', 'READ_JOB'],
  ...within(150, 169),
]);

/** Pieces that one op leaves for the next, which uses them. */
const halves: Sequences = [
  ['HOLD_PAYMENT'],
  ['HOLD_PAYMENT', 'USE_PAYMENT'],
  ['USE_PAYMENT', 'CLEAR'],
  ['CLEAR'],
  ['HOLD_UNMETERED'],
  ['USE_UNMETERED', 'CLEAR'],
  ['HOLD_FOR_PAYER'],
  ['USE_FOR_PAYER', 'CLEAR'],
  ['HOLD_SWAP'],
  ['HOLD_SWAP', 'USE_SWAP'],
  ['USE_SWAP', 'SETTLE_SWAP'],
  ['SETTLE_SWAP'],
  ['BEGIN_SPEND', 'STAMP_AUTH', 'STAMP_CAVEAT'],
  ['BEGIN_SPEND', 'SPEND_SCOPED'],
  ['CONFIRM_SPEND'],
  ['CONFIRM_SPEND_INTO'],
];

/** Ops with the ticket of another wallet. `@` names the wallet of a step, if it is not the one that the steps made. */
const ticketSequences: Sequences = [
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'MAY_TAKE@0', 'PAY@0', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'MAY_TAKE@0', 'CREDIT@0', 'PAY@0', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'MUST_BRING@0', 'PAY@0', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'END@0', 'PAY@0', 'BEGIN@0', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'CREDIT@0', 'END@0', 'PAY@0', 'PAY@0', 'BEGIN@0', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'END@0', 'WITHDRAW_COIN@0', 'BEGIN@0', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'END@0', 'PAY_UNMETERED@0', 'BEGIN@0', 'END'],
];

/** Ops on a wallet that a step makes. */
const madeSequences: Sequences = [
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'MAY_TAKE', 'DEPOSIT', 'PAY', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'BEGIN', 'MUST_BRING', 'CREDIT', 'END'],
  ['CREATE_WALLET', 'GRANT_COIN', 'GRANT_PULL', 'DEPOSIT', 'PAY_UNMETERED'],
  ['CREATE_WALLET', 'GRANT_COIN', 'DEPOSIT', 'SPEND', 'DEPOSIT', 'TAKE_COIN', 'DEPOSIT', 'WITHDRAW_COIN'],
  ['CREATE_WALLET', 'GRANT_COIN', 'DEPOSIT', 'HOLD_UNMETERED', 'GRANT_PULL', 'USE_UNMETERED', 'CLEAR'],
  ['CREATE_WALLET', 'GRANT_COIN', 'REVOKE_COIN'],
  ['CREATE_WALLET', 'GRANT_COIN', 'REVOKE_SERVICE'],
  ['CREATE_WALLET', 'SET_PAUSED', 'SHARE_WALLET'],
  ['CREATE_WALLET', 'ADD_ASSET', 'RECLAIM_ASSET'],
  ['CREATE_WALLET', 'GRANT_COIN', 'KEEP_ASSET', 'RECLAIM_SERVICE_ASSET'],
  ['CREATE_WALLET', 'BIND', 'ASSERT_BOUND', 'UNBIND'],
  ['CREATE_WALLET', 'OFFER_OWNERSHIP', 'ACCEPT_OWNERSHIP'],
  ['CREATE_WALLET', 'INITIALIZE_DELEGATES', 'ADD_DELEGATE', 'SET_EXPIRY', 'READ_EXPIRY', 'REMOVE_DELEGATE'],
  [
    'CREATE_WALLET',
    'INITIALIZE_DELEGATES',
    'ADD_DELEGATE',
    'SET_SERVICE_BUDGET',
    'LOWER_SERVICE_BUDGET',
    'RAISE_SERVICE_BUDGET',
    'SET_SERVICE_UNLIMITED',
  ],
  [
    'CREATE_WALLET',
    'INITIALIZE_DELEGATES',
    'ADD_DELEGATE',
    'SET_COIN_BUDGET',
    'LOWER_COIN_BUDGET',
    'RAISE_COIN_BUDGET',
    'SET_COIN_UNLIMITED',
  ],
  [
    'CREATE_WALLET',
    'INITIALIZE_DELEGATES',
    'ADD_DELEGATE',
    'GRANT_COIN',
    'GRANT_PULL',
    'SET_SERVICE_BUDGET',
    'SET_COIN_BUDGET',
    'DEPOSIT',
    'PAY_FOR_PAYER',
  ],
  [
    'CREATE_WALLET',
    'INITIALIZE_DELEGATES',
    'ADD_DELEGATE',
    'GRANT_COIN',
    'GRANT_PULL',
    'SET_SERVICE_BUDGET',
    'SET_COIN_BUDGET',
    'DEPOSIT',
    'HOLD_FOR_PAYER',
    'USE_FOR_PAYER',
    'CLEAR',
  ],
  [
    'CREATE_WALLET',
    'INITIALIZE_POLICY',
    'ADD_AUTH_RULE',
    'ADD_CAVEAT_RULE',
    'ADD_CAVEAT_RULE_FOR',
    'REMOVE_CAVEAT_RULE_FOR',
    'REMOVE_CAVEAT_RULE',
    'REMOVE_AUTH_RULE',
  ],
  [
    'CREATE_WALLET',
    'INITIALIZE_POLICY',
    'ADD_AUTH_RULE',
    'ADD_CAVEAT_RULE',
    'DEPOSIT',
    'BEGIN_SPEND',
    'STAMP_AUTH',
    'STAMP_CAVEAT',
    'CONFIRM_SPEND',
  ],
  [
    'CREATE_WALLET',
    'INITIALIZE_POLICY',
    'SET_SPEND_INTO',
    'ADD_AUTH_RULE',
    'ADD_CAVEAT_RULE',
    'DEPOSIT',
    'BEGIN_SPEND',
    'STAMP_AUTH',
    'STAMP_CAVEAT',
    'CONFIRM_SPEND_INTO',
  ],
  ['CREATE_WALLET', 'INITIALIZE_POLICY', 'SET_RULE_OBJECT', 'REVOKE_ALL', 'REVOKE_CAP', 'REVOKE_SCOPED'],
  [
    'CREATE_WALLET',
    'INITIALIZE_POLICY',
    'MINT_CAP',
    'MINT_CAP_TO',
    'READ_CAPS',
    'BEGIN_SPEND',
    'PROVE',
    'BURN_CAP',
  ],
  ['CREATE_WALLET', 'INITIALIZE_POLICY', 'MINT_CAP', 'READ_CAPS', 'BURN_CAP', 'READ_POLICY'],
  [
    'CREATE_WALLET',
    'INITIALIZE_POLICY',
    'MINT_ROOT',
    'MINT_ROOT_TO',
    'SUBDELEGATE',
    'BURN_SCOPED',
    'COLLECT_REFUND',
    'SUBDELEGATE_TO',
  ],
  ['CREATE_WALLET', 'INITIALIZE_POLICY', 'CREATE_LIST'],
  ['CREATE_WALLET', 'CREATE_JOB', 'FUND', 'CANCEL', 'DELETE_JOB'],
  [
    'CREATE_WALLET',
    'CREATE_JOB_WITH_REVIEW',
    'FUND',
    'SUBMIT',
    'BEGIN_RELEASE',
    'JUDGE',
    'READ_JOB',
    'CONFIRM_RELEASE',
  ],
  ['CREATE_WALLET', 'CREATE_JOB_WITH_CAP', 'MINT_ASSESSOR'],
  ['CREATE_WALLET', 'CREATE_AND_SHARE_JOB', 'CREATE_AND_SHARE_WALLET'],
  [
    'CREATE_WALLET',
    'INITIALIZE_POLICY',
    'SET_SPEND_INTO',
    'ADD_AUTH_RULE',
    'ADD_CAVEAT_RULE',
    'DEPOSIT',
    'CREATE_JOB',
    'BEGIN_SPEND',
    'STAMP_AUTH',
    'STAMP_CAVEAT',
    'FUND_FROM_WALLET',
  ],
];

/** Ops on shared objects that an op should not receive. */
const sharedSequences: Sequences = [
  ['LIST_ADAPTOR', 'READ_ADAPTORS', 'UPDATE_ADAPTOR', 'UNLIST_ADAPTOR'],
  ['LIST_RULE', 'READ_RULES', 'UPDATE_RULE', 'UNLIST_RULE'],
  ['LIST_AGENT', 'READ_AGENTS', 'UPDATE_AGENT', 'UNLIST_AGENT'],
  ['BEGIN_SPEND', 'PROVE', 'STAMP_CAVEAT', 'ENFORCE', 'CONFIRM_SPEND'],
  ['BEGIN_SPEND', 'PROVE', 'STAMP_CAVEAT', 'ENFORCE', 'FUND_FROM_WALLET'],
  ['BEGIN_RELEASE', 'JUDGE', 'CONFIRM_RELEASE'],
];

const onAny = new Set<OpName>(['CREATE_WALLET', 'SHARE_WALLET']);

/** Properties of ops and their senders that decide what a program may do. */
interface Reach {
  /** The op receives objects that the agent would not let it have. */
  handed: boolean;
  /** The owner sends the transaction. */
  owner: boolean;
  /** The transaction has other ops, which use what this one leaves for them. */
  several: boolean;
}

/** Random programs of a few sequences. */
export function program({ handed, owner, several }: Reach): fc.Arbitrary<Step[]> {
  const theme = (weight: number, sequences: Sequences) => ({ weight, arbitrary: known(sequences, handed) });
  const piece = fc.oneof(
    ...[theme(6, taking), theme(3, pulling), theme(3, byPolicy), theme(2, withCaps), theme(4, elsewhere)],
    ...[theme(3, keeping), theme(2, becoming), theme(1, reading), theme(owner ? 3 : 1, exits)],
    theme(owner ? 8 : 2, owners),
    ...(several ? [theme(8, halves)] : []),
    ...(handed ? [theme(8, madeSequences), theme(8, ticketSequences), theme(4, sharedSequences)] : []),
    ...(handed ? [theme(owner ? 6 : 2, ownersElsewhere), theme(4, anyonesElsewhere)] : []),
  );
  // A forbidden step aborts the transaction, so that steps after it are not reached. Most programs are therefore short.
  return fc
    .oneof(
      { weight: 2, arbitrary: fc.array(piece, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(piece, { minLength: 2, maxLength: 4 }) },
    )
    .map((pieces) => pieces.flat());
}

function known(sequences: Sequences, handed: boolean): fc.Arbitrary<Step[]> {
  return fc.tuple(fc.constantFrom(...sequences), choices(handed)).map(([ops, rest]) => {
    // After a step that makes a wallet, the other steps use that wallet, which is the fourth.
    const made = handed && ops[0] === 'CREATE_WALLET';
    return ops.map((op) => stepOn(op, made ? { ...rest, on: onAny.has(op) ? 0 : 3 } : rest));
  });
}

/** A step of an op name. `@` and a number name its wallet. */
function stepOn(each: string, rest: Partial<Step>): Step {
  const [op = '', on] = each.split('@');
  return step(op, on === undefined ? rest : { ...rest, on: Number(on) });
}
