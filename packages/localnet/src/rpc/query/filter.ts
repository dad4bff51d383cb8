import type { GrpcTypes } from '@mysten/sui/grpc';
import type { EventRecord, ExecutedTransaction, LedgerKey } from '../../ledger/types.ts';
import { unimplemented } from '../server/status.ts';
import { invalidField, missingField } from '../server/status-details.ts';
import { matchesPath, parseAddress, parsePath } from './move-path.ts';

/** Maximum number of literals of one filter, over all its terms; the full node has the same bound. */
const maxLiterals = 10;

/** One signed predicate. `key` says what to look up in the ledger's index. */
interface Literal {
  negated: boolean;
  key: LedgerKey;
}

/** Terms are alternatives, literals of a term must all hold. */
type Terms = Literal[][];

/** A parsed filter over transactions. */
interface TransactionPredicate {
  /** Index keys of which every match has at least one; undefined when no such set exists. */
  keys: LedgerKey[] | undefined;
  matches(transaction: ExecutedTransaction): boolean;
}

/** A parsed filter over events. */
interface EventPredicate {
  keys: LedgerKey[] | undefined;
  matches(event: EventRecord): boolean;
}

/** @throws GrpcError INVALID_ARGUMENT for a filter without terms, with an unset predicate or too large. */
export function parseTransactionFilter(filter: GrpcTypes.TransactionFilter): TransactionPredicate {
  const terms = parseTerms(filter.terms, transactionKey);
  return {
    keys: indexKeys(terms),
    matches: (transaction) => holds(terms, (key) => transactionHas(transaction, key)),
  };
}

/** @throws GrpcError as `parseTransactionFilter`. */
export function parseEventFilter(filter: GrpcTypes.EventFilter): EventPredicate {
  const terms = parseTerms(filter.terms, eventKey);
  return { keys: indexKeys(terms), matches: (event) => holds(terms, (key) => eventHas(event, key)) };
}

function parseTerms<L extends { negated: boolean }>(
  terms: { literals: L[] }[],
  keyOf: (literal: L) => LedgerKey,
): Terms {
  if (terms.length === 0) throw missingField('filter.terms', 'at least one term is required');
  if (terms.reduce((total, term) => total + term.literals.length, 0) > maxLiterals) {
    throw invalidField('filter', `more than ${maxLiterals} literals`);
  }
  return terms.map(({ literals }) => {
    if (literals.length === 0)
      throw missingField('filter.terms.literals', 'a term requires at least one literal');
    return literals.map((literal) => ({ negated: literal.negated, key: keyOf(literal) }));
  });
}

/** One positive literal of each term covers it; a term of negations only can match anything. */
function indexKeys(terms: Terms): LedgerKey[] | undefined {
  const keys: LedgerKey[] = [];
  for (const term of terms) {
    const positive = term.filter((literal) => !literal.negated);
    // A sender may have sent millions; what else the term says narrows more.
    const literal = positive.find(({ key }) => key.kind !== 'sender') ?? positive[0];
    if (!literal) return undefined;
    keys.push(literal.key);
  }
  return keys;
}

function holds(terms: Terms, has: (key: LedgerKey) => boolean): boolean {
  return terms.some((term) => term.every((literal) => has(literal.key) !== literal.negated));
}

function transactionKey({ predicate }: GrpcTypes.TransactionLiteral): LedgerKey {
  switch (predicate.oneofKind) {
    case 'affectedAddress':
      return {
        kind: 'affectedAddress',
        address: parseAddress(predicate.affectedAddress.address, 'filter.affected_address'),
      };
    case 'affectedObject':
      return {
        kind: 'affectedObject',
        objectId: parseAddress(predicate.affectedObject.objectId, 'filter.affected_object'),
      };
    case 'moveCall':
      return {
        kind: 'moveCall',
        function: parsePath(predicate.moveCall.function, 'filter.move_call', 2),
      };
    case 'packageWrite':
      return { kind: 'packageWrite' };
    default:
      return eventKey({ negated: false, predicate });
  }
}

function eventKey({ predicate }: GrpcTypes.EventLiteral): LedgerKey {
  switch (predicate.oneofKind) {
    case 'sender':
      return { kind: 'sender', address: parseAddress(predicate.sender.address, 'filter.sender') };
    case 'emitModule':
      return {
        kind: 'emitModule',
        module: parsePath(predicate.emitModule.module, 'filter.emit_module', 1),
      };
    case 'eventType':
      return {
        kind: 'eventType',
        eventType: parsePath(predicate.eventType.eventType, 'filter.event_type', 2, true),
      };
    case 'eventStreamHead':
      throw unimplemented('filter.event_stream_head: this network has no authenticated event streams');
    default:
      throw missingField('filter.terms.literals.predicate', 'a literal requires a predicate');
  }
}

function eventHas(event: EventRecord, key: LedgerKey): boolean {
  switch (key.kind) {
    case 'sender':
      return event.sender === key.address;
    case 'emitModule':
      return matchesPath(`${event.packageId}::${event.module}`, key.module);
    case 'eventType':
      return matchesPath(event.type, key.eventType);
    default:
      return false;
  }
}

function transactionHas(transaction: ExecutedTransaction, key: LedgerKey): boolean {
  switch (key.kind) {
    case 'sender':
      return transaction.data.V1?.sender === key.address;
    case 'affectedObject':
      return transaction.objects.some(
        ({ id, change }) => change !== 'read' && change !== 'loaded' && id === key.objectId,
      );
    case 'affectedAddress':
      return affectedAddresses(transaction).has(key.address);
    case 'moveCall':
      return calledFunctions(transaction).some((name) => matchesPath(name, key.function));
    case 'packageWrite':
      return transaction.objects.some(({ type, change }) => change === 'created' && type === 'package');
    default:
      return transaction.events.some((event) => eventHas(event, key));
  }
}

/** Owners of what the transaction changed, before and after it. */
function affectedAddresses(transaction: ExecutedTransaction): Set<string> {
  const addresses = new Set<string>();
  for (const [, change] of transaction.effects.changedObjects) {
    const before = change.inputState.Exist?.[1];
    const after = change.outputState.ObjectWrite?.[1];
    for (const owner of [before, after]) {
      if (owner?.AddressOwner) addresses.add(owner.AddressOwner);
      if (owner?.ConsensusAddressOwner) addresses.add(owner.ConsensusAddressOwner.owner);
    }
  }
  return addresses;
}

function calledFunctions(transaction: ExecutedTransaction): string[] {
  const commands = transaction.data.V1?.kind.ProgrammableTransaction?.commands ?? [];
  return commands.flatMap(({ MoveCall: call }) =>
    call ? [`${call.package}::${call.module}::${call.function}`] : [],
  );
}
