import { bcs } from '@mysten/sui/bcs';
import type { Bound, Certificate, Claim, GoesToClaim, Sink, Source, TakesClaim } from '../certify/index.ts';
import { normalizeAddress } from '../chain/names.ts';
import { canonicalType, instantiate } from '../move-types.ts';
import type { Destination, Likelihood } from './explanation.ts';
import type { FunctionFact } from './facts.ts';
import {
  addPart,
  isCoin,
  isWalletType,
  type Movement,
  type Movements,
  type Origin,
  takeContent,
  takePart,
  type Value,
} from './origin.ts';

type ReadFunction = Extract<FunctionFact, { certificate: Certificate }>;

interface CallContext {
  command: number;
  sender: string;
  typeArguments: readonly string[];
  args: readonly Value[];
  movements: Movements;
  /** Objects that were sent to objects and that the transaction may receive. */
  receivable: readonly Value[];
  /** The receivable objects whose tickets the call gets. */
  tickets: ReadonlySet<Value>;
}

/** The effects of one Move call, by the certificate of its function. */
export class Call {
  readonly #context: CallContext;
  readonly #certificate: Certificate;
  readonly #typeOrigins: ReadonlyMap<string, string>;
  readonly #results = new Map<number, Value>();
  /** Parts that were taken, by source and type, so that all that a call takes has one bound. */
  readonly #taken = new Map<string, Origin[]>();
  readonly #types = new Map<string, string>();

  constructor({ certificate, typeOrigins }: ReadFunction, context: CallContext) {
    this.#context = context;
    this.#certificate = certificate;
    this.#typeOrigins = typeOrigins;
  }

  /** Records what the call moves. Returns its results by position, or undefined if any can be anything. */
  apply(): Map<number, Value> | undefined {
    const { movements, args } = this.#context;
    for (const claim of this.#certificate.claims) {
      movements.step();
      if (claim.kind === 'goesTo' && !('rest' in claim)) this.#move(claim);
    }
    for (const [index, value] of args.entries()) {
      const mode = this.#mode(index);
      if (mode !== 'read') value.atLeast = 0n;
      // The next command reads what this one writes to a borrowed number or address.
      if (mode === 'change') value.bytes = undefined;
    }
    return this.isRead ? this.#results : undefined;
  }

  /** `true` if all money and objects that the function moves are among its claims. */
  get isRead(): boolean {
    const closed = new Set(this.#certificate.claims.filter(isClosed).map(({ kind }) => kind));
    return closed.has('takes') && closed.has('goesTo');
  }

  /** Returns the arguments that the function can change: not those that it only reads. */
  changeable(): Value[] {
    return this.#context.args.filter((_, index) => this.#mode(index) !== 'read');
  }

  /** Returns the arguments that are passed by value. */
  taken(): Value[] {
    return this.#context.args.filter((_, index) => this.#mode(index) === 'take');
  }

  #mode(parameter: number): 'read' | 'change' | 'take' {
    const type = this.#certificate.parameters[parameter] ?? '';
    if (type.startsWith('&mut ')) return 'change';
    return type.startsWith('&') ? 'read' : 'take';
  }

  #move({ source, sink, type, verdict }: GoesToClaim): void {
    const shown = this.#type(type);
    const isWhole = source.kind === 'argument' && this.#mode(source.parameter) === 'take';
    const likelihood: Likelihood = verdict === 'always' && isWhole ? 'always' : 'may';
    const { uncertain } = (source.kind === 'argument' && this.#context.args[source.parameter]) || {};
    for (const origin of this.#sources(source, shown)) {
      if (sink.kind === 'destroyed' && origin.objectId === undefined) continue;
      const isOpen = !isCoin(origin.type) && uncertain?.has(origin);
      const each = isOpen ? 'may' : likelihood;
      for (const put of this.#put(sink, origin, shown, each)) this.#record(origin, put, shown, each);
    }
  }

  #record(origin: Origin, to: Destination, type: string, likelihood: Likelihood): void {
    const { movements, command } = this.#context;
    movements.add({ origin, to, type, likelihood, command, atLeast: 0n } satisfies Movement);
  }

