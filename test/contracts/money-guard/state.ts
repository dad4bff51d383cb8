import type { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import type { DynamicFieldRecord } from '@adaptor-marketplace/localnet/ledger/types';
import { bcs } from '@mysten/sui/bcs';
import {
  bearerLayout,
  entryLayout,
  grantsLayout,
  jobLayout,
  policyLayout,
  scopedLayout,
  table,
  walletLayout,
} from '../layouts.ts';
import { programLayout } from './steps.ts';
import type { World } from './world.ts';

/**
 * All that the chain holds of an object and its children, by short names such as `balance A`, `grant S A` or `budget
 * service S 0x…`. Fields without a short name appear in hex under their own name, so that nothing is left out.
 */
export type State = ReadonlyMap<string, bigint | string>;

const typeName = bcs.string();
const optional = bcs.option(bcs.Address);

const named = bcs.struct('Field', { id: bcs.Address, name: bcs.Address });
const listed = bcs.struct('Field', {
  id: bcs.Address,
  name: bcs.Address,
  previous: optional,
  next: optional,
});
const bankEntry = bcs.struct('Field', { id: bcs.Address, name: bcs.Address, value: bcs.u64() });
const boardLayout = bcs.struct('Board', {
  id: bcs.Address,
  harmless: bcs.vector(programLayout),
  hostile: bcs.vector(programLayout),
  switched: bcs.bool(),
  flipAtMs: bcs.u64(),
  byDigest: bcs.bool(),
  people: bcs.vector(bcs.Address),
  ids: bcs.vector(bcs.Address),
  bearers: bcs.vector(bearerLayout),
  scoped: bcs.vector(scopedLayout),
});

/** Reads wallets and related objects from the chain. */
export class StateReader {
  readonly #ledger: Ledger;
  readonly #names: ReadonlyMap<string, string>;

  constructor({ network, types }: World) {
    this.#ledger = network.ledger;
    const all = [...Object.entries(types.coins), ...Object.entries(types.services)];
    this.#names = new Map(all.map(([name, type]) => [type, name]));
  }

  wallet(id: string): State {
    const object = this.#contents(id);
    const state = new Map<string, bigint | string>();
    if (object === undefined) return state;
    const { grants, assets, version, owner, offeredTo, paused } = walletLayout.parse(object);
    state.set('version', BigInt(version));
    state
      .set('owner', owner)
      .set('offered to', offeredTo ?? 'nobody')
      .set('paused', String(paused));
    for (const field of this.#fields(grants.id)) {
      const service = this.#name(typeName.parse(field.name));
      for (const [coin, { allowance, pull }] of grantsLayout.parse(field.value)) {
        state.set(`grant ${service} ${this.#name(coin)}`, BigInt(allowance));
        state.set(`pull ${service} ${this.#name(coin)}`, BigInt(pull));
      }
    }
    for (const field of this.#fields(assets.id)) this.#asset(state, field);
    for (const field of this.#fields(id)) this.#field(state, field);
    return state;
  }

  /** The bytes of a recipient list, a bank or a registry, and of all its children. */
  whole(id: string): State {
    const state = new Map<string, bigint | string>();
    const object = this.#contents(id);
    if (object === undefined) return state;
    state.set('contents', hex(object));
    for (const { nameType, name, value } of this.#fields(id))
      state.set(`${nameType} ${hex(name)}`, hex(value));
    return state;
  }

  job(id: string): State {
    const object = this.#contents(id);
    if (object === undefined) return new Map();
    const { state, funds, assessor, refundTo, note, ...rest } = jobLayout.parse(object);
    return new Map<string, bigint | string>([
      ...Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      ...Object.entries({ assessor: assessor ?? 'nobody', refundTo, note }),
      ...([
        ['state', BigInt(state)],
        ['funds', BigInt(funds)],
      ] as [string, bigint][]),
    ]);
  }

  /** The remaining budget of a scoped cap; undefined if the cap is not an object of its own. */
  remaining(capId: string): bigint | undefined {
    const object = this.#contents(capId);
    return object && BigInt(scopedLayout.parse(object).remaining);
  }

  /** The caps of a wallet that the attacker has on the board. */
  onBoard(boardId: string, walletId: string): { bearers: number; scoped: bigint } {
    const { bearers, scoped } = boardLayout.parse(this.#contents(boardId)!);
    const of = <Cap extends { walletId: string }>(caps: Cap[]) =>
      caps.filter((cap) => cap.walletId === walletId);
    return {
      bearers: of(bearers).length,
      scoped: of(scoped).reduce((sum, { remaining }) => sum + BigInt(remaining), 0n),
    };
  }

  /** The balance in a bank entry. @throws Error if there is no such entry */
  banked(entryId: string): bigint {
    const object = this.#contents(entryId);
    if (object === undefined) throw new Error('the bank has forgotten a wallet');
    return BigInt(bankEntry.parse(object).value);
  }

  /** The contents of a registry entry without its neighbours in a linked list; empty if the entry is gone. */
  entry(id: string): string {
    const object = this.#ledger.getObject(id);
    if (object?.kind !== 'move') return '';
    const { contents } = object;
    const head = object.type.includes('::linked_table::Node<')
      ? listed.serialize(listed.parse(contents))
      : named.serialize(named.parse(contents));
    return hex(contents.subarray(head.toBytes().length));
  }

  /** The wallet of a cap and its remaining budget; undefined for any other object. */
  cap(id: string): { walletId: string; remaining: bigint | undefined } | undefined {
    const object = this.#ledger.getObject(id);
    if (object?.kind !== 'move') return undefined;
    if (object.type.endsWith('::cap_auth::DelegateCap')) {
      return { walletId: bearerLayout.parse(object.contents).walletId, remaining: undefined };
    }
    if (!object.type.endsWith('::sub_delegate::ScopedCap')) return undefined;
    const { walletId, remaining } = scopedLayout.parse(object.contents);
    return { walletId, remaining: BigInt(remaining) };
  }

  #contents(id: string): Uint8Array | undefined {
    const object = this.#ledger.getObject(id);
    return object?.kind === 'move' ? object.contents : undefined;
  }

  #fields(parent: string): DynamicFieldRecord[] {
    const { items, next } = this.#ledger.listDynamicFields(parent, { limit: 1_000 });
    if (next !== undefined) throw new Error(`${parent} has more fields than are read`);
    return items;
  }

  #asset(
    state: Map<string, bigint | string>,
    { nameType, name, value, child, valueType }: DynamicFieldRecord,
  ) {
    const service = /::wallet::ServiceAssetKey<(.*)>$/.exec(nameType)?.[1];
    const whose = service === undefined ? 'owner' : this.#name(service);
    const id = child?.id ?? hex(value);
    state.set(`asset ${whose} ${bcs.string().parse(name)}`, `${valueType} ${id}`);
  }

  #field(state: Map<string, bigint | string>, { nameType, name, value }: DynamicFieldRecord): void {
    const [, key, argument] = /::wallet::(BalanceKey|ExternalAccountBindingKey)<(.*)>$/.exec(nameType) ?? [];
    if (key === 'BalanceKey') {
      state.set(`balance ${this.#name(argument!)}`, BigInt(bcs.u64().parse(value)));
    } else if (key === 'ExternalAccountBindingKey') {
      state.set(`binding ${this.#name(argument!)} ${bcs.Address.parse(name)}`, hex(value));
    } else if (nameType === 'vector<u8>' && bcs.string().parse(name) === 'delegate') {
      for (const field of this.#fields(table.parse(value).id)) this.#delegate(state, field);
    } else if (nameType === 'vector<u8>' && bcs.string().parse(name) === 'delegation_policy') {
      this.#policy(state, value);
    } else state.set(`field ${nameType} ${hex(name)}`, hex(value));
  }

  #delegate(state: Map<string, bigint | string>, { name, value }: DynamicFieldRecord): void {
    const who = bcs.Address.parse(name);
    const { byService, byCoin, expiresAtMs } = entryLayout.parse(value);
    state.set(`expiry ${who}`, expiresAtMs ?? 'none');
    for (const [service, left] of byService) state.set(`budget ${this.#name(service)} ${who}`, BigInt(left));
    for (const [coin, left] of byCoin) state.set(`budget ${this.#name(coin)} ${who}`, BigInt(left));
  }

  #policy(state: Map<string, bigint | string>, value: Uint8Array): void {
    const { revokedCaps, refunds, ...rest } = policyLayout.parse(value);
    const plain = (_: string, one: unknown) => (one instanceof Map ? [...one] : one);
    state.set('policy', JSON.stringify(rest, plain));
    for (const { name } of this.#fields(revokedCaps.id)) state.set(`revoked ${bcs.Address.parse(name)}`, '');
    for (const { name, value: left } of this.#fields(refunds.id)) {
      state.set(`refund ${bcs.Address.parse(name)}`, BigInt(bcs.u64().parse(left)));
    }
  }

  /** The short name of a type. The type may lack its `0x`. */
  #name(type: string): string {
    return this.#names.get(type.startsWith('0x') ? type : `0x${type}`) ?? type;
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** A difference: name, value before, value after. A value is undefined if the name is not there. */
export type Change = [name: string, before: bigint | string | undefined, after: bigint | string | undefined];

export function diffStates(before: State, after: State): Change[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name): Change[] =>
    before.get(name) === after.get(name) ? [] : [[name, before.get(name), after.get(name)]],
  );
}
