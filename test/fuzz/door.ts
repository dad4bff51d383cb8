import type fc from 'fast-check';
import { type FuzzRequest, type FuzzResponse, renderCurl, send } from './exchange.ts';
import type { Host } from './host.ts';

/** A way into the service, with what strangers may send through it. */
export interface Door<Input = unknown> {
  name: string;
  /** Inputs that are played with one seed. */
  batchSize: number;
  inputs: fc.Arbitrary<Input>;
  /** Sends an input and judges what comes back. @throws Fault, or Error if nothing comes back */
  play(input: Input): Promise<void>;
  /** A command that repeats an input. */
  render(input: Input): string;
}

/** Creates a door whose inputs are single requests. */
export function createRequestDoor(
  host: Host,
  door: Pick<Door<FuzzRequest>, 'name' | 'batchSize' | 'inputs'>,
  judge: (request: FuzzRequest, response: FuzzResponse) => void,
): Door<FuzzRequest> {
  return {
    name: door.name,
    batchSize: door.batchSize,
    inputs: door.inputs,
    async play(request) {
      judge(request, await send(host.baseUrl, request));
    },
    render: (request) => renderCurl(host.baseUrl, request),
  };
}

/** Texts that no response may contain. */
export const listSecrets = ({ credentials }: Host): string[] =>
  credentials ? [credentials.adminSecret, credentials.executorKey, credentials.apiKey] : [];
