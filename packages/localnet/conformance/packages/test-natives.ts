import { toBase58 } from '@mysten/sui/utils';
import { type Owner, owningAddress } from '../../src/state/objects.ts';
import { deserializeValue } from '../../src/vm/bcs.ts';
import { abortError } from '../../src/vm/errors.ts';
import { STD, SUI } from '../../src/vm/framework.ts';
import { findNative } from '../../src/vm/natives/index.ts';
import { bytesOf, byteVector, type NativeModule, structBehind } from '../../src/vm/natives/native.ts';
import type { Machine, Native } from '../../src/vm/runtime/machine.ts';
import { typeName } from '../../src/vm/type-names.ts';
import { isOneTimeWitness } from '../../src/vm/types.ts';
import { StructValue, type Value, VectorValue } from '../../src/vm/values.ts';
import { idValue, TestSession } from './scenario.ts';

/** Code of `sui::tx_context`: no object was made. */
const NO_IDS_CREATED = 1;

function session(machine: Machine): TestSession {
  if (machine.session instanceof TestSession) return machine.session;
  throw new Error('functions of unit tests run in the session of a unit test');
}

const isShared = (owner: Owner) => owner.kind === 'shared';
const isImmutable = (owner: Owner) => owner.kind === 'immutable';
const ownedBy = (address: Value | undefined) => (owner: Owner) => owningAddress(owner) === address;

const idOf = (id: Value | undefined) => structBehind(id).fields[0] as string;
const option = (id: string | undefined) =>
  new StructValue([new VectorValue(id === undefined ? [] : [idValue(id)])]);

const scenario: NativeModule = {
  take_from_address_by_id: (machine, [, account, id], [type]) => [
    session(machine).take(idOf(id), type!, ownedBy(account)),
  ],
  most_recent_id_for_address: (machine, [account], [type]) => [
    option(session(machine).mostRecent(type!, ownedBy(account))),
  ],
  ids_for_address: (machine, [account], [type]) => [
    new VectorValue(session(machine).ids(type!, ownedBy(account)).map(idValue)),
  ],
  was_taken_from_address: (machine, [account, id]) => [session(machine).wasTaken(idOf(id), ownedBy(account))],
  take_immutable_by_id: (machine, [, id], [type]) => [session(machine).take(idOf(id), type!, isImmutable)],
  most_recent_immutable_id: (machine, _, [type]) => [option(session(machine).mostRecent(type!, isImmutable))],
  was_taken_immutable: (machine, [id]) => [session(machine).wasTaken(idOf(id), isImmutable)],
  take_shared_by_id: (machine, [, id], [type]) => [session(machine).take(idOf(id), type!, isShared)],
  most_recent_id_shared: (machine, _, [type]) => [option(session(machine).mostRecent(type!, isShared))],
  was_taken_shared: (machine, [id]) => [session(machine).wasTaken(idOf(id), isShared)],
  allocate_receiving_ticket_for_object: (machine, [id], [type]) => [
    session(machine).allocateTicket(idOf(id), type!),
  ],
  deallocate_receiving_ticket_for_object: (machine, [id]) => {
    session(machine).deallocateTicket(idOf(id));
    return [];
  },
  end_transaction: (machine) => [session(machine).endTransaction()],
};

const txContext: NativeModule = {
  last_created_id: (machine) => {
    const { lastId } = machine.session.context;
    if (lastId === undefined) throw abortError(NO_IDS_CREATED, 'no id was made');
    return [lastId];
  },
  replace: (
    machine,
    [sender, digest, epoch, epochTimestampMs, idsCreated, rgp, gasPrice, gasBudget, sponsor],
  ) => {
    session(machine).replaceContext(
      {
        transactionDigest: toBase58(bytesOf(digest)),
        sender: sender as string,
        sponsor: (sponsor as VectorValue).items[0] as string | undefined,
        epoch: epoch as bigint,
        epochTimestampMs: epochTimestampMs as bigint,
        referenceGasPrice: rgp as bigint,
        gasPrice: gasPrice as bigint,
        gasBudget: gasBudget as bigint,
      },
      idsCreated as bigint,
    );
    return [];
  },
};

const event: NativeModule = {
  num_events: (machine) => [machine.session.events.length],
  events_by_type: (machine, _, [type]) => {
    const name = typeName(type!);
    const found = machine.session.events.filter((each) => each.type === name);
    return [new VectorValue(found.map(({ contents }) => deserializeValue(type!, contents)))];
  },
};

/** Code of `sui::test_utils`: the type is no one-time witness. */
const NO_ONE_TIME_WITNESS = 1;

const testUtils: NativeModule = {
  create_one_time_witness: (_, __, [type]) => {
    if (type?.kind !== 'datatype' || !isOneTimeWitness(type.datatype)) {
      throw abortError(NO_ONE_TIME_WITNESS, 'the type is no one-time witness');
    }
    return [new StructValue([true])];
  },
};

const nothing: Native = () => [];

const MODULES = new Map<string, NativeModule>([
  [`${STD}::unit_test`, { destroy: nothing, poison: nothing }],
  [`${SUI}::test_scenario`, scenario],
  [`${SUI}::test_utils`, testUtils],
  [`${SUI}::tx_context`, txContext],
  [`${SUI}::event`, event],
  // The Move VM's are random: no test can depend on them.
  [`${SUI}::random`, { generate_rand_seed_for_testing: () => [byteVector(new Uint8Array(32).fill(7))] }],
]);

/** The native functions of a network, and those that only unit tests have. */
export function findTestNative(address: string, module: string, name: string): Native | undefined {
  const natives = MODULES.get(`${address}::${module}`);
  if (natives !== undefined && Object.hasOwn(natives, name)) return natives[name];
  return findNative(address, module, name);
}
