import { serializeValue } from '../bcs.ts';
import { VmError } from '../errors.ts';
import type { Meter } from '../meter.ts';
import { typeName } from '../type-names.ts';
import type { Type } from '../types.ts';
import type { Value } from '../values.ts';
import { Funds, type ReadFunds } from './funds.ts';
import { ObjectRuntime, type ReadMoveObject } from './objects.ts';
import { TransactionContext, type TransactionFacts } from './transaction-context.ts';

/** The chain's bounds on events. */
const MAX_EVENTS = 1024;
const MAX_EVENT_BYTES = 250 * 1024;
const MAX_TOTAL_EVENT_BYTES = 256 * MAX_EVENT_BYTES;

interface Event {
  packageId: string;
  module: string;
  type: string;
  contents: Uint8Array;
}

/** What the natives of one transaction share. */
export class Session {
  readonly meter: Meter;
  readonly context: TransactionContext;
  readonly objects: ObjectRuntime;
  readonly funds: Funds;
  readonly events: Event[] = [];
  #eventBytes = 0;
  /** Storage id and module of the top-level call that runs: events are stamped with it. */
  running = { packageId: '', module: '' };

  constructor(
    facts: TransactionFacts,
    read: ReadMoveObject,
    meter: Meter,
    readFunds: ReadFunds = () => 0n,
    objects = new ObjectRuntime(read),
  ) {
    this.meter = meter;
    this.context = new TransactionContext(facts);
    this.objects = objects;
    this.funds = new Funds(readFunds);
  }

  emit(type: Type, value: Value): void {
    if (this.events.length >= MAX_EVENTS) throw new VmError('limit', `more than ${MAX_EVENTS} events`);
    const contents = serializeValue(type, value);
    if (contents.length > MAX_EVENT_BYTES)
      throw new VmError('limit', `an event of more than ${MAX_EVENT_BYTES} bytes`);
    this.#eventBytes += contents.length;
    if (this.#eventBytes > MAX_TOTAL_EVENT_BYTES)
      throw new VmError('limit', `events of more than ${MAX_TOTAL_EVENT_BYTES} bytes`);
    this.meter.charge(contents.length);
    this.events.push({ ...this.running, type: typeName(type), contents });
  }
}
