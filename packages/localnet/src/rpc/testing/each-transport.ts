import { ChannelCredentials } from '@grpc/grpc-js';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';
import { describe } from 'vitest';

interface TransportUnderTest {
  name: string;
  connect(url: string): { client: SuiGrpcClient; close(): void };
}

const web = (format: 'text' | 'binary'): TransportUnderTest => ({
  name: `grpc-web ${format}`,
  connect: (baseUrl) => ({
    client: new SuiGrpcClient({ network: 'localnet', baseUrl, format }),
    close: () => undefined,
  }),
});

const native: TransportUnderTest = {
  name: 'native gRPC',
  connect(url) {
    const transport = new GrpcTransport({
      host: new URL(url).host,
      channelCredentials: ChannelCredentials.createInsecure(),
      clientOptions: { 'grpc.max_receive_message_length': -1 },
    });
    const client = new SuiGrpcClient({ network: 'localnet', transport });
    return { client, close: () => transport.close() };
  },
};

/** Each way a client can reach a full node. */
export const eachTransport = { text: web('text'), binary: web('binary'), native };

/** Runs the same tests with an unchanged client over each way a client can reach a full node. */
export function describeEachTransport(name: string, tests: (transport: TransportUnderTest) => void): void {
  describe.each(Object.values(eachTransport))(`${name} over $name`, tests);
}
