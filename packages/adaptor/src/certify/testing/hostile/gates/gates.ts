import type { Names } from '../adaptor.ts';

/** A check that keeps owners from their money. */
export interface Gate {
  words: string;
  fields?: Record<string, [type: string, value: string]>;
  declarations?: string;
  /** Statement of `init`. */
  init?: string;
  /** A parameter of the op after `amount`. */
  parameter?: string;
  /** Statement before the money is paid. */
  check: string;
  /** The claim's `on`, and its `writers` if the value is stored. */
  claim: (names: Names) => Record<string, unknown>;
  /** Function with the abort. Absent: the op. */
  at?: string;
}

const cap = 'public struct AdminCap has key, store { id: UID }\n';

const onState =
  (path: string) =>
  ({ self }: Names) => ({ on: { kind: 'state', path: `${self}::${path}` } });

/** The stored value that decides, and the function by which the holder of the capability changes it. */
const byAdmin =
  (path: string, setter: string) =>
  ({ self }: Names) => ({
    on: { kind: 'state', path: `${self}::${path}` },
    writers: {
      list: [{ function: `${self}::${setter}`, needs: [{ kind: 'capability', type: `${self}::AdminCap` }] }],
      others: 'cannot',
    },
  });

export const gates: Record<string, Gate> = {
  pause: {
    words: 'a pause that only the admin ends',
    fields: { paused: ['bool', 'true'] },
    declarations: `${cap}public fun set_paused(jar: &mut Jar, paused: bool, _: &AdminCap) { jar.paused = paused }\n`,
    check: 'assert!(!jar.paused);',
    claim: byAdmin('Jar.paused', 'set_paused'),
  },
  unlock_time: {
    words: 'a date that the admin can move',
    fields: { unlock_ms: ['u64', '1_800_000_000_000'] },
    declarations: `${cap}public fun postpone(jar: &mut Jar, by: u64, _: &AdminCap) { jar.unlock_ms = jar.unlock_ms + by }\n`,
    parameter: 'clock: &Clock',
    check: 'assert!(clock.timestamp_ms() >= jar.unlock_ms);',
    claim: byAdmin('Jar.unlock_ms', 'postpone'),
  },
  closing_time: {
    words: 'a date after which nothing is paid',
    parameter: 'clock: &Clock',
    check: 'assert!(clock.timestamp_ms() < 1_700_000_000_000);',
    claim: () => ({ on: { kind: 'time' } }),
  },
  allowlist: {
    words: 'a list of those who are paid',
    fields: { allowed: ['Table<address, bool>', 'table::new(ctx)'] },
    declarations: `${cap}public fun allow(jar: &mut Jar, who: address, _: &AdminCap) { jar.allowed.add(who, true) }\n`,
    check: 'assert!(jar.allowed.contains(ctx.sender()));',
    claim: byAdmin('Jar.allowed[address]', 'allow'),
  },
  denylist: {
    words: 'a list of those who are not paid',
    fields: { denied: ['VecSet<address>', 'vec_set::singleton(ctx.sender())'] },
    declarations: `${cap}public fun deny(jar: &mut Jar, who: address, _: &AdminCap) { jar.denied.insert(who) }\n`,
    check: 'if (jar.denied.contains(&ctx.sender())) abort 7;',
    claim: () => ({ on: { kind: 'state', path: /::Jar\.denied/ } }),
  },
  quota: {
    words: 'a quota that anyone can use up',
    fields: { left: ['u64', '1_000'] },
    declarations: 'public fun use_up(jar: &mut Jar) { jar.left = 0 }\n',
    check: 'assert!(jar.left >= amount);\n    jar.left = jar.left - amount;',
    claim: ({ self }) => ({
      on: { kind: 'state', path: `${self}::Jar.left` },
      writers: { list: [{ function: `${self}::use_up`, needs: [] }] },
    }),
  },
  recursion: {
    words: 'a check in a recursive function',
    fields: { open: ['bool', 'false'] },
    declarations: `fun check(jar: &Jar, left: u64) {
    if (left == 0) assert!(jar.open) else check(jar, left - 1)
}
`,
    check: 'check(jar, 3);',
    claim: onState('Jar.open'),
    at: 'check',
  },
  helper_that_aborts: {
    words: 'a check whose abort is in a function of its own',
    fields: { open: ['bool', 'false'] },
    declarations: 'fun refuse() { abort 7 }\n',
    check: 'if (!jar.open) refuse();',
    claim: onState('Jar.open'),
  },
  match_on_state: {
    words: 'a state that is an enum',
    fields: { state: ['State', 'State::Closed'] },
    declarations: `public enum State has copy, drop, store { Open, Closed }
`,
    check: `match (&jar.state) {
        State::Open => (),
        State::Closed => abort 7,
    };`,
    claim: () => ({ on: { kind: 'state', path: /::Jar\.state/ } }),
  },
  single_sender: {
    words: 'a sender in the code',
    check: 'assert!(ctx.sender() == @0xbad);',
    claim: () => ({ on: { kind: 'sender' } }),
  },
  gas_price: {
    words: 'a gas price that is never reached',
    check: 'assert!(ctx.gas_price() > 1_000_000_000);',
    claim: () => ({ on: { kind: 'transaction' } }),
  },
  option: {
    words: 'an option that is empty',
    fields: { key: ['Option<u64>', 'option::none()'] },
    declarations: `${cap}public fun set_key(jar: &mut Jar, key: u64, _: &AdminCap) { jar.key = option::some(key) }\n`,
    check: 'assert!(jar.key.is_some());',
    claim: () => ({ on: { kind: 'state', path: /::Jar\.key/ } }),
  },
  dynamic_field: {
    words: 'a dynamic field that only the admin adds',
    declarations: `${cap}public fun open(jar: &mut Jar, _: &AdminCap) { dynamic_field::add(&mut jar.id, b"open", true) }\n`,
    check: 'assert!(dynamic_field::exists_(&jar.id, b"open"));',
    claim: () => ({ on: { kind: 'state', path: /::Jar\.id/ } }),
  },
  second_object: {
    words: 'a switch in another object',
    declarations: `${cap}public struct Switch has key { id: UID, is_on: bool }
public fun turn(switch: &mut Switch, is_on: bool, _: &AdminCap) { switch.is_on = is_on }
`,
    init: 'transfer::share_object(Switch { id: object::new(ctx), is_on: false });',
    parameter: 'switch: &Switch',
    check: 'assert!(switch.is_on);',
    claim: byAdmin('Switch.is_on', 'turn'),
  },
  second_package: {
    words: 'a fee in an object of a second package',
    parameter: 'chest: &Chest',
    check: 'assert!(chest.fee() == 0);',
    claim: ({ accomplice }) => ({
      on: { kind: 'state', path: `${accomplice}::chest::Chest.fee` },
      writers: { list: [{ function: `${accomplice}::chest::set_fee` }] },
    }),
  },
};
