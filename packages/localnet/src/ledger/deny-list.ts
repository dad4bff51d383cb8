import { bcs } from '@mysten/sui/bcs';
import { idBytes, idOf } from '../state/encoding.ts';
import type { ObjectRecord } from '../state/objects.ts';
import { SUI } from '../vm/framework.ts';
import { dynamicFieldId } from '../vm/runtime/transaction-context.ts';
import { denyListId, suiType, typeTagBytes } from './move-types.ts';
import { refusedInput } from './refusals.ts';

type ReadObject = (id: string) => ObjectRecord | undefined;

/** `0x2::deny_list::ConfigKey`; coins have the index 0. */
const ConfigKey = bcs.struct('ConfigKey', { index: bcs.u64(), type: bcs.string() });

/** `0x2::config::Setting<bool>`. */
const Setting = bcs.struct('Setting', {
  data: bcs.option(
    bcs.struct('SettingData', {
      newerValueEpoch: bcs.u64(),
      newerValue: bcs.option(bcs.bool()),
      olderValue: bcs.option(bcs.bool()),
    }),
  ),
});

/** Bytes of `UID`, and of a `Table` or `Bag`, which is a UID and a size. */
const uidBytes = 32;
const tableBytes = uidBytes + 8;

/**
 * Refuses a transaction whose sender may not use one of the coin types (canonical) that it takes from. What an address
 * may receive changes with the next epoch, which this network never has.
 *
 * @throws LedgerError
 */
export function checkDenyList(sender: string, coinTypes: readonly string[], read: ReadObject): void {
  for (const coinType of new Set(coinTypes)) {
    if (coinType === suiType) continue;
    // The list names types without 0x.
    const type = coinType.replaceAll(/\b0x(?=[0-9a-f]{64})/g, '');
    if (isDenied(sender, type, read)) {
      throw refusedInput('AddressDeniedForCoin', `Address ${sender} is denied for coin ${type}`);
    }
    const config = configOf(type, read);
    if (config === undefined) continue;
    if (isSet(config, Uint8Array.of(0), 'GlobalPauseKey', read)) {
      throw refusedInput('CoinTypeGlobalPause', `Coin type is globally paused for use: ${type}`);
    }
    if (isSet(config, idBytes(sender), 'AddressKey', read)) {
      throw refusedInput('AddressDeniedForCoin', `Address ${sender} is denied for coin ${type}`);
    }
  }
}

/** The first version: sets of addresses in a table, by type. */
function isDenied(address: string, type: string, read: ReadObject): boolean {
  const list = read(denyListId);
  if (list?.kind !== 'move') return false;
  const bag = idOf(list.contents.subarray(uidBytes, 2 * uidBytes));
  const coins = fieldValue(bag, bcs.u64().serialize(0).toBytes(), 'u64', read);
  if (coins === undefined) return false;
  const addresses = idOf(coins.subarray(uidBytes + tableBytes, 2 * uidBytes + tableBytes));
  const denied = fieldValue(addresses, bcs.string().serialize(type).toBytes(), 'vector<u8>', read);
  return denied !== undefined && bcs.vector(bcs.Address).parse(denied).includes(address);
}

/** The second version: the id of a type's config. */
function configOf(type: string, read: ReadObject): string | undefined {
  const key = ConfigKey.serialize({ index: 0, type }).toBytes();
  const keyType = `${SUI}::dynamic_object_field::Wrapper<${SUI}::deny_list::ConfigKey>`;
  const id = fieldValue(denyListId, key, keyType, read);
  return id && idOf(id);
}

/** Inputs follow the newer value at once. */
function isSet(config: string, key: Uint8Array, keyType: string, read: ReadObject): boolean {
  const setting = fieldValue(config, key, `${SUI}::deny_list::${keyType}`, read);
  return setting !== undefined && Setting.parse(setting).data?.newerValue === true;
}

/** BCS of the value of a dynamic field, which follows its id and name. A copy: the decoder does not read views. */
function fieldValue(
  parent: string,
  key: Uint8Array,
  keyType: string,
  read: ReadObject,
): Uint8Array | undefined {
  const field = read(dynamicFieldId(parent, key, typeTagBytes(keyType)));
  return field?.kind === 'move' ? Uint8Array.from(field.contents.subarray(uidBytes + key.length)) : undefined;
}
