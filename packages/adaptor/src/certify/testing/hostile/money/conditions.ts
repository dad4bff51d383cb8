/** A condition under which the money is taken. */
export interface Condition {
  words: string;
  fields?: Record<string, [type: string, value: string]>;
  declarations?: string;
  /** Statement before the test. */
  before?: string;
  /** A Move expression. Absent: always. */
  test?: string;
  /** Origin that decides, in terms of a claim. */
  decidedBy?: (at: { self: string; amount: number }) => Record<string, unknown>;
}

export const conditions: Record<string, Condition> = {
  always: { words: '' },
  time: {
    words: 'after a date',
    test: 'clock.timestamp_ms() >= 1_700_000_100_000',
    decidedBy: () => ({ kind: 'time' }),
  },
  epoch_time: {
    words: 'after an epoch that started late enough',
    test: 'ctx.epoch_timestamp_ms() > 1_000_000_000_000',
    decidedBy: () => ({ kind: 'time' }),
  },
  epoch: {
    words: 'in even epochs',
    test: 'ctx.epoch() % 2 == 0',
    decidedBy: () => ({ kind: 'transaction' }),
  },
  sender: {
    words: 'for everyone but the author',
    test: 'ctx.sender() != @0xa07404',
    decidedBy: () => ({ kind: 'sender' }),
  },
  flag: {
    words: 'once it was armed',
    fields: { armed: ['bool', 'false'] },
    declarations: 'public fun arm(jar: &mut Jar) { jar.armed = true }\n',
    test: 'jar.armed',
    decidedBy: ({ self }) => ({ kind: 'state', path: `${self}::Jar.armed` }),
  },
  amount: {
    words: 'from large amounts',
    test: 'amount >= 1_000_000',
    decidedBy: ({ amount }) => ({ kind: 'argument', parameter: amount }),
  },
  counter: {
    words: 'at each third call',
    before: 'jar.tips = jar.tips + 1;',
    test: 'jar.tips % 3 == 0',
    decidedBy: ({ self }) => ({ kind: 'state', path: `${self}::Jar.tips` }),
  },
  gas_price: {
    words: 'if gas is cheap',
    test: 'ctx.gas_price() < 10_000',
    decidedBy: () => ({ kind: 'transaction' }),
  },
  digest: {
    words: 'by the hash of the transaction',
    test: 'ctx.digest()[0] < 255',
    decidedBy: () => ({ kind: 'transaction' }),
  },
  stored_time: {
    words: 'after a stored time',
    fields: { due: ['u64', '1_700_000_000_000'] },
    declarations: 'fun is_due(jar: &Jar, clock: &Clock): bool { clock.timestamp_ms() > jar.due }\n',
    test: 'is_due(jar, clock)',
    decidedBy: ({ self }) => ({ kind: 'state', path: `${self}::Jar.due` }),
  },
  length: {
    words: 'by the length of a list that is filled once it was armed',
    fields: { armed: ['bool', 'true'] },
    before: 'let mut marks: vector<u8> = vector[];\n    if (jar.armed) marks.push_back(1);',
    test: 'marks.length() > 0',
    decidedBy: ({ self }) => ({ kind: 'state', path: `${self}::Jar.armed` }),
  },
  filled_option: {
    words: 'by an option that is filled after a date',
    before: 'let mut mark: Option<u8> = option::none();\n    if (clock.timestamp_ms() > 1_000) mark.fill(1);',
    test: 'mark.is_some()',
    decidedBy: () => ({ kind: 'time' }),
  },
  sponsored: {
    words: 'if the sender pays the gas',
    test: 'ctx.sponsor().is_none()',
    decidedBy: () => ({ kind: 'transaction' }),
  },
};