  /** The origins that a claim's source can be. `type` is that of what moves. */
  #sources(source: Source, type: string): Origin[] {
    const { receivable, tickets, movements } = this.#context;
    switch (source.kind) {
      case 'wallet':
      case 'argument':
        return this.#takeFrom(source, type);
      case 'state':
        return this.#remember(`state ${type}`, () => this.#contents((index) => this.#isState(index), type));
      case 'made':
        return this.#remember(`made ${type}`, () => [{ from: { kind: 'made' }, type }]);
      case 'received': {
        const found = [...(tickets.size > 0 ? tickets : receivable)].flatMap(({ parts }) => [
          ...parts.keys(),
        ]);
        movements.step(found.length);
        return found.length > 0 ? found : [unreadOrigin(type)];
      }
      case 'funds':
        return this.#remember(`funds ${type}`, () =>
          this.#contents((index) => this.#mode(index) !== 'read', type),
        );
      case 'unread':
        return [unreadOrigin(type)];
    }
  }

  /** Returns `true` for an object whose fields the call may change, without wallets, whose money has a source of its own. */
  #isState(index: number): boolean {
    const type = this.#certificate.parameters[index] ?? '';
    return this.#mode(index) === 'change' && !isWalletType(type.slice('&mut '.length));
  }

  /** Money or objects that come out of one of the chosen arguments. A coin has nothing but itself, and is no such object. */
  #contents(isChosen: (index: number) => boolean, type: string): Origin[] {
    const found = this.#context.args
      .filter((value, index) => isChosen(index) && !isCoin(value.type))
      .flatMap(({ parts, objectId }) =>
        [...parts.keys()].flatMap((origin) => {
          if (isCoin(origin.type)) return [origin];
          const content = takeContent(origin, type);
          // An object that an earlier call put into the argument comes out as a whole.
          const isInside = origin.objectId !== undefined && origin.objectId !== objectId;
          return isInside && type.includes(origin.type) ? [origin, content] : [content];
        }),
      );
    return found.length > 0 ? found : [unreadOrigin(type)];
  }

  #takeFrom(source: Extract<Source, { kind: 'wallet' | 'argument' }>, type: string): Origin[] {
    const { parameter } = source;
    const value = this.#context.args[parameter];
    if (!value) return [];
    const takes = this.#certificate.claims.filter(
      (claim): claim is TakesClaim =>
        claim.kind === 'takes' &&
        !('rest' in claim) &&
        claim.source.kind === source.kind &&
        claim.source.parameter === parameter &&
        claim.verdict === 'may',
    );
    const typed = takes.map((claim) => ({ claim, taken: this.#type(claim.type ?? '?') }));
    const fitting = typed.filter(({ taken }) => taken === type);
    return (fitting.length > 0 ? fitting : typed).flatMap(({ claim, taken }) =>
      this.#remember(`${source.kind} ${parameter} ${taken}`, () =>
        [...value.parts.keys()].flatMap((origin) => this.#takeOne(origin, claim, taken)),
      ),
    );
  }

  #takeOne(origin: Origin, claim: TakesClaim, taken: string): Origin[] {
    const { parameter } = claim.source;
    const isTaken = this.#mode(parameter) === 'take';
    if (isCoin(origin.type)) return [isTaken ? origin : takePart(origin, this.#bound(claim))];
    const argument = this.#type(this.#certificate.parameters[parameter]!.replace(/^&(mut )?/, ''));
    const content = takeContent(origin, taken, this.#bound(claim));
    if (argument === origin.type) return [isTaken && taken === argument ? origin : content];
    // The object is somewhere in the argument, such as in a vector or a struct that wraps it.
    if (isCoin(taken)) return [content];
    return taken === argument || taken.includes(origin.type) ? [origin] : [origin, content];
  }

  /** The amount that a call takes at most. Undefined: no bound. */
  #bound({ bounds, repeated, source }: TakesClaim): bigint | undefined {
    // In a struct of the caller, an amount bounds one of its fields.
    const parameter = this.#certificate.parameters[source.parameter] ?? '';
    const isMoney = isCoin(parameter.replace(/^&(mut )?/, '')) || source.kind === 'wallet';
    if (repeated || bounds.length === 0 || !isMoney) return undefined;
    let sum = 0n;
    for (const bound of bounds) {
      const amount = this.#amount(bound);
      if (amount === undefined) return undefined;
      sum += amount;
    }
    return sum;
  }

  #amount(bound: Bound): bigint | undefined {
    if (bound.kind !== 'equal') return undefined;
    const { to } = bound;
    if (to.kind === 'constant') return /^\d{1,20}$/.test(to.value) ? BigInt(to.value) : undefined;
    if (to.kind !== 'argument' || this.#certificate.parameters[to.parameter] !== 'u64') return undefined;
    return readNumber(this.#context.args[to.parameter]);
  }

  #remember(key: string, make: () => Origin[]): Origin[] {
    const known = this.#taken.get(key) ?? make();
    this.#taken.set(key, known);
    this.#context.movements.step(known.length);
    return known;
  }

  /** Puts something where the sink is. Returns its destinations: none for a result, which the transaction goes on with. */
  #put(sink: Sink, origin: Origin, type: string, likelihood: Likelihood): Destination[] {
    const { args, sender } = this.#context;
    const put = (value: Value) => addPart(value, origin, type, likelihood === 'always');
    switch (sink.kind) {
      case 'wallet':
      case 'argument': {
        const value = args[sink.parameter];
        if (value) put(value);
        return [];
      }
      case 'returned': {
        const result: Value = this.#results.get(sink.index) ?? { type, parts: new Map(), atLeast: 0n };
        put(result);
        this.#results.set(sink.index, result);
        return [];
      }
      case 'sender':
        return [{ kind: 'address', address: sender }];
      case 'argumentAddress':
        return this.#addresses(sink.parameter);
      case 'constantAddress':
        return [toAddress(sink.address)];
      case 'storedAddress':
        return [{ kind: 'storedAddress', path: sink.path }];
      case 'objectAddress': {
        const id = args[sink.parameter]?.objectId;
        return [id === undefined ? { kind: 'computedAddress' } : { kind: 'object', id }];
      }
      case 'computedAddress':
        return [{ kind: 'computedAddress' }];
      case 'kept':
        for (const [index, value] of args.entries()) {
          // A later command can take it out of an object of the signer. A protocol has it for good.
          if (this.#mode(index) === 'change' && value.access !== 'shared' && !isCoin(value.type)) put(value);
        }
        return [{ kind: 'kept', path: sink.path }];
      case 'shared':
      case 'frozen':
        return [{ kind: sink.kind, type: this.#type(sink.type) }];
      case 'burned':
      case 'destroyed':
      case 'unread':
        return [{ kind: sink.kind }];
    }
  }

  #addresses(parameter: number): Destination[] {
    const bytes = this.#context.args[parameter]?.bytes;
    const type = this.#certificate.parameters[parameter];
    if (bytes && type === 'address' && bytes.length === 32) return [toAddress(bcs.Address.parse(bytes))];
    if (bytes && type === 'vector<address>') {
      const listed = parseAddresses(bytes);
      if (listed && listed.length > 0 && listed.length <= listedMax) return listed.map(toAddress);
    }
    return [{ kind: 'computedAddress' }];
  }

  /** A type of a claim as the chain spells it. */
  #type(text: string): string {
    const known = this.#types.get(text);
    if (known !== undefined) return known;
    const own = text.replace(/0x[0-9a-f]{64}::\w+::\w+/g, (name) => this.#respell(name));
    const full = instantiate(own, this.#context.typeArguments) ?? own;
    const found = canonicalType(full) ?? full;
    this.#types.set(text, found);
    return found;
  }

  #respell(name: string): string {
    const id = this.#typeOrigins.get(name);
    return id === undefined ? name : `${id}${name.slice(name.indexOf('::'))}`;
  }
}

const isClosed = (claim: Claim): boolean => 'rest' in claim && claim.verdict === 'cannot';

/** Recipients of a list that are named one by one. */
const listedMax = 64;

const toAddress = (address: string): Destination => ({
  kind: 'address',
  address: normalizeAddress(address) ?? address,
});

export const unreadOrigin = (type: string): Origin => ({ from: { kind: 'unread' }, type });

export function readNumber(value: Value | undefined): bigint | undefined {
  return value?.bytes?.length === 8 ? BigInt(bcs.u64().parse(value.bytes)) : undefined;
}

function parseAddresses(bytes: Uint8Array): string[] | undefined {
  try {
    return bcs.vector(bcs.Address).parse(bytes);
  } catch {
    return undefined;
  }
}
