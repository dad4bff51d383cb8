import type { Connection } from '../rpc/server/service.ts';
import type { Interceptor } from './interceptor.ts';
import type { MisbehaviourSettings } from './schema.ts';

type Settings = NonNullable<MisbehaviourSettings['goAway']>;

/** Sends GOAWAY on a connection with its n-th call, which is still served. HTTP/1.1 knows no such thing. */
export function goAway({ afterCalls }: Settings): Interceptor {
  const calls = new WeakMap<Connection, number>();
  return ({ context: { connection } }, next) => {
    if (connection) {
      const count = (calls.get(connection) ?? 0) + 1;
      calls.set(connection, count);
      if (count === afterCalls) connection.close();
    }
    return next();
  };
}
