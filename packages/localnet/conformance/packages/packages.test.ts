import { join } from 'node:path';
import { moveToml, scratchPackages } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { expect, test } from 'vitest';
import { comparePackage } from './compare.ts';
import { runPackages } from './run.ts';
import { findTestNative } from './test-natives.ts';

const OUTCOMES = `module app::outcomes;

const EPlain: u64 = 7;
#[error]
const EClever: vector<u8> = b"with a name";

fun deep(n: u64): u64 { if (n == 0) abort EPlain; deep(n - 1) }
fun endless(n: u64): u64 { endless(n + 1) + 1 }

#[test] fun passes() { assert!(@0x2a.to_u256() == 42) }
#[test] fun uses_the_system() { assert!(sui_system::voting_power::quorum_threshold() == 6_667) }
#[test] fun aborts() { deep(2); }
#[test, expected_failure(abort_code = EPlain)] fun expects_what_happens() { deep(2); }
#[test]
#[expected_failure(abort_code = 8)]
fun expects_something_else() { deep(1); }
#[test, expected_failure] fun expects_a_failure_and_passes() {}
#[test] fun aborts_with_a_constant() { abort EClever }
#[test] fun aborts_with_a_line() { assert!(false) }
#[test] fun overflows() { let mut x = 0u8; x = x - 1; x; }
#[test] fun pops_too_much() { vector<u8>[].pop_back(); }
#[test] fun aborts_in_a_native() { sui::address::from_bytes(vector[1]); }
#[test] fun aborts_in_a_dependency() { base::base::fail() }
#[test] fun calls_too_deep() { endless(0); }
#[test, expected_failure(out_of_gas)] fun never_ends() { loop {} }
#[random_test] fun made_up(x: u8) { assert!(x <= 255) }
`;

const SCENARIOS = `#[test_only]
module app::scenarios;

use sui::dynamic_field as df;
use sui::test_scenario::{Self as ts, Scenario};
use sui::transfer::Receiving;

public struct Thing has key, store { id: UID, n: u64 }
public struct SCENARIOS has drop {}
public struct Made has copy, drop { n: u64 }

use fun thing as Scenario.thing;

fun thing(s: &mut Scenario, n: u64): Thing { Thing { id: object::new(s.ctx()), n } }
fun receive(parent: &mut Thing, ticket: Receiving<Thing>): Thing { transfer::receive(&mut parent.id, ticket) }
fun wipe(thing: Thing) { let Thing { id, .. } = thing; id.delete() }

#[test] fun makes_a_witness() { let SCENARIOS {} = sui::test_utils::create_one_time_witness(); }
#[test] fun makes_no_witness() { let Made { .. } = sui::test_utils::create_one_time_witness(); }
#[test] fun finds_what_was_left() {
    let mut s = ts::begin(@0xa);
    let (mut first, second) = (s.thing(1), s.thing(2));
    df::add(&mut first.id, b"key", 5u64);
    transfer::public_transfer(first, @0xa);
    transfer::public_share_object(second);
    sui::event::emit(Made { n: 3 });
    assert!(sui::event::events_by_type<Made>() == vector[Made { n: 3 }]);
    let effects = s.next_tx(@0xa);
    assert!(effects.created().length() == 2 && effects.num_user_events() == 1);
    let mut mine = s.take_from_sender<Thing>();
    assert!(df::remove<vector<u8>, u64>(&mut mine.id, b"key") == 5);
    let shared = s.take_shared<Thing>();
    assert!(shared.n == 2 && !ts::has_most_recent_shared<Thing>());
    ts::return_shared(shared);
    mine.wipe();
    assert!(s.next_tx(@0xb).deleted().length() == 1);
    assert!(ts::ids_for_address<Thing>(@0xa).is_empty());
    s.end();
}
#[test] fun receives_what_was_sent_to_an_object() {
    let mut s = ts::begin(@0xa);
    let (mut parent, child) = (s.thing(1), s.thing(2));
    let id = object::id(&child);
    transfer::public_transfer(child, object::id_address(&parent));
    s.next_tx(@0xa);
    let child = receive(&mut parent, ts::receiving_ticket_by_id(id));
    assert!(child.n == 2);
    child.wipe();
    parent.wipe();
    s.end();
}
#[test] fun takes_what_is_not_there() {
    let s = ts::begin(@0xa);
    s.take_from_sender<Thing>().wipe();
    s.end();
}
#[test] fun takes_an_unknown_id() {
    let s = ts::begin(@0xa);
    s.take_shared_by_id<Thing>(object::id_from_address(@0xc)).wipe();
    s.end();
}
#[test] fun gives_a_shared_object_away() {
    let mut s = ts::begin(@0xa);
    let shared = s.thing(1);
    transfer::public_share_object(shared);
    s.next_tx(@0xa);
    transfer::public_transfer(s.take_shared<Thing>(), @0xb);
    s.end();
}
#[test] fun changes_an_immutable_object() {
    let mut s = ts::begin(@0xa);
    let frozen = s.thing(1);
    transfer::public_freeze_object(frozen);
    s.next_tx(@0xa);
    let mut taken = s.take_immutable<Thing>();
    taken.n = 2;
    ts::return_immutable(taken);
    s.end();
}
#[test] fun gives_to_a_party() {
    let mut s = ts::begin(@0xa);
    let thing = s.thing(1);
    sui::party::single_owner(@0xb).public_transfer!(thing);
    let effects = s.next_tx(@0xb);
    assert!(effects.transferred_to_account().length() == 1 && effects.shared().is_empty());
    let mut mine = s.take_from_sender<Thing>();
    mine.n = 2;
    s.return_to_sender(mine);
    s.next_tx(@0xb);
    s.take_from_sender<Thing>().wipe();
    s.end();
}
#[test] fun knows_the_context() {
    let mut s = ts::begin(@0xa);
    s.later_epoch(500, @0xb);
    assert!(s.ctx().epoch() == 1 && s.ctx().epoch_timestamp_ms() == 500 && s.ctx().sender() == @0xb);
    let made = s.ctx().fresh_object_address();
    assert!(s.ctx().last_created_object_id() == made && s.ctx().ids_created() == 1);
    s.end();
}
#[test] fun makes_more_objects_than_a_transaction_may() {
    let mut s = ts::begin(@0xa);
    2049u64.do!(|n| s.thing(n).wipe());
    s.end();
}
`;

