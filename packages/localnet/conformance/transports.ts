import { ChannelCredentials } from '@grpc/grpc-js';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';

export const transports = ['native gRPC', 'grpc-web binary', 'grpc-web text'] as const;
export type Transport = (typeof transports)[number];

/** An unchanged client of a full node at `url`. `headers` go with every call, for providers that want a token. */
export function connect(transport: Transport, url: string, headers: Record<string, string> = {}) {
  const network = 'localnet';
  if (transport !== 'native gRPC') {
    const format = transport === 'grpc-web binary' ? 'binary' : 'text';
    const client = new SuiGrpcClient({ network, baseUrl: url, format, meta: headers });
    return { client, close: () => undefined };
  }
  const { host, protocol, hostname } = new URL(url);
  const isSecure = protocol === 'https:';
  const channel = new GrpcTransport({
    host: isSecure && host === hostname ? `${host}:443` : host,
    channelCredentials: isSecure ? ChannelCredentials.createSsl() : ChannelCredentials.createInsecure(),
    clientOptions: { 'grpc.max_receive_message_length': -1 },
    meta: headers,
  });
  const client = new SuiGrpcClient({ network, transport: channel });
  return { client, close: () => channel.close() };
}
