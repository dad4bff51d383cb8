import type { Network } from '@adaptor-marketplace/adaptor';

/** What a receiver gets. */
interface WebhookMessage {
  network: Network;
  /** `Registered`, ...; `Test` for a test event. */
  event: string;
  /** The event's own fields; null where its bytes did not decode. */
  data: Record<string, unknown> | null;
  /** Milliseconds since the epoch: the event's checkpoint. */
  timestampMs: number;
  /** `<transaction digest>:<event index>`, or `test:<delivery id>`. */
  id: string;
}

/** The bytes that are sent and signed: the same at every attempt. */
export function messageBytes({ network, event, data, timestampMs, id }: WebhookMessage): Buffer {
  return Buffer.from(JSON.stringify({ network, event, data, timestampMs, id }));
}