const packages = {
  app: {
    'Move.toml': moveToml('app', ['base']),
    'sources/outcomes.move': OUTCOMES,
    'tests/scenarios.move': SCENARIOS,
  },
  base: {
    'Move.toml': moveToml('base'),
    'sources/base.move': 'module base::base;\nconst E: u64 = 3;\npublic fun fail() { abort E }\n',
  },
};

test('tests that pass, abort, and expect it rightly or wrongly end alike in both machines', async () => {
  await using scratch = await scratchPackages(packages);
  const output: string[] = [];
  const code = await runPackages([join(scratch.dir, 'app')], (text) => output.push(text));
  expect(output.join('')).toBe(`app: 26 tests, 24 equal, 0 different, 2 not compared
  app::outcomes::never_ends is not compared: it expects to run out of gas
  app::outcomes::made_up is not compared: the test runner makes up its arguments
1 packages: 26 tests, 24 equal
`);
  expect(code).toBe(0);
});

test('a native function that answers wrongly is a difference, with what each machine did', async () => {
  await using scratch = await scratchPackages(packages);
  const compared = await comparePackage(join(scratch.dir, 'app'), (address, module, name) =>
    name === 'to_u256' ? () => [43n] : findTestNative(address, module, name),
  );
  const place = `0x${'0'.repeat(64)}::outcomes`;
  expect(compared.different).toEqual([
    { test: 'app::outcomes::passes', moveVm: 'passes', interpreter: `aborts in ${place}` },
  ]);
  expect(compared.equal).toBe(23);
});

test('a package that does not compile fails the run, with the reason', async () => {
  const git =
    '[dependencies]\nother = { git = "https://example.invalid/other.git", subdir = "move", rev = "main" }\n';
  await using scratch = await scratchPackages({
    app: {
      'Move.toml': `${moveToml('app').replace('[dependencies]\n', git)}`,
      'sources/a.move': 'module app::a;',
    },
  });
  const output: string[] = [];
  expect(await runPackages([join(scratch.dir, 'app')], (text) => output.push(text))).toBe(1);
  expect(output.join('')).toContain('Cannot fetch https://example.invalid/other.git at main');
});
